import { nearest, ROUTE_FIELDS } from "@mqb/core";
import { isMap } from "@mqb/core/plugin";
import type { Path } from "./place.ts";
import { APP_KEYS } from "./settings.ts";

/** What the name of an overriding variable stands for. */
export type OverridePath =
  | { readonly path: Path }
  /** Keys of one map that the name fits equally well. */
  | { readonly ambiguous: readonly string[] }
  | {
      readonly unknown: string;
      readonly what: "key" | "route" | "entry";
      /** Where it was looked for; empty = the top level. */
      readonly within: string;
      readonly known: readonly string[];
    };

const SEPARATOR = "__";
/** Names that an object has by itself; a configuration has no such key. */
const NO_KEYS = ["__proto__", "constructor", "prototype"];

/**
 * Finds the path that `ROUTES__ORDERS__INPUT__KAFKA__TOPIC` means in a document. What is written there is found whatever
 * its case and whether it has - or _; what is not written is taken in lower case. `all` are the names of all such
 * variables: a route may be made of them alone.
 */
export function findPath(document: unknown, name: string, all: readonly string[]): OverridePath {
  if (first(name) === "") return nothing(name, "key", "", APP_KEYS);
  const root = isMap(document) ? document : {};
  if (Object.keys(root).length === 1 && isMap(root["config"])) {
    const inner = findPath(root["config"], name, all);
    return "path" in inner ? { path: ["config", ...inner.path] } : inner;
  }
  const written = take(root, name);
  if (written && "ambiguous" in written) return written;
  if (written?.key === "env_vars" || written?.key === "envVars" || /^env_vars__/i.test(name)) {
    return nothing(name.toLowerCase(), "key", "", []);
  }
  if (written && written.key !== "routes") return descend(root[written.key], written.rest, [written.key]);
  const routes = isMap(root["routes"]) ? root["routes"] : {};
  if (written || /^routes(?:__|$)/i.test(name)) {
    const rest = name.slice("routes".length + SEPARATOR.length);
    return inRoutes(routes, rest, all);
  }
  const setting = APP_KEYS.find((key) => sameStart(key, name));
  if (setting !== undefined) return descend(undefined, name.slice(setting.length + SEPARATOR.length), [setting]);
  // The spelling of the library: the route's name comes first.
  const listed = take(routes, name);
  if (listed && "ambiguous" in listed) return listed;
  if (listed) return descend(routes[listed.key], listed.rest, ["routes", listed.key]);
  if (Object.hasOwn(root, "input") || Object.hasOwn(root, "output")) {
    const own = name.replace(/^route__/i, "");
    const again = take(root, own);
    if (again && !("ambiguous" in again)) return descend(root[again.key], again.rest, [again.key]);
    const field = [...ROUTE_FIELDS, "enabled"].find((key) => sameStart(key, own));
    if (field !== undefined) return descend(undefined, own.slice(field.length + SEPARATOR.length), [field]);
    return nothing(first(own), "key", "", [...Object.keys(root), ...ROUTE_FIELDS, ...APP_KEYS]);
  }
  return nothing(first(name), "key", "", [...Object.keys(root), ...Object.keys(routes), ...APP_KEYS]);
}

function inRoutes(routes: Readonly<Record<string, unknown>>, name: string, all: readonly string[]): OverridePath {
  const listed = take(routes, name);
  if (listed && "ambiguous" in listed) return listed;
  if (listed) return descend(routes[listed.key], listed.rest, ["routes", listed.key]);
  const route = first(name);
  const known = Object.keys(routes);
  const hasInput = all.some((one) => sameStart(`mqb__routes__${route}__input`, one));
  if (!hasInput || route === "" || NO_KEYS.includes(route) || nearest(route, known) !== undefined)
    return nothing(route, "route", '"routes"', known);
  return descend(undefined, name.slice(route.length + SEPARATOR.length), ["routes", route]);
}

/** The rest of the path below `value`. */
function descend(value: unknown, name: string, path: Path): OverridePath {
  if (name === "") return { path };
  if (Array.isArray(value)) return inList(value, name, path);
  if (isMap(value)) {
    const written = take(value, name);
    if (written && "ambiguous" in written) return written;
    if (written) return descend(value[written.key], written.rest, [...path, written.key]);
  }
  const part = first(name);
  const rest = name.slice(part.length + SEPARATOR.length);
  if (part === "" || NO_KEYS.includes(part)) return nothing(part, "key", path.join("."), []);
  // A list that is not written yet begins with 0.
  const isIndex = part === "0" && (value === undefined || value === null);
  return descend(undefined, rest, [...path, isIndex ? 0 : part]);
}

/** By number; what has a name or an id, also by that. */
function inList(list: readonly unknown[], name: string, path: Path): OverridePath {
  const part = first(name);
  if (/^\d{1,6}$/.test(part)) {
    const index = Number(part);
    if (index <= list.length) return descend(list[index], name.slice(part.length + SEPARATOR.length), [...path, index]);
    return nothing(part, "entry", `"${path.join(".")}" with ${list.length} entries`, []);
  }
  const names: Record<string, number> = Object.create(null);
  for (const [index, entry] of list.entries()) {
    if (!isMap(entry)) continue;
    for (const called of [entry["id"], entry["name"]])
      if (typeof called === "string" && called !== "") names[called] = index;
  }
  const written = take(names, name);
  if (written && "ambiguous" in written) return written;
  if (written) return descend(list[names[written.key]!], written.rest, [...path, names[written.key]!]);
  return nothing(part, "entry", `"${path.join(".")}"`, Object.keys(names));
}

/** The written key that a name begins with, and what of the name is left. The longest one, since a key may hold `__`. */
function take(
  map: Readonly<Record<string, unknown>>,
  name: string,
): { readonly key: string; readonly rest: string } | { readonly ambiguous: readonly string[] } | undefined {
  const fitting = Object.keys(map).filter((key) => key !== "" && sameStart(key, name));
  if (fitting.length === 0) return undefined;
  const length = Math.max(...fitting.map((key) => key.length));
  const longest = fitting.filter((key) => key.length === length);
  const exact = longest.filter((key) => name === key || name.startsWith(key + SEPARATOR));
  const [key, ...others] = exact.length === 1 ? exact : longest;
  return others.length > 0 ? { ambiguous: longest } : { key: key!, rest: name.slice(length + SEPARATOR.length) };
}

/** Whether a name is a key, or goes on after it; one character of the one is one of the other. */
function sameStart(key: string, name: string): boolean {
  const start = normal(name.slice(0, key.length));
  const after = name.slice(key.length);
  return start === normal(key) && (after === "" || after.startsWith(SEPARATOR));
}

function normal(text: string): string {
  return text.toUpperCase().replace(/[^A-Z0-9]/g, "_");
}

function first(name: string): string {
  return name.split(SEPARATOR)[0]!.toLowerCase();
}

function nothing(
  unknown: string,
  what: "key" | "route" | "entry",
  within: string,
  known: readonly string[],
): OverridePath {
  return { unknown, what, within, known: [...new Set(known)] };
}
