import { type ConfigSchema, type JsonSchema, jsonSchemaOf } from "@mqb/core/plugin";

/**
 * The secret texts of a configuration: what its schema marks as `secret`, and passwords in URLs. They must not show in
 * any status, error or log.
 */
export function secretsOf(schema: ConfigSchema, config: unknown): string[] {
  const root = jsonSchemaOf(schema) ?? {};
  const found = new Set<string>();
  walk(config, root, root, found);
  return [...found];
}

function walk(value: unknown, schema: JsonSchema, root: JsonSchema, found: Set<string>): void {
  const node = resolve(schema, root);
  if (typeof value === "string") {
    if (node["secret"] === true || node["x-mqb-secret"] === true) found.add(value);
    const password = URL.canParse(value) ? new URL(value).password : "";
    if (password) found.add(decodeURIComponent(password));
  } else if (Array.isArray(value)) {
    for (const item of value) walk(item, node.items ?? {}, root, found);
  } else if (isPlainObject(value)) {
    for (const [key, member] of Object.entries(value)) walk(member, node.properties?.[key] ?? {}, root, found);
  }
  for (const branch of ["anyOf", "oneOf", "allOf"] as const) {
    for (const one of (node[branch] ?? []) as readonly JsonSchema[]) walk(value, one, root, found);
  }
}

function resolve(schema: JsonSchema, root: JsonSchema): JsonSchema {
  const ref = schema["$ref"];
  if (typeof ref !== "string" || !ref.startsWith("#/")) return schema;
  let node: unknown = root;
  for (const part of ref.slice(2).split("/")) node = Object(node)[part.replaceAll("~1", "/").replaceAll("~0", "~")];
  return (node ?? {}) as JsonSchema;
}

function isPlainObject(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
