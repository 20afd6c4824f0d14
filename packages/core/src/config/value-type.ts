/** Whether a value is what YAML and JSON call a map: an object that is no list. */
export function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What a value is, in words: "a map", "a number", "nothing". */
export function typeName(value: unknown): string {
  if (value === null || value === undefined) return value === null ? "null" : "nothing";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "a map" : `a ${typeof value}`;
}
