import type { ConfigSchema, EndpointDefinition, MiddlewareDefinition, Side } from "@mqb/core/plugin";

/**
 * Turns the endpoints inside a configuration that came from a URI: where its definition says that an endpoint stands
 * and the configuration has a text, the text is a URI. Called for everything that has `children`.
 */
export function nestEndpoints(
  definition: { readonly schema: ConfigSchema } & Pick<EndpointDefinition | MiddlewareDefinition, "children">,
  config: unknown,
  side: Side,
  fromUri: (uri: string, side: Side) => unknown,
): unknown {
  if (!definition.children) return config;
  const checked = definition.schema["~standard"].validate(config);
  // A configuration that does not fit is reported by the check of the route, with its path.
  if (checked instanceof Promise || checked.issues) return config;
  let result = config;
  for (const child of definition.children(checked.value, side, { get: () => undefined, names: () => [] })) {
    if (typeof child.endpoint !== "string") continue;
    result = replaceAt(result, splitPath(child.path), fromUri(child.endpoint, child.side));
  }
  return result;
}

function splitPath(path: string): (string | number)[] {
  return [...path.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map((match) =>
    match[1] === undefined ? match[2]! : Number(match[1]),
  );
}

function replaceAt(node: unknown, [key, ...rest]: readonly (string | number)[], value: unknown): unknown {
  if (key === undefined) return value;
  if (Array.isArray(node)) return node.map((item, index) => (index === key ? replaceAt(item, rest, value) : item));
  const map = (node ?? {}) as Record<string, unknown>;
  return { ...map, [key]: replaceAt(map[key], rest, value) };
}
