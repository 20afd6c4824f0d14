import { type CheckedRoute, checkRoute, type Registry, type RoutePlan } from "@mqb/core";
import type { WrittenRoute } from "./document/app.ts";
import type { Configuration } from "./document/load.ts";
import { locate } from "./document/place.ts";
import { type DocumentProblem, inDocumentOrder } from "./document/problem.ts";

/** Route options that a host gives to routes which do not write them. */
export interface RouteDefaults {
  readonly concurrency: number;
  /** For sinks that do not name a size of their own. */
  readonly batch_size: number;
  readonly exit_on_empty?: boolean;
}

/** An enabled route of a configuration after the check. */
export interface ConfiguredRoute {
  readonly name: string;
  /** With the host's defaults filled in; what `Bridge.route` takes. */
  readonly config: unknown;
  /** Absent when it cannot start. */
  readonly plan?: RoutePlan;
  readonly problems: readonly DocumentProblem[];
}

export interface CheckedConfiguration {
  readonly routes: readonly ConfiguredRoute[];
  /** Everything that is wrong with the document, its routes included, in document order. */
  readonly problems: readonly DocumentProblem[];
}

const NOT_INSTALLED = ["MQB_CONFIG_UNKNOWN_ENDPOINT", "MQB_CONFIG_UNKNOWN_MIDDLEWARE"];

/** Checks every enabled route against the installed plugins. Opens nothing. */
export function checkConfiguration(
  configuration: Configuration,
  registry: Registry,
  defaults: RouteDefaults,
): CheckedConfiguration {
  const routes = configuration.routes
    .filter((route) => route.enabled)
    .map((route) => checkWritten(route, configuration, registry, defaults));
  const problems = [...configuration.problems, ...routes.flatMap((route) => route.problems)];
  return { routes, problems: inDocumentOrder(problems) };
}

/**
 * Whether a problem keeps only its own route from starting: it names an endpoint or middleware that is not installed.
 * Any other error is a fault of the document, and nothing of it may start.
 */
export function concernsOneRoute(problem: DocumentProblem): boolean {
  return NOT_INSTALLED.includes(problem.code);
}

function checkWritten(
  route: WrittenRoute,
  configuration: Configuration,
  registry: Registry,
  defaults: RouteDefaults,
): ConfiguredRoute {
  const { config, checked } = checkWithDefaults(registry, route.name, route.config, defaults);
  const problems = checked.problems.map((problem) => {
    const path = [...route.path, ...problem.path];
    const what = problem.code === "MQB_CONFIG_VALUE" ? "value" : "key";
    return { ...problem, path, at: locate(configuration.place, path, what) };
  });
  return { name: route.name, config, problems, ...(checked.plan ? { plan: checked.plan } : {}) };
}

/** Checks a route after filling in the host's defaults. An option that is `null` counts as not written. */
export function checkWithDefaults(
  registry: Registry,
  name: string,
  written: unknown,
  defaults: RouteDefaults,
): { readonly config: unknown; readonly checked: CheckedRoute } {
  const config = withDefaults(written, { ...defaults });
  const checked = checkRoute(registry, name, config);
  const wanted = checked.plan?.output.output?.defaultBatchSize;
  if (wanted === undefined || config === written || hasOption(written, "batch_size")) return { config, checked };
  const sized = { ...(config as object), batch_size: wanted };
  return { config: sized, checked: checkRoute(registry, name, sized) };
}

function withDefaults(config: unknown, defaults: Readonly<Record<string, unknown>>): unknown {
  if (!isMap(config)) return config;
  const written = Object.entries(config).filter(([key, value]) => value !== null || !Object.hasOwn(defaults, key));
  return { ...defaults, ...Object.fromEntries(written) };
}

function hasOption(config: unknown, key: string): boolean {
  return isMap(config) && config[key] !== undefined && config[key] !== null;
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
