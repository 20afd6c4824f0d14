// Checks of JSON text. The twin of src/loops/json-walk.ts.
import { hex4, jsonSpecial, mask, skipBlank } from "./bytes";
import { BACKSLASH, QUOTE } from "./layout";

export const MAX_DEPTH: u32 = 1024;
// Neither is an address.
export const MALFORMED: usize = 0;
export const TOO_DEEP: usize = 1;

// p: first byte inside a string. Its closing quote, or MALFORMED when it is not a well-made JSON string.
export function scanString(p: usize, end: usize): usize {
  while (p < end) {
    const bits = mask(jsonSpecial(v128.load(p)));
    if (bits == 0) {
      p += 16;
      continue;
    }
    p += <usize>ctz(bits);
    if (p >= end) break;
    const c: u32 = load<u8>(p);
    if (c == QUOTE) return p;
    if (c != BACKSLASH || p + 1 >= end) break;
    const letter: u32 = load<u8>(p, 1);
    if (letter == 117) {
      if (p + 6 > end || hex4(p + 2) < 0) break;
      p += 6;
    } else if (
      letter == QUOTE ||
      letter == BACKSLASH ||
      letter == 47 ||
      letter == 98 ||
      letter == 102 ||
      letter == 110 ||
      letter == 114 ||
      letter == 116
    )
      p += 2;
    else break;
  }
  return MALFORMED;
}

// p: where a key should begin. The address of its value, or MALFORMED.
function scanKey(p: usize, end: usize): usize {
  if (p >= end || <u32>load<u8>(p) != QUOTE) return MALFORMED;
  p = scanString(p + 1, end);
  if (p == MALFORMED) return MALFORMED;
  p = skipBlank(p + 1, end);
  if (p >= end || <u32>load<u8>(p) != 58) return MALFORMED;
  return skipBlank(p + 1, end);
}

function skipDigits(p: usize, end: usize): usize {
  while (p < end) {
    const c: u32 = load<u8>(p);
    if (c < 48 || c > 57) break;
    p++;
  }
  return p;
}

function scanNumber(p: usize, end: usize): usize {
  if (p < end && <u32>load<u8>(p) == 45) p++;
  if (p < end && <u32>load<u8>(p) == 48) p++;
  else {
    const digits = skipDigits(p, end);
    if (digits == p) return MALFORMED;
    p = digits;
  }
  if (p < end && <u32>load<u8>(p) == 46) {
    const digits = skipDigits(p + 1, end);
    if (digits == p + 1) return MALFORMED;
    p = digits;
  }
  if (p < end && (<u32>load<u8>(p) | 32) == 101) {
    p++;
    if (p < end && (<u32>load<u8>(p) == 43 || <u32>load<u8>(p) == 45)) p++;
    const digits = skipDigits(p, end);
    if (digits == p) return MALFORMED;
    p = digits;
  }
  return p;
}

// p: first byte of a number, `true`, `false` or `null`. The address behind it, or MALFORMED.
function scanPlain(p: usize, end: usize): usize {
  if (p >= end) return MALFORMED;
  const c: u32 = load<u8>(p);
  if (c != 116 && c != 110 && c != 102) return scanNumber(p, end);
  const word = load<u32>(p);
  if (word == 0x65757274 || word == 0x6c6c756e) return p + 4 <= end ? p + 4 : MALFORMED;
  if (word == 0x736c6166 && <u32>load<u8>(p, 4) == 101) return p + 5 <= end ? p + 5 : MALFORMED;
  return MALFORMED;
}

// p: first byte of any JSON value; stack: MAX_DEPTH bytes. The address behind it, or MALFORMED or TOO_DEEP.
export function scanValue(p: usize, end: usize, stack: usize): usize {
  let depth: u32 = 0;
  while (true) {
    // A value begins at p.
    const c: u32 = p < end ? load<u8>(p) : 0;
    if (c == 123 || c == 91) {
      if (depth == MAX_DEPTH) return TOO_DEEP;
      const inside = skipBlank(p + 1, end);
      if (inside < end && <u32>load<u8>(inside) == c + 2) p = inside + 1;
      else {
        store<u8>(stack + depth, <u8>c);
        depth++;
        p = c == 123 ? scanKey(inside, end) : inside;
        if (p == MALFORMED) return MALFORMED;
        continue;
      }
    } else {
      if (c == QUOTE) {
        p = scanString(p + 1, end);
        if (p == MALFORMED) return MALFORMED;
        p++;
      } else {
        p = scanPlain(p, end);
        if (p == MALFORMED) return MALFORMED;
      }
    }
    // A value ends before p: close what it closes.
    while (true) {
      if (depth == 0) return p;
      p = skipBlank(p, end);
      if (p >= end) return MALFORMED;
      const open: u32 = load<u8>(stack + depth - 1);
      const d: u32 = load<u8>(p);
      if (d == 44) {
        p = skipBlank(p + 1, end);
        if (open == 123) p = scanKey(p, end);
        if (p == MALFORMED) return MALFORMED;
        break;
      }
      if (d != open + 2) return MALFORMED;
      depth--;
      p++;
    }
  }
}
