import { formatPath, nearest, type Problem, suggest } from "@mqb/core";
import { isMap } from "@mqb/core/plugin";
import { nearestPlace, type Path, type Place } from "./place.ts";
import { APP_KEYS } from "./settings.ts";

/** A route as written. */
export interface WrittenRoute {
  readonly name: string;
  /** Where it stands in the document: `["routes", "orders"]`, or empty for a bare route. */
  readonly path: Path;
  readonly enabled: boolean;
  /** The route without the keys that belong to the application. */
  readonly config: unknown;
  /** Where in the document its sides stand, when they are not members of the route, as those of a consumer. */
  readonly sides?: Readonly<Partial<Record<"input" | "output", Path>>>;
}

const BARE_ROUTE = "route";

/** The path in the document of a path in the route. */
export function documentPath(route: WrittenRoute, path: Path): Path {
  const [side, ...rest] = path;
  const moved = side === "input" || side === "output" ? route.sides?.[side] : undefined;
  return moved ? [...moved, ...rest] : [...route.path, ...path];
}

export function readRoutes(
  root: Record<string, unknown>,
  at: Path,
  problems: Problem[],
  place: Place | undefined,
): WrittenRoute[] {
  const routes: WrittenRoute[] = [];
  const add = (name: string, path: Path, value: unknown): void => {
    const other = routes.find((route) => route.name === name);
    if (other) {
      const message = `there are two routes called "${name}", the first at ${formatPath(other.path) || "the top level"}`;
      problems.push(error("MQB_CONFIG_DUPLICATE_ROUTE", path, message, "rename one of them"));
    } else routes.push(readRoute(name, path, value, problems, place));
  };

  const listed = root["routes"];
  if (isMap(listed)) for (const [name, value] of Object.entries(listed)) add(name, [...at, "routes", name], value);
  else if (listed !== undefined && listed !== null) {
    const hint = "write each as `name: { input: …, output: … }`";
    problems.push(error("MQB_CONFIG_TYPE", [...at, "routes"], `"routes" is a map of routes by name`, hint));
  }
  const others = Object.entries(root).filter(([key]) => !APP_KEYS.includes(key));
  if (isRoute(root)) {
    add(BARE_ROUTE, at, Object.fromEntries(others));
    return routes;
  }
  for (const [key, value] of others) {
    if (isMap(value) && isRoute(value)) add(key, [...at, key], value);
  }
  return routes;
}

/** Says which keys of the top level nobody knows. One that is why there are no routes, or fewer, is an error. */
export function reportUnknownKeys(
  root: Record<string, unknown>,
  at: Path,
  problems: Problem[],
  routes: readonly WrittenRoute[],
): void {
  if (isRoute(root)) return;
  const known = [...APP_KEYS, "input", "output"];
  for (const [key, value] of Object.entries(root)) {
    // What begins with x- is there for anchors.
    if (APP_KEYS.includes(key) || key.startsWith("x-") || (isMap(value) && isRoute(value))) continue;
    const isSlip = routes.length === 0 ? nearest(key, known) !== undefined : isMisspelt(key, value);
    problems.push({
      level: isSlip ? "error" : "warning",
      code: "MQB_CONFIG_UNKNOWN_KEY",
      path: [...at, key],
      message: `unknown top-level key "${key}": it is neither a setting nor a route`,
      hint: suggest(key, known),
    });
  }
}

/** Routes, under a name that is nearly the one for them. */
function isMisspelt(key: string, value: unknown): boolean {
  if (typeof value !== "object" || value === null || nearest(key, ["routes", "consumers"]) === undefined) return false;
  return Object.values(value).some((one) => isMap(one) && (isRoute(one) || Object.hasOwn(one, "endpoint")));
}

function readRoute(
  name: string,
  path: Path,
  value: unknown,
  problems: Problem[],
  place: Place | undefined,
): WrittenRoute {
  if (!isMap(value)) return { name, path, enabled: true, config: value };
  const { enabled, ...config } = value;
  return { name, path, enabled: readEnabled(enabled, [...path, "enabled"], problems, place), config };
}

/** A route is enabled unless it says otherwise. */
export function readEnabled(value: unknown, path: Path, problems: Problem[], place?: Place): boolean {
  if (value === undefined || value === null || typeof value === "boolean") return value !== false;
  const isFilled = place !== undefined && nearestPlace(place, path).place.filled !== undefined;
  if (isFilled && (value === "true" || value === "false" || value === "")) return value !== "false";
  problems.push(error("MQB_CONFIG_TYPE", path, `"enabled" is true or false`));
  return true;
}

function isRoute(value: Record<string, unknown>): boolean {
  return Object.hasOwn(value, "input") || Object.hasOwn(value, "output");
}

function error(code: string, path: Path, message: string, hint?: string): Problem {
  return { level: "error", code, path, message, ...(hint === undefined ? {} : { hint }) };
}
