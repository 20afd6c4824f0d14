import type { Side } from "../contract/context.ts";
import type { Registry } from "../plugin/registry.ts";
import type { Problem } from "./problem.ts";
import { suggest } from "./problem.ts";

/** One entry of a `middlewares` list, taken apart. */
export interface ParsedMiddleware {
  readonly name: string;
  readonly config: unknown;
  /** Path of its configuration, from the endpoint. */
  readonly path: readonly (string | number)[];
}

/** An endpoint as written, taken apart: its type key, that key's value, its middlewares in written order. */
export interface ParsedEndpoint {
  readonly type: string;
  readonly config: unknown;
  /** Path of its configuration, from the endpoint. */
  readonly path: readonly (string | number)[];
  readonly middlewares: readonly ParsedMiddleware[];
}

/** The sink of a route that names none: everything is discarded. */
export const DISCARD = "null";

/** Takes an endpoint apart. Reports what is wrong with its shape; undefined when no type can be told. */
export function parseEndpoint(
  raw: unknown,
  side: Side,
  registry: Registry,
  problems: Problem[],
): ParsedEndpoint | undefined {
  const problem = (path: (string | number)[], code: string, message: string, hint?: string): undefined => {
    problems.push({ level: "error", code, path, message, ...(hint === undefined ? {} : { hint }) });
  };
  if (raw === null || raw === undefined || raw === DISCARD)
    return { type: DISCARD, config: {}, path: [], middlewares: [] };
  if (typeof raw === "string")
    return problem(
      [],
      "MQB_CONFIG_TYPE",
      `"${raw}" is not an endpoint`,
      "write a map with one endpoint key, e.g. { memory: { topic: a } }",
    );
  if (!isRecord(raw))
    return problem([], "MQB_CONFIG_TYPE", `an endpoint is a map with one endpoint key, not ${typeName(raw)}`);

  const middlewares = parseMiddlewares(raw["middlewares"], problem);
  const keys = Object.keys(raw).filter((key) => key !== "middlewares");
  const [type, second] = keys;
  if (second !== undefined) {
    return problem(
      [],
      "MQB_CONFIG_TWO_ENDPOINTS",
      `an endpoint has one type; here are ${keys.map((key) => `"${key}"`).join(" and ")}`,
      misplaced(keys, registry),
    );
  }
  if (type === undefined) {
    if (side === "output") return { type: DISCARD, config: {}, path: [], middlewares };
    return problem(
      [],
      "MQB_CONFIG_NO_ENDPOINT",
      "an input names an endpoint type",
      `known: ${registry.names("endpoint").join(", ")}`,
    );
  }
  if (type === "custom" && !registry.endpoint("custom")) {
    const custom = raw["custom"];
    if (!isRecord(custom) || typeof custom["name"] !== "string") {
      return problem(["custom"], "MQB_CONFIG_TYPE", `"custom" takes { name, config }`);
    }
    return { type: custom["name"], config: custom["config"] ?? {}, path: ["custom", "config"], middlewares };
  }
  return { type, config: raw[type], path: [type], middlewares };
}

function parseMiddlewares(
  raw: unknown,
  problem: (path: (string | number)[], code: string, message: string, hint?: string) => undefined,
): ParsedMiddleware[] {
  if (raw === undefined || raw === null) return [];
  let entries: [string | number, unknown][];
  if (Array.isArray(raw)) entries = raw.map((entry, i) => [i, entry]);
  else if (isRecord(raw) && Object.keys(raw).every((key) => /^\d+$/.test(key))) {
    // Environment overrides address a list by number and so make a map of numbers.
    entries = Object.entries(raw).sort(([a], [b]) => Number(a) - Number(b));
  } else {
    problem(["middlewares"], "MQB_CONFIG_TYPE", `"middlewares" is a list`, "write each one as `- name: { … }`");
    return [];
  }
  const parsed: ParsedMiddleware[] = [];
  for (const [position, entry] of entries) {
    const at = ["middlewares", position];
    if (typeof entry === "string") {
      parsed.push({ name: entry, config: {}, path: at });
      continue;
    }
    const keys = isRecord(entry) ? Object.keys(entry) : [];
    if (keys.length !== 1) {
      problem(
        at,
        "MQB_CONFIG_TYPE",
        keys.length === 0
          ? `a middleware is a map with its name as the one key, not ${typeName(entry)}`
          : `an entry of "middlewares" has one key; here are ${keys.map((key) => `"${key}"`).join(" and ")}`,
        keys.length > 1 ? "start each middleware with a `-` of its own" : undefined,
      );
      continue;
    }
    const name = keys[0]!;
    const config = (entry as Record<string, unknown>)[name];
    if (name === "custom") {
      if (!isRecord(config) || typeof config["name"] !== "string")
        problem([...at, "custom"], "MQB_CONFIG_TYPE", `"custom" takes { name, config }`);
      else parsed.push({ name: config["name"], config: config["config"] ?? {}, path: [...at, "custom", "config"] });
    } else parsed.push({ name, config: config ?? {}, path: [...at, name] });
  }
  return parsed;
}

function misplaced(keys: readonly string[], registry: Registry): string | undefined {
  const known = keys.filter((key) => registry.endpoint(key));
  const foreign = keys.filter((key) => !registry.endpoint(key));
  if (known.length !== 1) return undefined;
  return foreign.map((key) => `"${key}" is no endpoint; does it belong inside "${known[0]}"?`).join(" ");
}

/** "unknown …" with the nearest names and, when it is known, the package that brings it. */
export function unknownName(
  what: "endpoint" | "middleware",
  name: string,
  registry: Registry,
): { message: string; hint: string } {
  const bring = registry.packageFor(what, name);
  if (bring) return { message: `the ${what} "${name}" is not installed`, hint: `install ${bring}` };
  return { message: `unknown ${what} "${name}"`, hint: suggest(name, registry.names(what)) };
}

export function typeName(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "a map" : `a ${typeof value}`;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
