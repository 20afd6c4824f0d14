import type { Registry } from "@mqb/core";
import {
  type ChildEndpoint,
  type ConfigSchema,
  type EndpointDefinition,
  isMap,
  isMqbError,
  type MiddlewareDefinition,
  type Side,
} from "@mqb/core/plugin";

type Parent = { readonly schema: ConfigSchema } & Pick<EndpointDefinition | MiddlewareDefinition, "children">;
type Config = Record<string, unknown>;

/**
 * Changes the endpoints inside a configuration: wherever its definition says that an endpoint stands, `change` gives what
 * is to stand there. A configuration that does not fit comes back as it is: the check of the route says why.
 */
export function mapChildren(
  definition: Parent,
  config: unknown,
  side: Side,
  change: (endpoint: unknown, side: Side) => unknown,
): unknown {
  const valid = validated(definition, config);
  if (!valid) return config;
  let result = config;
  for (const child of childrenOf(definition, valid.value, side)) {
    const changed = change(child.endpoint, child.side);
    if (changed !== child.endpoint) result = replaceAt(result, stepsTo(child.path, result), changed);
  }
  return result;
}

/**
 * Turns the URIs inside a configuration that came from a URI into endpoints, at any depth: in what a scheme has made, and
 * in JSON literals. `null` as a text stands for the sink that discards.
 */
export function nestEndpoints(
  definition: Parent,
  config: unknown,
  side: Side,
  registry: Registry,
  fromUri: (uri: string, side: Side) => unknown,
): unknown {
  return mapChildren(definition, config, side, (endpoint, childSide) => {
    if (typeof endpoint === "string") return endpoint === "null" ? null : fromUri(endpoint, childSide);
    return isMap(endpoint) ? nestInside(endpoint, childSide, registry, fromUri) : endpoint;
  });
}

/** An endpoint that is written out may have URIs further inside. */
function nestInside(
  endpoint: Config,
  side: Side,
  registry: Registry,
  fromUri: (uri: string, side: Side) => unknown,
): Config {
  const inside = (found: Parent | undefined, config: unknown): unknown =>
    found ? nestEndpoints(found, config, side, registry, fromUri) : config;
  const result: Config = {};
  for (const [key, value] of Object.entries(endpoint)) {
    result[key] =
      key === "middlewares" && Array.isArray(value)
        ? value.map((entry: unknown) =>
            isMap(entry)
              ? mapMembers(entry, (name, config) => inside(registry.middleware(name)?.definition, config))
              : entry,
          )
        : inside(registry.endpoint(key)?.definition, value);
  }
  return result;
}

function mapMembers(map: Config, change: (name: string, value: unknown) => unknown): Config {
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, change(name, value)]));
}

function validated(definition: Parent, config: unknown): { readonly value: unknown } | undefined {
  if (!definition.children) return undefined;
  const checked = definition.schema["~standard"].validate(config ?? {});
  return checked instanceof Promise || checked.issues ? undefined : checked;
}

/** What is registered under a name is no part of the configuration. */
function childrenOf(definition: Parent, config: unknown, side: Side): readonly ChildEndpoint[] {
  try {
    return definition.children!(config, side, { get: () => undefined, names: () => [] });
  } catch (error) {
    if (!isMqbError(error)) throw error;
    return [];
  }
}

/** The steps of a child's path in its owner's configuration. A key in a written one may hold dots: `cases.order.new`. */
function stepsTo(path: ChildEndpoint["path"], node: unknown): readonly (string | number)[] {
  if (typeof path !== "string") return path;
  if (path === "") return [];
  const index = /^\[(\d+)\]\.?/.exec(path);
  if (index) {
    const at = Number(index[1]);
    return [at, ...stepsTo(path.slice(index[0].length), Array.isArray(node) ? (node[at] as unknown) : undefined)];
  }
  const keys = isMap(node) ? Object.keys(node).filter((key) => startsWithKey(path, key)) : [];
  const key = keys.sort((a, b) => b.length - a.length)[0] ?? /^[^.[]*/.exec(path)![0];
  const rest = path.slice(key.length).replace(/^\./, "");
  // What is neither a key nor the start of one has nothing inside.
  if (rest === path) return [path];
  return [key, ...stepsTo(rest, isMap(node) ? node[key] : undefined)];
}

function startsWithKey(path: string, key: string): boolean {
  return key !== "" && path.startsWith(key) && /^(?:$|[.[])/.test(path.slice(key.length));
}

function replaceAt(node: unknown, [key, ...rest]: readonly (string | number)[], value: unknown): unknown {
  if (key === undefined) return value;
  if (Array.isArray(node)) return node.map((item, index) => (index === key ? replaceAt(item, rest, value) : item));
  const map = isMap(node) ? node : {};
  return { ...map, [key]: replaceAt(map[key], rest, value) };
}
