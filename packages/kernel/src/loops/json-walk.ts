import { ESCAPES } from "./escape.ts";
import { hex4 } from "./text.ts";

/** How deep arrays and objects may nest. */
export const MAX_DEPTH = 1024;

const QUOTE = 34;
const BACKSLASH = 92;
const OPEN_ARRAY = 91;
const OPEN_OBJECT = 123;

export function skipBlank(bytes: Uint8Array, p: number, end: number): number {
  while (p < end) {
    const c = bytes[p]!;
    if (c !== 32 && c !== 10 && c !== 13 && c !== 9) break;
    p++;
  }
  return p;
}

/** `p`: first byte inside a string. Position of its closing quote, or -1 when it is not a well-made JSON string. */
export function scanString(bytes: Uint8Array, p: number, end: number): number {
  while (p < end) {
    const c = bytes[p]!;
    if (ESCAPES[c] === 0) p++;
    else if (c === QUOTE) return p;
    else if (c !== BACKSLASH || p + 1 >= end) return -1;
    else if (bytes[p + 1] === 117) {
      if (p + 6 > end || hex4(bytes, p + 2) < 0) return -1;
      p += 6;
    } else if (isShortEscape(bytes[p + 1]!)) p += 2;
    else return -1;
  }
  return -1;
}

function isShortEscape(c: number): boolean {
  return c === QUOTE || c === BACKSLASH || c === 47 || c === 98 || c === 102 || c === 110 || c === 114 || c === 116;
}

/** What `scanValue` returns for a value that nests deeper than MAX_DEPTH. */
export const TOO_DEEP = -2;

/** `p`: first byte of any JSON value. Position behind it, -1 when it is malformed, or TOO_DEEP. */
export function scanValue(bytes: Uint8Array, p: number, end: number, stack: Uint8Array): number {
  let depth = 0;
  for (;;) {
    // A value begins at p.
    const c = p < end ? bytes[p]! : 0;
    if (c === OPEN_OBJECT || c === OPEN_ARRAY) {
      if (depth === MAX_DEPTH) return TOO_DEEP;
      const inside = skipBlank(bytes, p + 1, end);
      if (inside < end && bytes[inside] === c + 2) p = inside + 1;
      else {
        stack[depth++] = c;
        p = c === OPEN_OBJECT ? scanKey(bytes, inside, end) : inside;
        if (p < 0) return -1;
        continue;
      }
    } else {
      p = c === QUOTE ? scanString(bytes, p + 1, end) + 1 : scanPlain(bytes, p, end);
      if (p <= 0) return -1;
    }
    // A value ends before p: close what it closes.
    for (;;) {
      if (depth === 0) return p;
      p = skipBlank(bytes, p, end);
      const open = stack[depth - 1]!;
      if (p < end && bytes[p] === 44) {
        p = skipBlank(bytes, p + 1, end);
        if (open === OPEN_OBJECT) p = scanKey(bytes, p, end);
        if (p < 0) return -1;
        break;
      }
      if (p >= end || bytes[p] !== open + 2) return -1;
      depth--;
      p++;
    }
  }
}

/** `p`: where a key should begin. Position of its value, or -1. */
function scanKey(bytes: Uint8Array, p: number, end: number): number {
  if (p >= end || bytes[p] !== QUOTE) return -1;
  p = scanString(bytes, p + 1, end);
  if (p < 0) return -1;
  p = skipBlank(bytes, p + 1, end);
  if (p >= end || bytes[p] !== 58) return -1;
  return skipBlank(bytes, p + 1, end);
}

/** `p`: first byte of a number, `true`, `false` or `null`. Position behind it, or -1. */
function scanPlain(bytes: Uint8Array, p: number, end: number): number {
  const c = p < end ? bytes[p]! : 0;
  if (c === 116) return literal(bytes, p, end, 0x72, 0x75, 0x65);
  if (c === 110) return literal(bytes, p, end, 0x75, 0x6c, 0x6c);
  if (c === 102) return p + 4 < end && bytes[p + 4] === 0x65 ? after(literal(bytes, p, end, 0x61, 0x6c, 0x73)) : -1;
  return scanNumber(bytes, p, end);
}

function literal(bytes: Uint8Array, p: number, end: number, second: number, third: number, fourth: number): number {
  const same = p + 3 < end && bytes[p + 1] === second && bytes[p + 2] === third && bytes[p + 3] === fourth;
  return same ? p + 4 : -1;
}

function after(p: number): number {
  return p < 0 ? p : p + 1;
}

function scanNumber(bytes: Uint8Array, p: number, end: number): number {
  if (p < end && bytes[p] === 45) p++;
  if (p < end && bytes[p] === 48) p++;
  else {
    const digits = skipDigits(bytes, p, end);
    if (digits === p) return -1;
    p = digits;
  }
  if (p < end && bytes[p] === 46) {
    const digits = skipDigits(bytes, p + 1, end);
    if (digits === p + 1) return -1;
    p = digits;
  }
  if (p < end && (bytes[p]! | 32) === 101) {
    p++;
    if (p < end && (bytes[p] === 43 || bytes[p] === 45)) p++;
    const digits = skipDigits(bytes, p, end);
    if (digits === p) return -1;
    p = digits;
  }
  return p;
}

function skipDigits(bytes: Uint8Array, p: number, end: number): number {
  while (p < end && bytes[p]! >= 48 && bytes[p]! <= 57) p++;
  return p;
}
