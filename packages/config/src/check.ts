import { type Problem, type References, type Registry, ROUTE_FIELDS, type RoutePlan } from "@mqb/core";
import { checkWithDefaults, type RouteDefaults } from "./check-route.ts";
import { type Range, textLeaves, withExcerpts } from "./document/excerpt.ts";
import type { Configuration } from "./document/load.ts";
import { isText, locate, nearestPlace, type Path, type Place } from "./document/place.ts";
import { type DocumentProblem, inDocumentOrder } from "./document/problem.ts";
import { documentPath, type WrittenRoute } from "./document/routes.ts";
import { explainMisfit, writtenAs } from "./fields/explain.ts";
import { type Fitted, fitRoute, keyOfPath } from "./fields/fit.ts";
import { createSchemas, type Schemas } from "./fields/schemas.ts";
import { type Visited, walkRoute } from "./fields/walk.ts";
import { lintConfiguration, lintRoute, type Written } from "./lint/index.ts";
import { type Install, isNotInstalled, onePerPackage, withInstall } from "./missing-packages.ts";

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
  /** Endpoints by name, for `ref`; what `createBridge` takes. */
  readonly endpoints: Readonly<Record<string, unknown>>;
  /** Everything that is wrong with the document, its routes included, in document order; one per missing package. */
  readonly problems: readonly DocumentProblem[];
  /** The plugins that it was checked against. */
  readonly registry: Registry;
}

export interface CheckOptions {
  /** The command that installs a package, for what is not installed. Default: `install @mqb/kafka`. */
  readonly install?: Install;
}

/** Checks every enabled route against the installed plugins. Opens nothing. */
export function checkConfiguration(
  configuration: Configuration,
  registry: Registry,
  defaults: RouteDefaults,
  options: CheckOptions = {},
): CheckedConfiguration {
  const check = new Check(configuration, registry, defaults, options);
  const enabled = configuration.routes.filter((route) => route.enabled);
  const checked = check.together(
    enabled,
    enabled.map((route) => check.route(route)),
  );
  const found = withoutRepeats([...configuration.problems, ...checked.flatMap((route) => route.problems)]);
  const problems = onePerPackage(inDocumentOrder(found, configuration.sources));
  return { routes: checked, endpoints: check.endpoints, problems, registry };
}

/**
 * Whether a problem keeps only its own route from starting: it names an endpoint or middleware that is not installed.
 * Any other error is a fault of the document, and nothing of it may start.
 */
export function concernsOneRoute(problem: DocumentProblem): boolean {
  return isNotInstalled(problem);
}

/** A publisher that several consumers use has its faults once. */
function withoutRepeats(problems: readonly DocumentProblem[]): DocumentProblem[] {
  const seen = new Set<string>();
  return problems.filter(({ code, path, message }) => {
    const key = JSON.stringify([code, path, message]);
    return !seen.has(key) && seen.add(key);
  });
}

class Check {
  readonly endpoints: Readonly<Record<string, unknown>>;
  private readonly configuration: Configuration;
  private readonly registry: Registry;
  private readonly defaults: RouteDefaults;
  private readonly options: CheckOptions;
  private readonly schemas: Schemas = createSchemas();
  private readonly references: References;

  constructor(configuration: Configuration, registry: Registry, defaults: RouteDefaults, options: CheckOptions) {
    this.configuration = configuration;
    this.registry = registry;
    this.defaults = defaults;
    this.options = options;
    const endpoints: Record<string, unknown> = Object.create(null);
    for (const publisher of configuration.publishers) {
      const route = {
        name: publisher.name,
        path: publisher.path,
        enabled: true,
        config: { output: publisher.endpoint },
      };
      const { config } = this.fitted({ ...route, sides: { output: publisher.path } });
      endpoints[publisher.name] = (config as { readonly output: unknown }).output;
    }
    this.endpoints = endpoints;
    this.references = { get: (name) => endpoints[name], names: () => Object.keys(endpoints) };
  }

  route(route: WrittenRoute): ConfiguredRoute {
    const { config: written, left } = this.fitted(route);
    const { config, checked } = checkWithDefaults(this.registry, route.name, written, this.defaults, this.references);
    const { name } = route;
    const { plan } = checked;
    const linted = plan ? lintRoute({ name, config, plan }, this.where(route), this.schemas) : [];
    const found = [...checked.problems, ...linted];
    const startable = plan && !found.some((problem) => problem.level === "error") ? { plan } : {};
    return { name, config, problems: this.shown(found, route, written, left), ...startable };
  }

  /** What routes do to each other: adds it to the one that comes later. */
  together(written: readonly WrittenRoute[], checked: readonly ConfiguredRoute[]): readonly ConfiguredRoute[] {
    const startable = checked.flatMap(({ name, config, plan }) => (plan ? [{ name, config, plan }] : []));
    const found = startable.length < 2 ? [] : lintConfiguration(startable, this.schemas);
    if (found.length === 0) return checked;
    return checked.map((one, index) => {
      const own = found.filter(({ route }) => route === one.name).map(({ problem }) => problem);
      if (own.length === 0) return one;
      const { plan, ...rest } = one;
      const problems = [...one.problems, ...this.shown(own, written[index]!, one.config, new Map())];
      const isWrong = own.some((problem) => problem.level === "error");
      return { ...rest, problems, ...(plan && !isWrong ? { plan } : {}) };
    });
  }

  private shown(
    found: readonly Problem[],
    route: WrittenRoute,
    config: unknown,
    left: Fitted["left"],
  ): readonly DocumentProblem[] {
    if (found.length === 0) return [];
    const visited = new Map<string, Visited>();
    walkRoute(config, this.registry, this.schemas, (one) => visited.set(keyOfPath(one.path), one));
    const problems = found.map((problem) => this.located(problem, route, config, visited, left));
    return withExcerpts(problems, () => this.hidden(route, visited));
  }

  private where(route: WrittenRoute): Written {
    const { place: root } = this.configuration;
    return {
      isInClear: (path) => {
        const { place, found } = nearestPlace(root, documentPath(route, path));
        return found && isText(place.source) && !place.filled;
      },
    };
  }

  private fitted(route: WrittenRoute): Fitted {
    const { place } = this.configuration;
    const sides = [route.path, ...Object.values(route.sides ?? {})].map((path) => nearestPlace(place, path).place);
    if (!sides.some(hasFilled)) return { config: route.config, left: new Map() };
    const placeAt = (path: Path): Place | undefined => {
      const { place: found, found: isWritten } = nearestPlace(place, documentPath(route, path));
      return isWritten ? found : undefined;
    };
    return fitRoute(route.config, placeAt, this.registry, this.schemas);
  }

  private located(
    problem: Problem,
    route: WrittenRoute,
    config: unknown,
    visited: ReadonlyMap<string, Visited>,
    left: Fitted["left"],
  ): DocumentProblem {
    const { place: root } = this.configuration;
    const path = documentPath(route, problem.path);
    const at = locate(root, path, problem.code === "MQB_CONFIG_VALUE" ? "value" : "key");
    const told = { ...problem, ...this.told(problem, path, visited, left), path, at };
    return withInstall(told, config, problem.path, this.registry, this.options.install);
  }

  /** What the configuration knows better than the schema: what was written, and what it came from. */
  private told(
    problem: Problem,
    path: Path,
    visited: ReadonlyMap<string, Visited>,
    left: Fitted["left"],
  ): Partial<Problem> {
    const empty = left.get(keyOfPath(problem.path));
    if (empty && problem.code === "MQB_CONFIG_MISSING") {
      const names = empty.variables.join(", ");
      return {
        hint: `it is written, but ${empty.variables.length > 1 ? `the variables ${names} are` : `the variable ${names} is`} empty`,
      };
    }
    const one = visited.get(keyOfPath(problem.path));
    if (problem.code !== "MQB_CONFIG_VALUE" || !one) return {};
    const { place, found } = nearestPlace(this.configuration.place, path);
    const came = found ? { source: place.source, variables: place.filled?.variables ?? [] } : { variables: [] };
    const explained = explainMisfit(one, came);
    if (explained) return explained;
    if (problem.path.length === 1 && typeof one.value === "string") {
      const message = problem.message.replace(/not a string$/, `not ${writtenAs(one, came)}`);
      const isNumber = /takes a whole number/.test(message) && /^\d+$/.test(one.value);
      return { message, ...(isNumber ? { hint: "write it without quotes" } : {}) };
    }
    return {};
  }

  /** Every value of the texts, except those of this route that a schema knows and that are not secret. */
  private hidden(route: WrittenRoute, visited: ReadonlyMap<string, Visited>): readonly Range[] {
    const { place: root, texts } = this.configuration;
    const shown = new Set<string>();
    const secret = new Set<string>();
    for (const { path, value, field, isSecret } of visited.values()) {
      if (typeof value === "object" && value !== null) continue;
      const { place, found } = nearestPlace(root, documentPath(route, path));
      if (!found || !isText(place.source)) continue;
      const key = `${place.source.name}:${place.value}`;
      if (isSecret) secret.add(key);
      else if (field || isOption(path)) shown.add(key);
    }
    return texts.flatMap(textLeaves).filter(({ source, start }) => {
      const key = `${source.name}:${start}`;
      return secret.has(key) || !shown.has(key);
    });
  }
}

function isOption(path: Path): boolean {
  return path.length === 1 && (ROUTE_FIELDS as readonly unknown[]).includes(path[0]);
}

function hasFilled(place: Place): boolean {
  if (place.filled) return true;
  for (const child of place.children.values()) if (hasFilled(child)) return true;
  return false;
}
