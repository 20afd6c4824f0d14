import type { Side } from "../contract/context.ts";
import type { Registry } from "../plugin/registry.ts";
import { nearest, suggest } from "./nearest.ts";
import type { Path } from "./path.ts";
import type { Problems } from "./problem.ts";
import { isMap, typeName } from "./value-type.ts";

/** An endpoint or middleware as written, taken apart: its name, its configuration and where that stands. */
export interface Parsed {
  readonly name: string;
  readonly config: unknown;
  /** Path of the configuration, from the endpoint. */
  readonly path: Path;
}

export interface ParsedEndpoint {
  /** Absent when no type can be told. */
  readonly own: Parsed | undefined;
  /** In written order. */
  readonly middlewares: readonly Parsed[];
}

type Named = "endpoint" | "middleware";

/** The sink of a route that names none: everything is discarded. */
const DISCARD = "null";

/** Takes an endpoint apart. Reports what is wrong with its shape; undefined when it has none. */
export function parseEndpoint(raw: unknown, side: Side, known: Registry, place: Problems): ParsedEndpoint | undefined {
  if (raw === null || raw === undefined || raw === DISCARD) return { own: discard, middlewares: [] };
  if (!isMap(raw)) {
    const message = `an endpoint is a map with one endpoint key, not ${typeName(raw)}`;
    return place.error("MQB_CONFIG_TYPE", message, "e.g. { memory: { topic: a } }");
  }
  const own = parseOwn(raw, side, known, place);
  return { own, middlewares: parseMiddlewares(raw["middlewares"], place.at("middlewares")) };
}

const discard: Parsed = { name: DISCARD, config: {}, path: [] };

function parseOwn(raw: Record<string, unknown>, side: Side, registry: Registry, place: Problems): Parsed | undefined {
  const keys = Object.keys(raw).filter((key) => key !== "middlewares");
  const [name] = keys;
  if (keys.length > 1) {
    const message = `an endpoint has one type; here are ${quoted(keys)}`;
    return place.error("MQB_CONFIG_TWO_ENDPOINTS", message, misplaced(keys, registry));
  }
  if (name !== undefined) return parseEntry(name, raw[name], [], place);
  if (side === "output") return discard;
  return place.error("MQB_CONFIG_NO_ENDPOINT", "an input names an endpoint type", "e.g. { memory: { topic: a } }");
}

function parseMiddlewares(raw: unknown, problems: Problems): Parsed[] {
  const parsed: Parsed[] = [];
  for (const [position, entry] of listEntries(raw, problems)) {
    const at = ["middlewares", position];
    const keys = isMap(entry) ? Object.keys(entry) : [];
    if (typeof entry === "string") parsed.push({ name: entry, config: undefined, path: at });
    else if (keys.length === 1) {
      const name = keys[0]!;
      const one = parseEntry(name, (entry as Record<string, unknown>)[name], at, problems.at(position));
      if (one) parsed.push(one);
    } else {
      const none = `a middleware is a map with its name as the one key, not ${typeName(entry)}`;
      const several = `an entry of "middlewares" has one key; here are ${quoted(keys)}`;
      const [message, hint] = keys.length === 0 ? [none] : [several, "start each middleware with a `-` of its own"];
      problems.at(position).error("MQB_CONFIG_TYPE", message, hint);
    }
  }
  return parsed;
}

function listEntries(raw: unknown, problems: Problems): [string | number, unknown][] {
  if (Array.isArray(raw)) return raw.map((entry, i) => [i, entry]);
  const isEmpty = isMap(raw) && Object.keys(raw).length === 0;
  if (raw === undefined || raw === null || isEmpty) return [];
  problems.error("MQB_CONFIG_TYPE", `"middlewares" is a list`, "write each one as `- name: { … }`");
  return [];
}

/** `name: config`, or the same spelt `custom: { name, config }`. */
function parseEntry(key: string, value: unknown, path: Path, problems: Problems): Parsed | undefined {
  if (key !== "custom") return { name: key, config: value, path: [...path, key] };
  const place = problems.at(key);
  if (!isMap(value))
    return place.error("MQB_CONFIG_TYPE", `"custom" is a map of "name" and "config", not ${typeName(value)}`);
  const { name, config, ...others } = value;
  for (const other of Object.keys(others))
    place.at(other).error("MQB_CONFIG_UNKNOWN_FIELD", `"custom" has no field "${other}"`, "it has: name, config");
  if (config === undefined)
    place.at("config").error("MQB_CONFIG_MISSING", `"custom" needs the field "config"`, "write {} for an empty one");
  if (typeof name !== "string")
    return place.at("name").error("MQB_CONFIG_MISSING", `"custom" needs the field "name", a text`);
  return { name, config, path: [...path, key, "config"] };
}

function misplaced(keys: readonly string[], registry: Registry): string | undefined {
  const slip = keys.find((key) => nearest(key, ["middlewares"]));
  if (slip !== undefined) return `did you mean "middlewares" by "${slip}"?`;
  const [known, second] = keys.filter((key) => registry.endpoint(key));
  if (known === undefined || second !== undefined) return undefined;
  const inside = (key: string): string => `"${key}" is no endpoint; does it belong inside "${known}"?`;
  return keys.flatMap((key) => (key === known ? [] : inside(key))).join(" ");
}

/** Says that a name is unknown: with the package that brings it when that is known, else with the nearest names. */
export function reportUnknown(what: Named, name: string, registry: Registry, problems: Problems): undefined {
  const code = what === "endpoint" ? "MQB_CONFIG_UNKNOWN_ENDPOINT" : "MQB_CONFIG_UNKNOWN_MIDDLEWARE";
  const bring = registry.packageFor(what, name);
  if (bring) return problems.error(code, `the ${what} "${name}" is not installed`, `install ${bring}`);
  return problems.error(code, `unknown ${what} "${name}"`, suggest(name, registry.names(what)));
}

function quoted(keys: readonly string[]): string {
  return keys.map((key) => `"${key}"`).join(" and ");
}
