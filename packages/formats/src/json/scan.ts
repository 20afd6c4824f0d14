/** Deeper nesting is not read, as the original does not. */
const MAX_DEPTH = 128;

const QUOTE = 34;
const BACKSLASH = 92;

/** Position of the first byte from `at` on that is no JSON white space; `end` when there is none. */
export function skipSpace(bytes: Uint8Array, at: number, end: number): number {
  while (at < end) {
    const byte = bytes[at]!;
    if (byte !== 32 && byte !== 10 && byte !== 13 && byte !== 9) break;
    at++;
  }
  return at;
}

/**
 * Position behind the JSON value that begins at `at`, or -1 when there is none. Strict (RFC 8259); the caller has made
 * sure of well-formed UTF-8.
 */
export function skipValue(bytes: Uint8Array, at: number, end: number): number {
  const closers: number[] = [];
  for (;;) {
    at = skipSpace(bytes, at, end);
    const byte = at < end ? bytes[at]! : 0;
    if (byte === 123 || byte === 91) {
      const closer = byte + 2;
      at = skipSpace(bytes, at + 1, end);
      if (bytes[at] === closer && at < end) at++;
      else {
        if (closers.push(closer) > MAX_DEPTH) return -1;
        if (closer === 125 && (at = skipKey(bytes, at, end)) < 0) return -1;
        continue;
      }
    } else {
      at = byte === QUOTE ? skipString(bytes, at, end) : skipScalar(bytes, at, end);
      if (at < 0) return -1;
    }
    // Behind a value: close what it ends, or go on behind a comma.
    for (;;) {
      const closer = closers[closers.length - 1];
      if (closer === undefined) return at;
      at = skipSpace(bytes, at, end);
      if (at >= end) return -1;
      if (bytes[at] === closer) {
        at++;
        closers.pop();
        continue;
      }
      if (bytes[at] !== 44) return -1;
      at++;
      if (closer === 125 && (at = skipKey(bytes, skipSpace(bytes, at, end), end)) < 0) return -1;
      break;
    }
  }
}

/** Position behind the string whose opening quote is at `at`, or -1. */
export function skipString(bytes: Uint8Array, at: number, end: number): number {
  for (at++; at < end; at++) {
    const byte = bytes[at]!;
    if (byte === QUOTE) return at + 1;
    if (byte < 32) return -1;
    if (byte !== BACKSLASH) continue;
    const escape = bytes[++at]!;
    if (escape === 117) {
      for (let i = 1; i <= 4; i++) if (at + i >= end || !isHex(bytes[at + i]!)) return -1;
      at += 4;
    } else if (at >= end || !isEscape(escape)) return -1;
  }
  return -1;
}

/** Whether `bytes[from .. to)` is exactly one JSON value, white space around it allowed. */
export function isJson(bytes: Uint8Array, from: number, to: number): boolean {
  const end = skipValue(bytes, from, to);
  return end >= 0 && skipSpace(bytes, end, to) === to;
}

function skipKey(bytes: Uint8Array, at: number, end: number): number {
  if (at >= end || bytes[at] !== QUOTE) return -1;
  at = skipString(bytes, at, end);
  if (at < 0) return -1;
  at = skipSpace(bytes, at, end);
  return at < end && bytes[at] === 58 ? at + 1 : -1;
}

function skipScalar(bytes: Uint8Array, at: number, end: number): number {
  switch (bytes[at]) {
    case 116:
      return skipWord(bytes, at, end, "true");
    case 102:
      return skipWord(bytes, at, end, "false");
    case 110:
      return skipWord(bytes, at, end, "null");
    default:
      return skipNumber(bytes, at, end);
  }
}

function skipWord(bytes: Uint8Array, at: number, end: number, word: string): number {
  if (at + word.length > end) return -1;
  for (let i = 1; i < word.length; i++) if (bytes[at + i] !== word.charCodeAt(i)) return -1;
  return at + word.length;
}

function skipNumber(bytes: Uint8Array, at: number, end: number): number {
  if (bytes[at] === 45) at++;
  if (at >= end) return -1;
  if (bytes[at] === 48) at++;
  else if ((at = skipDigits(bytes, at, end)) < 0) return -1;
  if (at < end && bytes[at] === 46 && (at = skipDigits(bytes, at + 1, end)) < 0) return -1;
  if (at < end && (bytes[at]! | 32) === 101) {
    at++;
    if (at < end && (bytes[at] === 43 || bytes[at] === 45)) at++;
    return skipDigits(bytes, at, end);
  }
  return at;
}

function skipDigits(bytes: Uint8Array, at: number, end: number): number {
  const start = at;
  while (at < end && bytes[at]! >= 48 && bytes[at]! <= 57) at++;
  return at === start ? -1 : at;
}

function isHex(byte: number): boolean {
  return (byte >= 48 && byte <= 57) || ((byte | 32) >= 97 && (byte | 32) <= 102);
}

function isEscape(byte: number): boolean {
  return (
    byte === QUOTE || byte === BACKSLASH || byte === 47 || byte === 98 || byte === 102 || byte === 110 || byte === 114 || byte === 116
  );
}
