import { JsonNumber } from "./number.ts";
import { isJsonArray, isJsonObject, type JsonValue } from "./value.ts";

/** The value as JSON without blanks; numbers as they were written. */
export function writeJson(value: JsonValue): Buffer {
  return Buffer.from(
    textOf(
      value,
      (number) => number.text,
      (members) => [...members],
    ),
  );
}

/** The same bytes for equal values: keys sorted by UTF-16 code units, one writing for each number. */
export function canonicalJson(value: JsonValue): Buffer {
  return Buffer.from(
    textOf(
      value,
      (number) => number.canonical(),
      (members) => [...members].sort(([a], [b]) => (a < b ? -1 : 1)),
    ),
  );
}

/** Whether two values are equal: numbers by value, objects without regard to order. */
export function jsonEquals(a: JsonValue, b: JsonValue): boolean {
  if (a instanceof JsonNumber) return b instanceof JsonNumber && a.equals(b);
  if (isJsonArray(a)) {
    return isJsonArray(b) && a.length === b.length && a.every((item, index) => jsonEquals(item, b[index]!));
  }
  if (!isJsonObject(a)) return a === b;
  if (!isJsonObject(b) || a.size !== b.size) return false;
  return [...a].every(([key, item]) => b.has(key) && jsonEquals(item, b.get(key)!));
}

function textOf(
  value: JsonValue,
  number: (value: JsonNumber) => string,
  members: (value: ReadonlyMap<string, JsonValue>) => [string, JsonValue][],
): string {
  if (value instanceof JsonNumber) return number(value);
  if (isJsonArray(value)) return `[${value.map((item) => textOf(item, number, members)).join(",")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const written = members(value).map(([key, item]) => `${JSON.stringify(key)}:${textOf(item, number, members)}`);
  return `{${written.join(",")}}`;
}
