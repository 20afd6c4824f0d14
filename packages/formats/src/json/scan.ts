import { MAX_JSON_DEPTH, scanJsonString, scanJsonValue, skipJsonBlank } from "@mqb/kernel";

/** Position of the first byte from `at` on that is no JSON white space; `end` when there is none. */
export const skipSpace = skipJsonBlank;

/** Working memory of `skipValue`, for callers that skip many. */
export function jsonStack(): Uint8Array {
  return new Uint8Array(MAX_JSON_DEPTH);
}

/**
 * Position behind the JSON value that begins at `at`, or a negative number when there is none. Strict (RFC 8259); the
 * caller has made sure of well-formed UTF-8.
 */
export function skipValue(bytes: Uint8Array, at: number, end: number, stack = jsonStack()): number {
  return scanJsonValue(bytes, at, end, stack);
}

/** Position behind the string whose opening quote is at `at`, or -1. */
export function skipString(bytes: Uint8Array, at: number, end: number): number {
  const close = scanJsonString(bytes, at + 1, end);
  return close < 0 ? -1 : close + 1;
}

/** Whether `bytes[from .. to)` is exactly one JSON value, white space around it allowed. */
export function isJson(bytes: Uint8Array, from: number, to: number, stack?: Uint8Array): boolean {
  const end = skipValue(bytes, skipSpace(bytes, from, to), to, stack);
  return end >= 0 && skipSpace(bytes, end, to) === to;
}
