import type { JsonSchema } from "@mqb/core/plugin";

/** One thing that may be written in a configuration, as its schema says. */
export interface Field {
  /** From the configuration's top: `csv.header`, `rules[].when`. */
  readonly path: string;
  readonly type: string;
  readonly required: boolean;
  readonly default?: unknown;
  readonly description: string;
  readonly secret: boolean;
  readonly deprecated: boolean;
  readonly aliases: readonly string[];
  readonly examples: readonly unknown[];
}

/** Every field of a configuration, those of nested maps and lists after their owner. */
export function fieldsOf(schema: JsonSchema): Field[] {
  const fields: Field[] = [];
  collect(schema, "", schema, [], fields);
  // Alternatives may share a field.
  return fields.filter((field, index) => fields.findIndex((other) => other.path === field.path) === index);
}

function collect(
  node: JsonSchema,
  path: string,
  root: JsonSchema,
  above: readonly JsonSchema[],
  fields: Field[],
): void {
  const schema = resolved(node, root);
  // A schema may contain itself.
  if (above.includes(schema)) return;
  const inside = [...above, schema];
  for (const part of parts(schema)) collect(part, path, root, inside, fields);
  if (schema.items) collect(schema.items, `${path}[]`, root, inside, fields);
  const additional = schema["additionalProperties"];
  if (isSchema(additional)) collect(additional, joined(path, "*"), root, inside, fields);
  for (const [name, value] of Object.entries(schema.properties ?? {})) {
    const where = joined(path, name);
    fields.push(field(where, { ...resolved(value, root), ...value }, root, requires(schema, name)));
    collect(value, where, root, inside, fields);
  }
}

function field(path: string, schema: JsonSchema, root: JsonSchema, required: boolean): Field {
  const hasDefault = schema.default !== undefined;
  return {
    path,
    type: typeOf(schema, root),
    required: required && !hasDefault,
    ...(hasDefault ? { default: schema.default } : {}),
    description: schema.description ?? "",
    secret: schema["secret"] === true,
    deprecated: schema["deprecated"] === true,
    aliases: listOf(schema["aliases"]).map(String),
    examples: listOf(schema["examples"]),
  };
}

/** In words: `text`, `"a" or "b"`, `integer, 1 to 9`, `list of text`. */
export function typeOf(node: JsonSchema, root: JsonSchema, depth = 0): string {
  const schema = resolved(node, root);
  if (depth > 8) return "any";
  if (schema["const"] !== undefined) return JSON.stringify(schema["const"]);
  if (schema.enum) return schema.enum.map((one) => JSON.stringify(one)).join(" or ");
  const options = parts(schema);
  const types =
    options.length > 0
      ? options.map((part) => typeOf(part, root, depth + 1))
      : [schema.type ?? "any"].flat().map((type) => typeName(type, schema, root, depth));
  const said = [...new Set(types)].filter((type, _, all) => type !== "null" || all.length === 1);
  return said.join(" or ");
}

function typeName(type: string, schema: JsonSchema, root: JsonSchema, depth: number): string {
  const additional = schema["additionalProperties"];
  if (type === "array") return schema.items ? `list of ${typeOf(schema.items, root, depth + 1)}` : "list";
  if (type === "object") return isSchema(additional) ? `map of ${typeOf(additional, root, depth + 1)}` : "map";
  if (type === "string") return "text";
  if (type === "integer" || type === "number") return `${type}${range(schema)}`;
  return type === "boolean" ? "true or false" : type;
}

function range(schema: JsonSchema): string {
  const least = schema["minimum"] ?? schema["exclusiveMinimum"];
  const most = schema["maximum"] ?? schema["exclusiveMaximum"];
  const from = typeof least === "number" && least > Number.MIN_SAFE_INTEGER ? least : undefined;
  const to = typeof most === "number" && most < Number.MAX_SAFE_INTEGER ? most : undefined;
  if (from !== undefined && to !== undefined) return `, ${from} to ${to}`;
  if (from !== undefined) return `, ${schema["minimum"] === undefined ? "above" : "at least"} ${from}`;
  return to === undefined ? "" : `, at most ${to}`;
}

function parts(schema: JsonSchema): readonly JsonSchema[] {
  return ["anyOf", "oneOf", "allOf"].flatMap((key) => listOf(schema[key]).filter(isSchema));
}

function resolved(schema: JsonSchema, root: JsonSchema): JsonSchema {
  let node = schema;
  for (let depth = 0; typeof node["$ref"] === "string" && depth < 16; depth++) {
    let target: unknown = root;
    for (const part of node["$ref"].replace(/^#\/?/, "").split("/").filter(Boolean))
      target = (target as Record<string, unknown> | undefined)?.[part.replaceAll("~1", "/").replaceAll("~0", "~")];
    node = isSchema(target) ? target : {};
  }
  return node;
}

function requires(schema: JsonSchema, name: string): boolean {
  return listOf(schema["required"]).includes(name);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function joined(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}
