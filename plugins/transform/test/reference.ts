/** Mapping and schema as one would write them on parsed values: slow, and with JavaScript's numbers. */

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type Schema = {
  readonly type?: string;
  readonly nullable?: boolean;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly default?: Json;
  readonly enum?: readonly Json[];
};

export class Misfit extends Error {}

export function mapByReference(mapping: Readonly<Record<string, string>>, document: Json): Json {
  const result: { [key: string]: Json } = {};
  for (const [key, path] of Object.entries(mapping)) {
    const found = path
      .replace("$.", "")
      .split(/[.[\]]+/)
      .filter(Boolean)
      .reduce<Json | undefined>(step, document);
    if (found === undefined) continue;
    const parts = key.split(".");
    let place = result;
    for (const part of parts.slice(0, -1)) place = (place[part] ??= {}) as { [key: string]: Json };
    place[parts.at(-1)!] = found;
  }
  return result;
}

function step(value: Json | undefined, part: string): Json | undefined {
  if (Array.isArray(value)) return /^\d+$/.test(part) ? value[Number(part)] : undefined;
  return isObject(value) && Object.hasOwn(value, part) ? value[part] : undefined;
}

export function fitByReference(schema: Schema, value: Json): Json {
  const fitted = shaped(schema, value);
  if (fitted === null && schema.nullable) return null;
  if (schema.enum && !schema.enum.includes(fitted)) throw new Misfit("enum");
  return fitted;
}

function shaped(schema: Schema, value: Json): Json {
  const { type } = schema;
  if (value === null) {
    if (schema.nullable) return null;
    if (schema.default !== undefined) return schema.default;
    if (type === undefined) return null;
    throw new Misfit("null");
  }
  const fitted = type === undefined || hasType(type, value) ? value : converted(type, value);
  if (Array.isArray(fitted) && schema.items) return fitted.map((item) => fitByReference(schema.items!, item));
  if (!isObject(fitted)) return fitted;
  const result: { [key: string]: Json } = { ...fitted };
  for (const [key, inside] of Object.entries(schema.properties ?? {})) {
    if (Object.hasOwn(result, key)) result[key] = fitByReference(inside, result[key]!);
    else if (inside.default !== undefined) result[key] = inside.default;
  }
  for (const key of schema.required ?? []) if (!Object.hasOwn(result, key)) throw new Misfit("missing");
  return result;
}

function hasType(type: string, value: Json): boolean {
  if (type === "integer") return Number.isInteger(value);
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isObject(value);
  return typeof value === type;
}

function converted(type: string, value: Json): Json {
  if (type === "string" && typeof value === "number") return Number.isInteger(value) ? String(value) : `${value}`;
  if (typeof value !== "string") throw new Misfit("type");
  const text = value.trim();
  if (type === "integer" && /^[+-]?\d+$/.test(text)) return Number(text);
  if (type === "number" && /^[+-]?(\d+\.?\d*|\.\d+)$/.test(text)) return Number(text);
  if (type === "boolean" && ["true", "1"].includes(text)) return true;
  if (type === "boolean" && ["false", "0"].includes(text)) return false;
  throw new Misfit("type");
}

function isObject(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
