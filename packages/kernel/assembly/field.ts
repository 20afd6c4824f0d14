// One top-level field in many objects, 16 bytes at a time. The twin of src/loops/field.ts.
import { mask, same, skipBlank } from "./bytes";
import { BACKSLASH, QUOTE, STRIDE } from "./layout";

const ABSENT: u32 = 0xffffffff;
const UNDECIDED: u32 = 0xfffffffe;

// First `"` or `\` from p on, or an address of `end` or beyond.
// @ts-ignore: decorator
@inline
function quoteOrEscape(p: usize, end: usize): usize {
  while (p < end) {
    const v = v128.load(p);
    const bits = mask(v128.or(i8x16.eq(v, i8x16.splat(34)), i8x16.eq(v, i8x16.splat(92))));
    if (bits != 0) return p + <usize>ctz(bits);
    p += 16;
  }
  return end;
}

// p: first byte inside a string. Its closing quote, or an address of `end` or beyond.
function stringEnd(p: usize, end: usize): usize {
  while (true) {
    p = quoteOrEscape(p, end);
    if (p >= end) return end;
    if (<u32>load<u8>(p) == QUOTE) return p;
    p += 2;
  }
}

// p: first byte of an array or object. The address behind it, or one beyond `end` when it is not whole.
function nestedEnd(p: usize, end: usize): usize {
  let depth = 0;
  while (p < end) {
    const v = v128.load(p);
    // `[` and `]` differ from `{` and `}` in one bit only.
    const w = v128.or(v, i8x16.splat(0x20));
    let bits = mask(
      v128.or(i8x16.eq(v, i8x16.splat(34)), v128.or(i8x16.eq(w, i8x16.splat(0x7b)), i8x16.eq(w, i8x16.splat(0x7d)))),
    );
    let next = p + 16;
    while (bits != 0) {
      const at = p + <usize>ctz(bits);
      bits &= bits - 1;
      const c: u32 = load<u8>(at);
      if (c == QUOTE) {
        next = stringEnd(at + 1, end) + 1;
        break;
      }
      if ((c | 0x20) == 0x7b) depth++;
      else if (--depth == 0) return at + 1;
    }
    p = next;
  }
  return end + 1;
}

// p: first byte of a value. The address behind it, or one beyond `end` when it is not whole.
// @ts-ignore: decorator
@inline
function valueEnd(p: usize, end: usize): usize {
  const first: u32 = load<u8>(p);
  if (first == QUOTE) return stringEnd(p + 1, end) + 1;
  if (first == 123 || first == 91) return nestedEnd(p, end);
  const start = p;
  for (; p < end; p++) {
    const c: u32 = load<u8>(p);
    if (c == 44 || c == 125 || c == 93 || c <= 32) break;
  }
  return p > start ? p : end + 1;
}

export function field(count: u32, slots: usize, key: usize, keyLength: usize): u32 {
  let found: u32 = 0;
  for (let i: u32 = 0; i < count; i++, slots += 4) {
    const end: usize = load<u32>(slots + STRIDE);
    let result = UNDECIDED;
    let resultEnd = UNDECIDED;
    let p = skipBlank(load<u32>(slots), end);
    let next = p < end && <u32>load<u8>(p) == 123 ? skipBlank(p + 1, end) : end;
    if (next < end && <u32>load<u8>(next) == 125) result = ABSENT;
    while (result == UNDECIDED && next < end && <u32>load<u8>(next) == QUOTE) {
      const keyStart = next + 1;
      p = quoteOrEscape(keyStart, end);
      if (p >= end || <u32>load<u8>(p) == BACKSLASH) break;
      const hit = p - keyStart == keyLength && same(keyStart, key, keyLength);
      p = skipBlank(p + 1, end);
      if (p >= end || <u32>load<u8>(p) != 58) break;
      p = skipBlank(p + 1, end);
      if (p >= end) break;
      const valueStart = p;
      p = valueEnd(p, end);
      if (p > end) break;
      if (hit) {
        result = <u32>valueStart;
        resultEnd = <u32>p;
        found++;
        break;
      }
      p = skipBlank(p, end);
      if (p >= end) break;
      const c: u32 = load<u8>(p);
      if (c == 125) result = ABSENT;
      else if (c != 44) break;
      else next = skipBlank(p + 1, end);
    }
    store<u32>(slots + 2 * STRIDE, result);
    store<u32>(slots + 3 * STRIDE, result >= UNDECIDED ? result : resultEnd);
  }
  return found;
}
