import { type ConfigSchema, type JsonSchema, jsonSchemaOf } from "@mqb/core/plugin";
import { alternatives } from "../json-schema.ts";

/** What a field of a configuration takes, as far as a URI parameter is concerned. */
export interface UriField {
  /** JSON types; empty = anything. */
  readonly types: ReadonlySet<string>;
  /** The texts it takes when it takes only certain ones. */
  readonly choices: readonly string[];
}

/** What a whole configuration takes: named fields, or (also) a plain text. */
export interface UriShape {
  readonly fields: ReadonlyMap<string, UriField>;
  readonly text: boolean;
}

/** Reads the shape from the JSON Schema that a definition's schema gives. */
export function shapeOf(schema: ConfigSchema): UriShape {
  const root = jsonSchemaOf(schema) ?? {};
  const fields = new Map<string, UriField>();
  let text = false;
  for (const option of alternatives(root, root)) {
    if (typesOf(option).has("string")) text = true;
    for (const [name, field] of Object.entries(option.properties ?? {})) {
      if (!fields.has(name)) fields.set(name, fieldOf(field, root));
    }
  }
  return { fields, text };
}

/**
 * Turns a parameter's text into a value of the field. Texts stay as they are where the field takes texts. A value that
 * does not fit is passed on as text, so that the check of the configuration says what the field takes. `json` = the
 * field takes only a JSON literal, and this is none.
 */
export function convertParam(value: string, field: UriField): { readonly value: unknown } | { readonly json: string } {
  const takes = (type: string): boolean => field.types.has(type);
  const structured = takes("object") || takes("array") || field.types.size === 0;
  const literal = structured && /^\s*[{[]/.test(value) ? parseJson(value) : undefined;
  if (literal !== undefined && (field.types.size === 0 || takes(Array.isArray(literal) ? "array" : "object"))) {
    return { value: literal };
  }
  if (field.types.size === 0) return { value };
  if (takes("string") && (field.choices.length === 0 || field.choices.includes(value))) return { value };
  if (takes("boolean") && (value === "true" || value === "false")) return { value: value === "true" };
  if (takes("integer") && /^[-+]?\d+$/.test(value)) return { value: Number(value) };
  if (takes("number") && value.trim() !== "" && Number.isFinite(Number(value))) return { value: Number(value) };
  if (takes("null") && value === "null") return { value: null };
  const scalar = ["string", "boolean", "integer", "number"].some(takes);
  if (structured && !scalar) return { json: takes("object") ? "an object" : "a list" };
  return { value };
}

function fieldOf(schema: JsonSchema, root: JsonSchema): UriField {
  const types = new Set<string>();
  const choices: string[] = [];
  let free = false;
  for (const option of alternatives(schema, root)) {
    const own = typesOf(option);
    if (own.size === 0) return { types: new Set(), choices: [] };
    for (const type of own) types.add(type);
    const listed = option.enum ?? ("const" in option ? [option["const"]] : undefined);
    if (listed) choices.push(...listed.filter((one): one is string => typeof one === "string"));
    else if (own.has("string")) free = true;
  }
  return { types, choices: free ? [] : choices };
}

function typesOf(schema: JsonSchema): Set<string> {
  if (typeof schema.type === "string") return new Set([schema.type]);
  if (Array.isArray(schema.type)) return new Set(schema.type as string[]);
  if (schema.properties) return new Set(["object"]);
  const listed = schema.enum ?? ("const" in schema ? [schema["const"]] : []);
  return new Set(listed.map((one) => (one === null ? "null" : typeof one)));
}

function parseJson(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
