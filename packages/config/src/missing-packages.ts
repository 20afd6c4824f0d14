import { formatPath, type Registry } from "@mqb/core";
import { isMap } from "@mqb/core/plugin";
import type { Path } from "./document/place.ts";
import type { DocumentProblem } from "./document/problem.ts";

/** How a host installs a package: `npm i @mqb/kafka`. */
export type Install = (packageName: string) => string;

const WHAT = { MQB_CONFIG_UNKNOWN_ENDPOINT: "endpoint", MQB_CONFIG_UNKNOWN_MIDDLEWARE: "middleware" } as const;
/** The code of core for an expression that nobody can compile. */
const NO_EXPRESSIONS = "MQB_CORE_NO_EXPRESSIONS";
const EXPRESSIONS = "@mqb/expression";
/** Places that one message lists. */
const MOST = 20;

type NotInstalled = keyof typeof WHAT;

export function isNotInstalled(problem: { readonly code: string }): boolean {
  return problem.code === NO_EXPRESSIONS || Object.hasOwn(WHAT, problem.code);
}

/** Says with the host's command how to install what a problem finds missing. `path` is its path in the route. */
export function withInstall(
  problem: DocumentProblem,
  config: unknown,
  path: Path,
  registry: Registry,
  install: Install | undefined,
): DocumentProblem & { readonly package?: string } {
  if (!isNotInstalled(problem)) return problem;
  const brings =
    problem.code === NO_EXPRESSIONS ? EXPRESSIONS : bringing(problem.code as NotInstalled, config, path, registry);
  if (brings === undefined) return problem;
  const packages = brings.split(" or ");
  const hint = install ? packages.map(install).join(", or ") : `install ${brings}`;
  return { ...problem, hint, package: brings };
}

/** One problem per package that is not installed, where it is needed first, with all places that need it. */
export function onePerPackage(
  problems: readonly (DocumentProblem & { readonly package?: string })[],
): DocumentProblem[] {
  const first = new Map<string, number>();
  const others = new Map<string, DocumentProblem[]>();
  const kept: DocumentProblem[] = [];
  for (const { package: brings, ...problem } of problems) {
    if (brings === undefined) kept.push(problem);
    else if (!first.has(brings)) {
      first.set(brings, kept.length);
      kept.push(problem);
    } else others.set(brings, [...(others.get(brings) ?? []), problem]);
  }
  for (const [brings, also] of others) {
    const at = first.get(brings)!;
    const places = also.slice(0, MOST).map(placeText);
    const more = also.length > MOST ? ` and ${also.length - MOST} more places` : "";
    const message = `${kept[at]!.message}; it is also needed at ${places.join(", ")}${more}`;
    kept[at] = { ...kept[at]!, message, also: also.map(({ path, at: where }) => ({ path, at: where })) };
  }
  return kept;
}

function bringing(code: NotInstalled, config: unknown, path: Path, registry: Registry): string | undefined {
  const name = nameAt(config, path);
  return name === undefined ? undefined : packageOf(WHAT[code], name, valueAt(config, path), registry);
}

/** `sqlx` comes with one package per database: the URL says which. */
function packageOf(
  what: (typeof WHAT)[NotInstalled],
  name: string,
  config: unknown,
  registry: Registry,
): string | undefined {
  const brings = registry.packageFor(what, name);
  if (brings === undefined || !brings.includes(" or ") || !isMap(config)) return brings;
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(String(config["url"]))?.[1];
  const exact = scheme === undefined ? undefined : registry.packageFor("scheme", scheme.toLowerCase());
  return exact !== undefined && brings.split(" or ").includes(exact) ? exact : brings;
}

function nameAt(config: unknown, path: Path): string | undefined {
  const last = path.at(-1);
  if (last === "config" && path.at(-2) === "custom") {
    const custom = valueAt(config, path.slice(0, -1));
    return isMap(custom) ? String(custom["name"]) : undefined;
  }
  if (typeof last === "string") return last;
  const entry = valueAt(config, path);
  return typeof entry === "string" ? entry : undefined;
}

function valueAt(config: unknown, path: Path): unknown {
  return path.reduce<unknown>((node, key) => {
    if (Array.isArray(node)) return node[Number(key)];
    return isMap(node) && Object.hasOwn(node, key) ? node[key] : undefined;
  }, config);
}

function placeText({ path, at }: DocumentProblem): string {
  const { source, line, column } = at;
  return `${source.name}${line > 0 ? `:${line}:${column}` : ""} ${formatPath(path)}`;
}
