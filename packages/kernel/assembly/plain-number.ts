// The numbers that fields are compared with and computed with: short, and written plainly.
import { mask } from "./bytes";
import { POWERS } from "./layout";

const SHORT: usize = 15;

// The double that these bytes write: up to 15 characters, digits with perhaps a sign before them and a point between. The
// same as that of their text, as numerator and power of ten are exact; NaN for everything else. Up to 16 bytes behind are read.
export function plainNumber(start: usize, end: usize): f64 {
  const negative: usize = <u32>load<u8>(start) == 45 ? 1 : 0;
  const first = start + negative;
  if (end - start > SHORT || first >= end) return NaN;
  const length = <u32>(end - first);
  const all: u32 = (1 << length) - 1;
  const values = i8x16.sub(v128.load(first), i8x16.splat(48));
  const digits = mask(i8x16.le_u(values, i8x16.splat(9))) & all;
  const others = digits ^ all;
  let point = length;
  if (others != 0) {
    point = <u32>ctz(others);
    // One point, and digits on both of its sides.
    if ((others & (others - 1)) != 0 || point == 0 || point + 1 == length || <u32>load<u8>(first + point) != 46) return NaN;
  }
  const count: u32 = length - <u32>(point < length);
  // The digits without the point, up to the last byte of 16; zeros before them.
  const places = i8x16.sub(i8x16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), i8x16.splat(<i8>(16 - count)));
  const from = i8x16.sub(places, i8x16.ge_s(places, i8x16.splat(<i8>point)));
  const row = i8x16.swizzle(values, from);
  const pairs = i16x8.add(
    i16x8.mul(v128.and(row, i16x8.splat(255)), i16x8.splat(10)),
    i16x8.shr_u(row, 8),
  );
  const fours = i32x4.dot_i16x8_s(pairs, i16x8(100, 1, 100, 1, 100, 1, 100, 1));
  const high = <u64>i32x4.extract_lane(fours, 0) * 10000 + <u64>i32x4.extract_lane(fours, 1);
  const low = <u64>i32x4.extract_lane(fours, 2) * 10000 + <u64>i32x4.extract_lane(fours, 3);
  const whole = <f64><i64>(high * 100000000 + low);
  const value = point < length ? whole / load<f64>(POWERS + ((<usize>(length - 1 - point)) << 3)) : whole;
  return negative ? 0 - value : value;
}
