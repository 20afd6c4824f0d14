import type { JsonSchema } from "@mqb/core/plugin";

/** The schemas that a value may follow: those of `anyOf` and `oneOf`, through references; `allOf` counts as one. */
export function alternatives(schema: JsonSchema, root: JsonSchema, depth = 0): JsonSchema[] {
  if (depth > 16) return [];
  const reference = schema["$ref"];
  if (typeof reference === "string") return alternatives(resolveReference(reference, root), root, depth + 1);
  const options = schema.anyOf ?? (schema["oneOf"] as readonly JsonSchema[] | undefined);
  if (options) return options.flatMap((option) => alternatives(option, root, depth + 1));
  const all = schema["allOf"] as readonly JsonSchema[] | undefined;
  if (!all) return [schema];
  const parts = [schema, ...all.flatMap((part) => alternatives(part, root, depth + 1))];
  const properties = Object.assign({}, ...parts.map((part) => part.properties ?? {})) as Record<string, JsonSchema>;
  const type = parts.find((part) => part.type !== undefined)?.type;
  return [{ properties, ...(type === undefined ? {} : { type }) }];
}

function resolveReference(reference: string, root: JsonSchema): JsonSchema {
  let node: unknown = root;
  for (const part of reference.replace(/^#\/?/, "").split("/").filter(Boolean)) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    node = typeof node === "object" && node !== null ? (node as Record<string, unknown>)[key] : undefined;
  }
  return (node as JsonSchema | undefined) ?? {};
}

/** Whether a schema itself says that its values are secret. */
export function isMarked(schema: JsonSchema): boolean {
  return schema["secret"] === true || schema["x-mqb-secret"] === true;
}

/** The JSON types of a schema that is no choice of others; none = anything. */
export function typesOf(schema: JsonSchema): readonly string[] {
  if (typeof schema.type === "string") return [schema.type];
  if (Array.isArray(schema.type)) return schema.type as string[];
  if (schema.properties) return ["object"];
  const listed = schema.enum ?? ("const" in schema ? [schema["const"]] : []);
  return [...new Set(listed.map((one) => (one === null ? "null" : typeof one)))];
}
