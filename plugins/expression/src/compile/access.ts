import { cannot } from "../errors.ts";
import { isList, isNumber, isObject, type Value } from "../value.ts";
import { unsupported } from "./operators.ts";

/** `of[key]`: null for what is not there, and for what has no members. */
export function member(of: Value, key: Value): Value {
  if (isObject(of)) return typeof key === "string" ? (of.get(key) ?? null) : null;
  if (isList(of) && isNumber(key)) return of[position(key, "Fetch")] ?? null;
  return null;
}

/** `of[from:to]`, both ends included. Texts are counted in bytes of UTF-8, as the original does. */
export function slice(of: Value, from: Value | undefined, to: Value | undefined): Value {
  const start = from === undefined ? 0 : position(from, "Slice");
  if (isList(of)) return of.slice(start, sliceEnd(start, to, of.length));
  if (typeof of !== "string") throw unsupported("Slice");
  const bytes = Buffer.from(of);
  const end = sliceEnd(start, to, bytes.length);
  if (isInside(bytes, start) || isInside(bytes, end)) throw cannot("Slice: a character would be cut in two");
  return bytes.toString("utf8", start, end);
}

function sliceEnd(start: number, to: Value | undefined, length: number): number {
  const end = to === undefined ? length : position(to, "Slice") + 1;
  if (end > length || start > length) throw cannot("Slice: index out of range");
  return Math.max(start, end);
}

function position(value: Value, what: string): number {
  if (typeof value === "number" && value >= 0) return Math.trunc(value);
  throw cannot(`${what}: not a position`);
}

function isInside(bytes: Buffer, at: number): boolean {
  return at < bytes.length && (bytes[at]! & 0xc0) === 0x80;
}
