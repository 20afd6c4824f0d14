import { JsonNumber, type JsonValue } from "@mqb/json";

/** A value of a configuration as JSON; what JSON does not have (a function, undefined) is null. */
export function jsonValueOf(value: unknown): JsonValue {
  if (typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "bigint" || (typeof value === "number" && Number.isFinite(value))) return JsonNumber.of(value);
  if (Array.isArray(value)) return value.map(jsonValueOf);
  if (typeof value !== "object" || value === null) return null;
  return new Map(Object.entries(value).map(([key, item]) => [key, jsonValueOf(item)]));
}
