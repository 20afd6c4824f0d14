import type { JsonNumber } from "./number.ts";

/** A parsed JSON value. Numbers keep their text; objects are maps, so that no key can reach a prototype. */
export type JsonValue = null | boolean | string | JsonNumber | readonly JsonValue[] | JsonObject;

/** Members in the order of the text. */
export type JsonObject = ReadonlyMap<string, JsonValue>;

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return value instanceof Map;
}

export function isJsonArray(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}
