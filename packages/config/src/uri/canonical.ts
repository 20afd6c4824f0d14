import type { Registry } from "@mqb/core";
import { type ConfigSchema, isMap, type Side } from "@mqb/core/plugin";
import { mapChildren } from "./nested.ts";

type Map = Record<string, unknown>;

const DISCARD = "null";

/** An endpoint taken apart as far as its notation goes. */
export interface WrittenEndpoint {
  readonly type: string;
  readonly config: unknown;
  readonly middlewares: readonly { readonly name: string; readonly config: unknown }[];
}

/** Type, configuration and middlewares of an endpoint as written; undefined when it has not the form of one. */
export function takeApart(endpoint: unknown, side: Side): WrittenEndpoint | undefined {
  if (endpoint === null || endpoint === undefined || endpoint === DISCARD) return discard([]);
  if (!isMap(endpoint)) return undefined;
  const middlewares = readMiddlewares(endpoint["middlewares"]);
  const [key, second] = Object.keys(endpoint).filter((one) => one !== "middlewares");
  if (!middlewares || second !== undefined) return undefined;
  if (key === undefined) return side === "output" ? discard(middlewares) : undefined;
  const entry = readEntry(key, endpoint[key]);
  return entry && { type: entry.name, config: entry.config, middlewares };
}

/**
 * An endpoint in the one form that all its notations share: canonical names, defaults filled in, members that are null
 * left out. Two endpoints with equal forms do the same.
 */
export function canonicalEndpoint(endpoint: unknown, side: Side, registry: Registry, depth = 0): unknown {
  const parts = depth > 32 ? undefined : takeApart(endpoint, side);
  if (!parts) return endpoint;
  const whole = (
    found: { readonly name: string; readonly definition: Parent } | undefined,
    config: unknown,
  ): unknown => {
    if (!found) return config;
    const changed = mapChildren(found.definition, config ?? {}, side, (child, childSide) =>
      canonicalEndpoint(child, childSide, registry, depth + 1),
    );
    return withoutNulls(checked(found.definition.schema, changed));
  };
  const type = registry.endpoint(parts.type);
  // Where an endpoint may be left out, nothing and the sink that discards are the same.
  if (parts.type === DISCARD && parts.middlewares.length === 0) return null;
  return {
    [type?.name ?? parts.type]: whole(type, parts.config),
    middlewares: parts.middlewares.map(({ name, config }) => {
      const found = registry.middleware(name);
      return { [found?.name ?? name]: whole(found, config) };
    }),
  };
}

type Parent = Parameters<typeof mapChildren>[0];

/** Members that are null, or not there, are the same to every schema of an optional field. */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isMap(value) || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, withoutNulls(member)]));
}

function checked(schema: ConfigSchema, config: unknown): unknown {
  const result = schema["~standard"].validate(config);
  return result instanceof Promise || result.issues ? config : result.value;
}

function discard(middlewares: WrittenEndpoint["middlewares"]): WrittenEndpoint {
  return { type: DISCARD, config: {}, middlewares };
}

function readMiddlewares(list: unknown): WrittenEndpoint["middlewares"] | undefined {
  if (list === undefined || list === null) return [];
  if (!Array.isArray(list)) return undefined;
  const entries = list.map((entry: unknown) => {
    if (typeof entry === "string") return { name: entry, config: {} };
    const [name, second] = isMap(entry) ? Object.keys(entry) : [];
    return name === undefined || second !== undefined ? undefined : readEntry(name, (entry as Map)[name]);
  });
  return entries.every((entry) => entry !== undefined) ? entries : undefined;
}

/** `name: config`, or the same spelt `custom: { name, config }`. */
function readEntry(key: string, value: unknown): { readonly name: string; readonly config: unknown } | undefined {
  if (key !== "custom") return { name: key, config: value ?? {} };
  if (!isMap(value) || typeof value["name"] !== "string") return undefined;
  return { name: value["name"], config: value["config"] ?? {} };
}
