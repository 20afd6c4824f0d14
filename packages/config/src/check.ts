import { type Problem, type References, type Registry, ROUTE_FIELDS, type RoutePlan } from "@mqb/core";
import { checkWithDefaults, type RouteDefaults } from "./check-route.ts";
import { createExcerpts, type Range, textLeaves } from "./document/excerpt.ts";
import type { Configuration } from "./document/load.ts";
import { isText, locate, nearestPlace, type Path, type Place, pathAsWritten } from "./document/place.ts";
import { type DocumentProblem, inDocumentOrder } from "./document/problem.ts";
import { documentPath, type WrittenRoute } from "./document/routes.ts";
import { explainMisfit, writtenAs } from "./fields/explain.ts";
import { type Fitted, fitRoute, keyOfPath } from "./fields/fit.ts";
import { misplacedHint } from "./fields/misplaced.ts";
import { reworded, withoutConsequences } from "./fields/reworded.ts";
import { createSchemas, type Schemas, withSchemasOnce } from "./fields/schemas.ts";
import { type Visited, walkRoute } from "./fields/walk.ts";
import { lintConfiguration, lintSubject, type Subject, subjectOf, type Written } from "./lint/index.ts";
import { type Install, isNotInstalled, onePerPackage, withInstall } from "./missing-packages.ts";
import { asWritten } from "./redact/as-written.ts";
import { secretText } from "./redact/secret-text.ts";
import { redactUri } from "./redact/uri.ts";

/** Shorter ones are words of every text. */
const SHORTEST_SECRET = 4;

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
  const checked = check.withExcerpts(
    check.together(
      enabled,
      enabled.map((route) => check.route(route)),
    ),
  );
  const ofRoutes = checked.flatMap((route) => route.problems);
  const found = withoutRepeats([...configuration.problems, ...nothingToRun(configuration), ...ofRoutes]);
  const problems = onePerPackage(inDocumentOrder(found, configuration.sources));
  return { routes: checked, endpoints: check.endpoints, problems, registry: check.registry };
}

/**
 * Whether a problem keeps only its own route from starting: it names an endpoint or middleware that is not installed.
 * Any other error is a fault of the document, and nothing of it may start.
 */
export function concernsOneRoute(problem: DocumentProblem): boolean {
  return isNotInstalled(problem);
}

/** A configuration without a route is no fault, but hardly what somebody wanted. */
function nothingToRun({ routes, problems, place: { source } }: Configuration): DocumentProblem[] {
  if (routes.length > 0 || problems.some((problem) => problem.level === "error")) return [];
  const told = { message: "nothing to run: the configuration has no routes", hint: "write them under `routes:`" };
  const at = { source, offset: 0, line: 0, column: 0 };
  return [{ level: "warning", code: "MQB_CONFIG_EMPTY", path: [], ...told, at }];
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
  readonly registry: Registry;
  private readonly configuration: Configuration;
  private readonly defaults: RouteDefaults;
  private readonly options: CheckOptions;
  private readonly schemas: Schemas = createSchemas();
  private readonly references: References;
  private readonly subjects = new Map<string, Subject>();
  private readonly known = new Set<string>();
  private filled: ReadonlySet<string> | undefined;
  private readonly secret = new Set<string>();

  constructor(configuration: Configuration, registry: Registry, defaults: RouteDefaults, options: CheckOptions) {
    this.configuration = configuration;
    this.registry = withSchemasOnce(registry);
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
    const subject = plan && subjectOf({ name, config, plan }, this.schemas);
    if (subject) this.subjects.set(name, subject);
    const linted = subject ? lintSubject(subject, this.where(route)) : [];
    // What an endpoint says of one of its fields itself needs no second word.
    const said = new Set(checked.problems.map((problem) => problem.path.join("\n")));
    const found = [
      ...checked.problems,
      ...linted.filter(({ level, path }) => level !== "note" || !said.has(path.join("\n"))),
    ];
    const startable = plan && !found.some((problem) => problem.level === "error") ? { plan } : {};
    return { name, config, problems: this.shown(found, route, written, left), ...startable };
  }

  /** What routes do to each other: adds it to the one that comes later. */
  together(written: readonly WrittenRoute[], checked: readonly ConfiguredRoute[]): readonly ConfiguredRoute[] {
    const startable = checked.flatMap(({ name, plan }) => (plan ? [this.subjects.get(name)!] : []));
    const { services } = this.configuration.settings;
    const found = startable.length === 0 ? [] : lintConfiguration(startable, services);
    if (found.length === 0) return checked;
    return checked.map((one, index) => {
      const own = found.filter(({ route }) => route === one.name).map(({ problem }) => problem);
      if (own.length === 0) return one;
      const { plan, ...rest } = one;
      const problems = [...one.problems, ...this.shown(own, written[index]!, one.config, new Map(), true)];
      const isWrong = own.some((problem) => problem.level === "error");
      return { ...rest, problems, ...(plan && !isWrong ? { plan } : {}) };
    });
  }

  private shown(
    found: readonly Problem[],
    route: WrittenRoute,
    config: unknown,
    left: Fitted["left"],
    isTogether = false,
  ): readonly DocumentProblem[] {
    if (found.length === 0) return [];
    const visited = new Map<string, Visited>();
    walkRoute(config, this.registry, this.schemas, (one) => visited.set(keyOfPath(one.path), one));
    this.learn(route, visited);
    const around = this.configuration.hasFilled ? this.around(route, isTogether) : [];
    return withoutConsequences(found.map((problem) => this.located(problem, route, config, visited, left, around)));
  }

  /** The same routes, with the lines that their problems are about. */
  withExcerpts(routes: readonly ConfiguredRoute[]): readonly ConfiguredRoute[] {
    const excerptOf = createExcerpts(() => this.hidden());
    return routes.map((route) => {
      return route.problems.length === 0 ? route : { ...route, problems: route.problems.map(excerptOf) };
    });
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
    const { place, hasFilled: hasAny } = this.configuration;
    if (!hasAny) return { config: route.config, left: new Map() };
    const sides = [route.path, ...Object.values(route.sides ?? {})].map((path) => nearestPlace(place, path).place);
    if (!sides.some(hasFilled)) return { config: route.config, left: new Map() };
    const placeAt = (path: Path): Place | undefined => {
      const { place: found, found: isWritten } = nearestPlace(place, documentPath(route, path));
      return isWritten ? found : undefined;
    };
    return fitRoute(route.config, placeAt, this.registry, this.schemas);
  }

  /** A circle of references is told at the reference in the route; the way through the others is in its message. */
  private shownPath({ code }: Problem, path: Path, visited: ReadonlyMap<string, Visited>): Path {
    const { place: root, hasFilled: hasAny } = this.configuration;
    if (code !== "MQB_CONFIG_CYCLE") {
      return hasAny ? pathAsWritten(root, path, (key) => this.names(visited).has(key)) : path;
    }
    const shown = [...path];
    while (shown.length > 0 && !nearestPlace(root, shown).found) shown.pop();
    return shown;
  }

  /** Where the values stand that a problem of a route may quote. */
  private around(route: WrittenRoute, isTogether: boolean): readonly Place[] {
    const { place: root, publishers } = this.configuration;
    if (isTogether) return [root];
    const paths = [route.path, ...Object.values(route.sides ?? {}), ...publishers.map(({ path }) => path)];
    return paths.map((path) => nearestPlace(root, path).place);
  }

  private located(
    problem: Problem,
    route: WrittenRoute,
    config: unknown,
    visited: ReadonlyMap<string, Visited>,
    left: Fitted["left"],
    around: readonly Place[],
  ): DocumentProblem {
    const { place: root } = this.configuration;
    const path = documentPath(route, problem.path);
    const at = locate(root, path, problem.code === "MQB_CONFIG_VALUE" ? "value" : "key");
    const said = this.asWritten(withoutSecrets(problem, visited), path, around, visited);
    const told = { ...said, ...this.told(said, path, visited, left), path: this.shownPath(problem, path, visited), at };
    return withInstall(told, config, problem.path, this.registry, this.options.install);
  }

  /** A definition may quote what variables put in. */
  private asWritten(
    problem: Problem,
    path: Path,
    around: readonly Place[],
    visited: ReadonlyMap<string, Visited>,
  ): Problem {
    if (!this.configuration.hasFilled) return problem;
    const own = nearestPlace(this.configuration.place, path).place;
    const isPublic = (text: string): boolean => this.names(visited).has(text);
    const words = problem.code.startsWith("MQB_EXPRESSION_");
    const shown = (text: string): string => asWritten(text, { own, around, words }, isPublic);
    const { hint } = problem;
    const message = shown(problem.message);
    // The mark below an expression would not stand where it belongs any more.
    const kept = message === problem.message ? message : message.split("\n")[0]!;
    return { ...problem, message: kept, ...(hint === undefined ? {} : { hint: shown(hint) }) };
  }

  /** Words of mqb itself and names of this configuration, which are no secrets. */
  private names(visited: ReadonlyMap<string, Visited>): ReadonlySet<string> {
    const names = new Set([...this.registry.names("endpoint"), ...this.registry.names("middleware")]);
    for (const { name } of this.configuration.routes) names.add(name);
    const keys = this.filledKeys();
    for (const { path, field } of visited.values()) {
      for (const name of path) if (!keys.has(String(name))) names.add(String(name));
      for (const name of field?.choices ?? []) names.add(name);
    }
    return names;
  }

  /** Keys that variables were put into: of what kind they are is not known. */
  private filledKeys(): ReadonlySet<string> {
    if (this.filled) return this.filled;
    const keys = new Set<string>();
    const open = [this.configuration.place];
    for (let one = open.pop(); one; one = open.pop()) {
      if (one.filledKey) keys.add(one.filledKey.whole);
      open.push(...one.children.values());
    }
    return (this.filled = keys);
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
    // A name that is near was found already.
    if (problem.code === "MQB_CONFIG_UNKNOWN_FIELD" && problem.hint?.startsWith("known:")) {
      const hint = misplacedHint(problem, visited);
      return hint === undefined ? {} : { hint };
    }
    const one = visited.get(keyOfPath(problem.path));
    const { place, found } = nearestPlace(this.configuration.place, path);
    const { publishers } = this.configuration;
    const known = {
      isWritten: found,
      value: one?.value,
      shown: "",
      ...(isText(place.source) ? { publishers: publishers.map(({ name }) => name) } : {}),
    };
    if (problem.code !== "MQB_CONFIG_VALUE" || !one) return reworded(problem, known) ?? {};
    const came = found ? { source: place.source, variables: place.filled?.variables ?? [] } : { variables: [] };
    const explained = explainMisfit(one, came);
    return explained ?? reworded(problem, { ...known, shown: writtenAs(one, came) }) ?? {};
  }

  /** Remembers which values may be shown in the line of a problem, and which are secret. */
  private learn(route: WrittenRoute, visited: ReadonlyMap<string, Visited>): void {
    for (const { path, value, field, isSecret } of visited.values()) {
      if (typeof value === "object" && value !== null) continue;
      const { place, found } = nearestPlace(this.configuration.place, documentPath(route, path));
      if (!found || !isText(place.source)) continue;
      const key = `${place.source.name}:${place.value}`;
      const holdsSecret = isSecret || (typeof value === "string" && redactUri(value) !== value);
      if (holdsSecret) this.secret.add(key);
      else if (field || isOption(path)) this.known.add(key);
    }
  }

  /** Every value of the texts, except those that a schema knows and that are not secret. */
  private hidden(): readonly Range[] {
    const { texts } = this.configuration;
    const values = texts.flatMap(textLeaves).filter(({ source, start }) => {
      const key = `${source.name}:${start}`;
      return this.secret.has(key) || !this.known.has(key);
    });
    // A text without a range is taken for one that could not be parsed, of which nothing is shown.
    const nothing = texts.flatMap(({ source }) => (isText(source) ? [{ source, start: 0, end: 0 }] : []));
    return [...nothing, ...values];
  }
}

/** A definition may quote what it finds wrong. */
function withoutSecrets(problem: Problem, visited: ReadonlyMap<string, Visited>): Problem {
  const secrets = [...visited.values()].flatMap(({ path, value, isSecret }) => {
    const text = isSecret ? secretText(value, String(path.at(-1))) : undefined;
    return text !== undefined && text.length >= SHORTEST_SECRET ? [text] : [];
  });
  const clean = (text: string): string =>
    redactUri(secrets.reduce((shown, secret) => shown.replaceAll(secret, "***"), text));
  const { message, hint } = problem;
  return { ...problem, message: clean(message), ...(hint === undefined ? {} : { hint: clean(hint) }) };
}

function isOption(path: Path): boolean {
  return path.length === 1 && (ROUTE_FIELDS as readonly unknown[]).includes(path[0]);
}

function hasFilled(place: Place): boolean {
  if (place.filled) return true;
  for (const child of place.children.values()) if (hasFilled(child)) return true;
  return false;
}
