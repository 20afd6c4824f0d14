import type { ResolvedEndpoint, RoutePlan } from "@mqb/core";
import { formatPath } from "@mqb/core";
import { type ConfigSchema, type JsonSchema, jsonSchemaOf } from "@mqb/core/plugin";

/** A state store that a configuration names. */
export interface NamedStore {
  readonly path: string;
  readonly url: string;
}

/** Every endpoint of a route: its two ends, and those nested in them or in their middlewares. */
export function endpointsOf({ input, output }: RoutePlan): ResolvedEndpoint[] {
  const withChildren = (endpoint: ResolvedEndpoint): ResolvedEndpoint[] => [
    endpoint,
    ...endpoint.children.flatMap(withChildren),
  ];
  return [...withChildren(input), ...withChildren(output)];
}

/** Every state store that the endpoints and middlewares of a route name, once each. */
export function storesOf(plan: RoutePlan): NamedStore[] {
  const found: NamedStore[] = [];
  for (const endpoint of endpointsOf(plan)) {
    collect(endpoint.definition.schema, endpoint.config, formatPath(endpoint.configPath), found);
    for (const { definition, config, path } of endpoint.middlewares)
      collect(definition.schema, config, formatPath(path), found);
  }
  return found.filter((store, index) => found.findIndex((other) => other.url === store.url) === index);
}

function collect(schema: ConfigSchema, config: unknown, path: string, found: NamedStore[]): void {
  const root = jsonSchemaOf(schema);
  if (root) walk(root, config, path, found);
}

/** The fields that hold a store's URL are marked in the schema. */
function walk(schema: JsonSchema, value: unknown, path: string, found: NamedStore[]): void {
  if (schema["x-mqb-store"] === true && typeof value === "string") {
    found.push({ path, url: value });
    return;
  }
  for (const key of ["anyOf", "oneOf", "allOf"])
    for (const part of (schema[key] as readonly JsonSchema[] | undefined) ?? []) walk(part, value, path, found);
  if (typeof value !== "object" || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    const inner = schema.properties?.[key];
    if (inner) walk(inner, member, `${path}.${key}`, found);
  }
}
