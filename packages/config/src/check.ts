import type { Registry, RoutePlan } from "@mqb/core";
import { checkWithDefaults, type RouteDefaults } from "./check-route.ts";
import type { WrittenRoute } from "./document/app.ts";
import type { Configuration } from "./document/load.ts";
import { locate } from "./document/place.ts";
import { type DocumentProblem, inDocumentOrder } from "./document/problem.ts";

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
  return { routes, problems: inDocumentOrder(problems, configuration.sources) };
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
