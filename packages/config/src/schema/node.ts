import type { JsonSchema } from "@mqb/core/plugin";

export type Properties = Readonly<Record<string, JsonSchema>>;

export function ref(name: string): JsonSchema {
  return { $ref: `#/$defs/${name}` };
}

/** An object that has these members and no others. */
export function objectSchema(
  description: string,
  properties: Properties,
  required: readonly string[] = [],
): JsonSchema {
  return {
    description,
    type: "object",
    properties,
    additionalProperties: false,
    ...(required.length > 0 ? { required } : {}),
  };
}

/** The words around a schema, which belong to the whole of it when it becomes one of several. */
const ANNOTATIONS = ["title", "description", "default", "examples", "deprecated"];

export function annotationsOf(schema: JsonSchema): JsonSchema {
  return pickKeys(schema, (key) => isAnnotation(key));
}

export function withoutAnnotations(schema: JsonSchema): JsonSchema {
  return pickKeys(schema, (key) => !isAnnotation(key));
}

function isAnnotation(key: string): boolean {
  return ANNOTATIONS.includes(key) || key.startsWith("x-mqb-");
}

function pickKeys(schema: JsonSchema, wanted: (key: string) => boolean): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => wanted(key)));
}

/** Leaves only what has no text among its values to be taken for a variable. */
const TYPED = ["integer", "number", "boolean"];

/** A value that is no free text may be written as a variable. */
export function orVariable(schema: JsonSchema): JsonSchema {
  const types = typeof schema.type === "string" ? [schema.type] : ((schema.type ?? []) as readonly string[]);
  const listed = schema.enum ?? ("const" in schema ? [schema["const"]] : []);
  const isTyped = types.some((type) => TYPED.includes(type)) && !types.includes("string");
  const isChoice = listed.some((one) => typeof one === "string");
  const isPattern = types.includes("string") && ("pattern" in schema || "format" in schema);
  if (!isTyped && !isChoice && !isPattern) return schema;
  return { ...annotationsOf(schema), anyOf: [withoutAnnotations(schema), ref("variable")] };
}
