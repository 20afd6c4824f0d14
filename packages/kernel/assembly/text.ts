// JSON string content to and from text, and base64 of bytes and back, 16 bytes at a time. The twin of src/loops/text.ts.
import { escapeEnd, jsonSpecial, mask, readEscape, writeEscape, writeUtf8 } from "./bytes";
import {
  BACKSLASH,
  CFG_AFTER,
  CFG_AFTER_LENGTH,
  CFG_BEFORE,
  CFG_BEFORE_LENGTH,
  CFG_ID_AT,
  CFG_IDS,
  CFG_OUT_BASE,
  ESCAPE_TABLE,
  RES_REFUSED,
  RES_STATUS,
  RES_WRITTEN,
  STATUS_INPUT_USED,
  STATUS_OUTPUT_FULL,
  STRIDE,
} from "./layout";

export const REFUSED: u32 = 0xffffffff;
// Neither is an address.
const REFUSE: usize = 0;
const FULL: usize = 1;

// Bytes 0 to 7 of v with a backslash before each that is in the set. v holds no NUL there.
// @ts-ignore: decorator
@inline
function spread(v: v128, set: u32): v128 {
  const bytes = i8x16.swizzle(v, v128.load(ESCAPE_TABLE + (<usize>set << 4)));
  return v128.or(bytes, v128.and(i8x16.eq(bytes, i8x16.splat(0)), i8x16.splat(92)));
}

// Both return the address behind the output, or REFUSE or FULL.
function escape(p: usize, end: usize, o: usize, outLimit: usize): usize {
  while (p < end) {
    const v = v128.load(p);
    let size: usize = end - p;
    let within: u32 = 0xffff;
    if (size < 16) within = (1 << <u32>size) - 1;
    else size = 16;
    const bits = mask(jsonSpecial(v)) & within;
    if (bits == 0) {
      v128.store(o, v);
      p += size;
      o += size;
    } else if ((mask(i8x16.eq(i8x16.min_u(v, i8x16.splat(31)), v)) & within) == 0) {
      // Quotes and backslashes alone, of which JSON as a text is full.
      const low = bits & 255;
      v128.store(o, spread(v, low));
      if (size > 8) {
        const high = bits >> 8;
        v128.store(
          o + 8 + <usize>popcnt(low),
          spread(i8x16.shuffle(v, v, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7), high),
        );
      }
      p += size;
      o += size + <usize>popcnt(bits);
    } else {
      v128.store(o, v);
      const skip = <usize>ctz(bits);
      o = writeEscape(load<u8>(p + skip), o + skip);
      p += skip + 1;
    }
    if (o > outLimit) return FULL;
  }
  return o;
}

function unescape(p: usize, end: usize, o: usize, outLimit: usize): usize {
  while (p < end) {
    const v = v128.load(p);
    v128.store(o, v);
    const bits = mask(jsonSpecial(v));
    let skip: usize = bits == 0 ? 16 : <usize>ctz(bits);
    if (skip > end - p) skip = end - p;
    p += skip;
    o += skip;
    if (o > outLimit) return FULL;
    if (p < end && skip < 16) {
      if (<u32>load<u8>(p) != BACKSLASH) return REFUSE;
      const code = readEscape(p, end);
      if (code < 0) return REFUSE;
      o = writeUtf8(o, <u32>code);
      p = escapeEnd;
      if (o > outLimit) return FULL;
    }
  }
  return o;
}

// Copies in steps of 16 bytes, so that up to 15 more are written.
// @ts-ignore: decorator
@inline
function put(p: usize, length: usize, o: usize): usize {
  for (let done: usize = 0; done < length; done += 16) v128.store(o + done, v128.load(p + done));
  return o + length;
}

// Copies in steps of 64 bytes, so that up to 63 more are written.
function copy(p: usize, end: usize, o: usize, outLimit: usize): usize {
  const behind = o + (end - p);
  if (behind > outLimit) return FULL;
  for (; p < end; p += 64, o += 64) {
    v128.store(o, v128.load(p));
    v128.store(o, v128.load(p, 16), 16);
    v128.store(o, v128.load(p, 32), 32);
    v128.store(o, v128.load(p, 48), 48);
  }
  return behind;
}

// The base64 characters of 12 bytes.
// @ts-ignore: decorator
@inline
function base64(v: v128): v128 {
  // Three bytes as 16 bits of the first two and 16 bits of the last two, from which six bits each are taken.
  const pairs = i8x16.shuffle(v, v, 1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10);
  const digits = v128.or(
    v128.or(
      v128.and(i32x4.shr_u(pairs, 10), i32x4.splat(0x3f)),
      v128.and(i32x4.shl(pairs, 4), i32x4.splat(0x3f00)),
    ),
    v128.or(
      v128.and(i32x4.shr_u(pairs, 6), i32x4.splat(0x3f0000)),
      v128.and(i32x4.shl(pairs, 8), i32x4.splat(0x3f000000)),
    ),
  );
  // How far a digit is from its character, by the range it is in: 13 = A-Z, 0 = a-z, 1 to 10 = 0-9, 11 = +, 12 = /.
  const range = v128.or(
    i8x16.sub_sat_u(digits, i8x16.splat(51)),
    v128.and(i8x16.lt_u(digits, i8x16.splat(26)), i8x16.splat(13)),
  );
  const distance = i8x16(71, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -19, -16, 65, 0, 0);
  return i8x16.add(digits, i8x16.swizzle(distance, range));
}

function toBase64(p: usize, end: usize, o: usize, outLimit: usize): usize {
  const size = end - p;
  if (o + ((size + 2) / 3) * 4 > outLimit) return FULL;
  for (; end - p >= 12; p += 12) {
    v128.store(o, base64(v128.load(p)));
    o += 16;
  }
  const left = end - p;
  if (left == 0) return o;
  const there = i8x16.lt_u(i8x16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), i8x16.splat(<i8>left));
  v128.store(o, base64(v128.and(v128.load(p), there)));
  o += ((left + 2) / 3) * 4;
  const pair = size % 3;
  if (pair != 0) store<u8>(o - 1, 61);
  if (pair == 1) store<u8>(o - 2, 61);
  return o;
}

// @ts-ignore: decorator
@inline
function upperHalf(v: v128): v128 {
  return v128.and(i32x4.shr_u(v, 4), i8x16.splat(15));
}

// Bits of a character's halves that meet where it is no character of base64.
// @ts-ignore: decorator
@inline
function foreign(v: v128, upper: v128): v128 {
  const byLower = i8x16(21, 17, 17, 17, 17, 17, 17, 17, 17, 17, 19, 26, 27, 27, 27, 26);
  const byUpper = i8x16(16, 16, 1, 2, 4, 8, 4, 8, 16, 16, 16, 16, 16, 16, 16, 16);
  return v128.and(i8x16.swizzle(byLower, v128.and(v, i8x16.splat(15))), i8x16.swizzle(byUpper, upper));
}

// The 12 bytes of 16 characters of base64.
// @ts-ignore: decorator
@inline
function unbase64(v: v128, upper: v128): v128 {
  const distance = i8x16(0, 16, 19, 4, -65, -65, -71, -71, 0, 0, 0, 0, 0, 0, 0, 0);
  const isSlash = i8x16.eq(v, i8x16.splat(47));
  const digits = i8x16.add(v, i8x16.swizzle(distance, i8x16.add(upper, isSlash)));
  const bytes = v128.or(
    v128.or(
      i32x4.shl(v128.and(digits, i32x4.splat(0xff)), 18),
      i32x4.shl(v128.and(digits, i32x4.splat(0xff00)), 4),
    ),
    v128.or(v128.and(i32x4.shr_u(digits, 10), i32x4.splat(0xfc0)), i32x4.shr_u(digits, 24)),
  );
  return i8x16.shuffle(bytes, bytes, 2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, 3, 3, 3, 3);
}

function fromBase64(p: usize, end: usize, o: usize, outLimit: usize): usize {
  const size = end - p;
  if (size == 0) return o;
  if ((size & 3) != 0) return REFUSE;
  if (o + (size / 4) * 3 > outLimit) return FULL;
  const padding: usize = load<u8>(end - 1) != 61 ? 0 : load<u8>(end - 2) != 61 ? 1 : 2;
  let wrong = i64x2.splat(0);
  for (; end - p > 16; p += 16) {
    const v = v128.load(p);
    const upper = upperHalf(v);
    wrong = v128.or(wrong, foreign(v, upper));
    v128.store(o, unbase64(v, upper));
    o += 12;
  }
  const left = end - p;
  const there = i8x16.lt_u(
    i8x16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
    i8x16.splat(<i8>(left - padding)),
  );
  // An A is six bits of zero.
  const v = v128.bitselect(v128.load(p), i8x16.splat(65), there);
  const upper = upperHalf(v);
  if (v128.any_true(v128.or(wrong, foreign(v, upper)))) return REFUSE;
  v128.store(o, unbase64(v, upper));
  o += (left / 4) * 3 - padding;
  // Bits that no byte is made of.
  return padding != 0 && load<u8>(o) != 0 ? REFUSE : o;
}

// The 36 characters of the UUID of 16 bytes.
// @ts-ignore: decorator
@inline
function writeId(id: usize, o: usize): void {
  const v = v128.load(id);
  const digits = i8x16(48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 97, 98, 99, 100, 101, 102);
  const high = i8x16.swizzle(digits, i8x16.shr_u(v, 4));
  const low = i8x16.swizzle(digits, v128.and(v, i8x16.splat(15)));
  const first = i8x16.shuffle(high, low, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const last = i8x16.shuffle(high, low, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  store<u64>(o, i64x2.extract_lane(first, 0));
  store<u8>(o, 45, 8);
  store<u32>(o, i32x4.extract_lane(first, 2), 9);
  store<u8>(o, 45, 13);
  store<u32>(o, i32x4.extract_lane(first, 3), 14);
  store<u8>(o, 45, 18);
  store<u32>(o, i32x4.extract_lane(last, 0), 19);
  store<u8>(o, 45, 23);
  store<u64>(o, i64x2.extract_lane(i8x16.shuffle(last, last, 4, 5, 6, 7, 8, 9, 10, 11, 0, 0, 0, 0, 0, 0, 0, 0), 0), 24);
  store<u32>(o, i32x4.extract_lane(last, 3), 32);
}

export function text(mode: u32, count: u32, slots: usize, out: usize, outLimit: usize): u32 {
  const outBase: usize = load<u32>(CFG_OUT_BASE);
  const before: usize = load<u32>(CFG_BEFORE);
  const beforeLength: usize = load<u32>(CFG_BEFORE_LENGTH);
  const after: usize = load<u32>(CFG_AFTER);
  const afterLength: usize = load<u32>(CFG_AFTER_LENGTH);
  let id: usize = load<u32>(CFG_IDS);
  const idAt: usize = load<u32>(CFG_ID_AT);
  const textLimit = outLimit - afterLength;
  let refused: u32 = 0;
  let status = STATUS_INPUT_USED;
  let o = out;
  let i: u32 = 0;
  for (; i < count; i++, slots += 4) {
    const p: usize = load<u32>(slots);
    const end: usize = load<u32>(slots + STRIDE);
    let next = FULL;
    const start = o + beforeLength;
    if (start + afterLength <= outLimit) {
      put(before, beforeLength, o);
      if (id != 0) {
        writeId(id, o + idAt);
        id += 16;
      }
      next =
        mode == 0
          ? escape(p, end, start, textLimit)
          : mode == 1
            ? unescape(p, end, start, textLimit)
            : mode == 2
              ? copy(p, end, start, textLimit)
              : mode == 3
                ? toBase64(p, end, start, textLimit)
                : fromBase64(p, end, start, textLimit);
    }
    if (next == FULL) {
      status = STATUS_OUTPUT_FULL;
      break;
    }
    store<u32>(slots + 2 * STRIDE, next == REFUSE ? REFUSED : <u32>(start - outBase));
    store<u32>(slots + 3 * STRIDE, next == REFUSE ? REFUSED : <u32>(next - outBase));
    if (next == REFUSE) refused++;
    else o = put(after, afterLength, next);
  }
  store<u32>(RES_WRITTEN, <u32>(o - out));
  store<u32>(RES_REFUSED, refused);
  store<u32>(RES_STATUS, status);
  return i;
}
