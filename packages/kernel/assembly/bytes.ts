import { BACKSLASH, CR, LF, QUOTE } from "./layout";

// Bit i is set where byte i of v is `"`, `\` or below 0x20: what JSON escapes.
// @ts-ignore: decorator
@inline
export function jsonSpecial(v: v128): v128 {
  // With one bit turned, `"` is the next one behind what is below 0x20.
  const turned = v128.xor(v, i8x16.splat(2));
  return v128.or(i8x16.eq(v, i8x16.splat(92)), i8x16.eq(i8x16.min_u(turned, i8x16.splat(32)), turned));
}

// @ts-ignore: decorator
@inline
export function mask(v: v128): u32 {
  return <u32>i8x16.bitmask(v);
}

// @ts-ignore: decorator
@inline
function hexDigit(n: u32): u32 {
  return n + (n < 10 ? 48 : 87);
}

// Writes the JSON escape of one byte; returns the address behind it.
export function writeEscape(c: u32, o: usize): usize {
  let letter: u32 = 0;
  if (c == LF) letter = 110;
  else if (c == QUOTE || c == BACKSLASH) letter = c;
  else if (c == CR) letter = 114;
  else if (c == 9) letter = 116;
  else if (c == 8) letter = 98;
  else if (c == 12) letter = 102;
  if (letter) {
    store<u16>(o, <u16>(92 | (letter << 8)));
    return o + 2;
  }
  store<u32>(o, 0x3030755c); // \u00
  store<u16>(o, <u16>(hexDigit(c >> 4) | (hexDigit(c & 15) << 8)), 4);
  return o + 6;
}

// The four hex digits at p as a number, or -1.
export function hex4(p: usize): i32 {
  let value: i32 = 0;
  for (let i: usize = 0; i < 4; i++) {
    const c: u32 = load<u8>(p + i);
    const low = c | 32;
    let digit: i32 = -1;
    if (c >= 48 && c <= 57) digit = <i32>c - 48;
    else if (low >= 97 && low <= 102) digit = <i32>low - 87;
    if (digit < 0) return -1;
    value = (value << 4) | digit;
  }
  return value;
}

export const BROKEN: i32 = -1;
export const LONE: i32 = -2;
// Where readEscape has left off.
export let escapeEnd: usize = 0;

// The code point of the escape whose backslash is at p, or BROKEN or LONE. It must end at `end` or before.
export function readEscape(p: usize, end: usize): i32 {
  if (p + 1 >= end) return BROKEN;
  const c: u32 = load<u8>(p, 1);
  escapeEnd = p + 2;
  if (c == QUOTE || c == BACKSLASH || c == 47) return <i32>c;
  if (c == 110) return 10;
  if (c == 116) return 9;
  if (c == 114) return 13;
  if (c == 98) return 8;
  if (c == 102) return 12;
  if (c != 117 || p + 6 > end) return BROKEN;
  const unit = hex4(p + 2);
  escapeEnd = p + 6;
  if (unit < 0xd800 || unit > 0xdfff) return unit;
  escapeEnd = p + 12;
  if (unit >= 0xdc00 || p + 12 > end || load<u16>(p, 6) != 0x755c) return LONE;
  const low = hex4(p + 8);
  if (low < 0xdc00 || low > 0xdfff) return LONE;
  return 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
}

// Writes a code point as UTF-8; returns the address behind it.
export function writeUtf8(o: usize, code: u32): usize {
  if (code < 0x80) {
    store<u8>(o, <u8>code);
    return o + 1;
  }
  if (code < 0x800) {
    store<u8>(o, <u8>(0xc0 | (code >> 6)));
    store<u8>(o, <u8>(0x80 | (code & 63)), 1);
    return o + 2;
  }
  if (code < 0x10000) {
    store<u8>(o, <u8>(0xe0 | (code >> 12)));
    store<u8>(o, <u8>(0x80 | ((code >> 6) & 63)), 1);
    store<u8>(o, <u8>(0x80 | (code & 63)), 2);
    return o + 3;
  }
  store<u8>(o, <u8>(0xf0 | (code >> 18)));
  store<u8>(o, <u8>(0x80 | ((code >> 12) & 63)), 1);
  store<u8>(o, <u8>(0x80 | ((code >> 6) & 63)), 2);
  store<u8>(o, <u8>(0x80 | (code & 63)), 3);
  return o + 4;
}

// Whether `size` bytes at a and b are the same; up to 15 bytes behind both may be read.
// @ts-ignore: decorator
@inline
export function same(a: usize, b: usize, size: usize): bool {
  let i: usize = 0;
  while (i + 16 <= size) {
    if (mask(i8x16.eq(v128.load(a + i), v128.load(b + i))) != 0xffff) return false;
    i += 16;
  }
  const rest: u32 = (1 << <u32>(size - i)) - 1;
  return (mask(i8x16.eq(v128.load(a + i), v128.load(b + i))) & rest) == rest;
}

// First address from p on that holds no JSON blank, or `end`.
// @ts-ignore: decorator
@inline
export function skipBlank(p: usize, end: usize): usize {
  while (p < end) {
    const c: u32 = load<u8>(p);
    if (c != 32 && c != 10 && c != 13 && c != 9) break;
    p++;
  }
  return p;
}
