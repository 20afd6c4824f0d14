import { IS_KEYED, KEY, KEYED, NONCE, STREAM, SUBKEY } from "./layout";

// "expand 32-byte k"
const C0: u32 = 0x61707865;
const C1: u32 = 0x3320646e;
const C2: u32 = 0x79622d32;
const C3: u32 = 0x6b206574;

// @ts-ignore: decorator
@inline
function rotate16(v: v128): v128 {
  return i8x16.shuffle(v, v, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13);
}

// @ts-ignore: decorator
@inline
function rotate8(v: v128): v128 {
  return i8x16.shuffle(v, v, 3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14);
}

// @ts-ignore: decorator
@inline
function rotate12(v: v128): v128 {
  return v128.or(i32x4.shl(v, 12), i32x4.shr_u(v, 20));
}

// @ts-ignore: decorator
@inline
function rotate7(v: v128): v128 {
  return v128.or(i32x4.shl(v, 7), i32x4.shr_u(v, 25));
}

// @ts-ignore: decorator
@inline
function word(at: usize): v128 {
  return v128.load32_splat(at);
}

// Writes the key stream of the blocks `counter` to `counter + 3` to STREAM; each lane of a vector is one block.
export function stream(counter: u32): void {
  const c0 = i32x4.splat(C0);
  const c1 = i32x4.splat(C1);
  const c2 = i32x4.splat(C2);
  const c3 = i32x4.splat(C3);
  const count = i32x4.add(i32x4.splat(counter), i32x4(0, 1, 2, 3));
  let x0 = c0;
  let x1 = c1;
  let x2 = c2;
  let x3 = c3;
  let x4 = word(SUBKEY);
  let x5 = word(SUBKEY + 4);
  let x6 = word(SUBKEY + 8);
  let x7 = word(SUBKEY + 12);
  let x8 = word(SUBKEY + 16);
  let x9 = word(SUBKEY + 20);
  let xa = word(SUBKEY + 24);
  let xb = word(SUBKEY + 28);
  let xc = count;
  let xd = i32x4.splat(0);
  let xe = word(NONCE + 16);
  let xf = word(NONCE + 20);
  for (let i = 0; i < 10; i++) {
    x0 = i32x4.add(x0, x4);
    x1 = i32x4.add(x1, x5);
    x2 = i32x4.add(x2, x6);
    x3 = i32x4.add(x3, x7);
    xc = rotate16(v128.xor(xc, x0));
    xd = rotate16(v128.xor(xd, x1));
    xe = rotate16(v128.xor(xe, x2));
    xf = rotate16(v128.xor(xf, x3));
    x8 = i32x4.add(x8, xc);
    x9 = i32x4.add(x9, xd);
    xa = i32x4.add(xa, xe);
    xb = i32x4.add(xb, xf);
    x4 = rotate12(v128.xor(x4, x8));
    x5 = rotate12(v128.xor(x5, x9));
    x6 = rotate12(v128.xor(x6, xa));
    x7 = rotate12(v128.xor(x7, xb));
    x0 = i32x4.add(x0, x4);
    x1 = i32x4.add(x1, x5);
    x2 = i32x4.add(x2, x6);
    x3 = i32x4.add(x3, x7);
    xc = rotate8(v128.xor(xc, x0));
    xd = rotate8(v128.xor(xd, x1));
    xe = rotate8(v128.xor(xe, x2));
    xf = rotate8(v128.xor(xf, x3));
    x8 = i32x4.add(x8, xc);
    x9 = i32x4.add(x9, xd);
    xa = i32x4.add(xa, xe);
    xb = i32x4.add(xb, xf);
    x4 = rotate7(v128.xor(x4, x8));
    x5 = rotate7(v128.xor(x5, x9));
    x6 = rotate7(v128.xor(x6, xa));
    x7 = rotate7(v128.xor(x7, xb));

    x0 = i32x4.add(x0, x5);
    x1 = i32x4.add(x1, x6);
    x2 = i32x4.add(x2, x7);
    x3 = i32x4.add(x3, x4);
    xf = rotate16(v128.xor(xf, x0));
    xc = rotate16(v128.xor(xc, x1));
    xd = rotate16(v128.xor(xd, x2));
    xe = rotate16(v128.xor(xe, x3));
    xa = i32x4.add(xa, xf);
    xb = i32x4.add(xb, xc);
    x8 = i32x4.add(x8, xd);
    x9 = i32x4.add(x9, xe);
    x5 = rotate12(v128.xor(x5, xa));
    x6 = rotate12(v128.xor(x6, xb));
    x7 = rotate12(v128.xor(x7, x8));
    x4 = rotate12(v128.xor(x4, x9));
    x0 = i32x4.add(x0, x5);
    x1 = i32x4.add(x1, x6);
    x2 = i32x4.add(x2, x7);
    x3 = i32x4.add(x3, x4);
    xf = rotate8(v128.xor(xf, x0));
    xc = rotate8(v128.xor(xc, x1));
    xd = rotate8(v128.xor(xd, x2));
    xe = rotate8(v128.xor(xe, x3));
    xa = i32x4.add(xa, xf);
    xb = i32x4.add(xb, xc);
    x8 = i32x4.add(x8, xd);
    x9 = i32x4.add(x9, xe);
    x5 = rotate7(v128.xor(x5, xa));
    x6 = rotate7(v128.xor(x6, xb));
    x7 = rotate7(v128.xor(x7, x8));
    x4 = rotate7(v128.xor(x4, x9));
  }
  rows(0, i32x4.add(x0, c0), i32x4.add(x1, c1), i32x4.add(x2, c2), i32x4.add(x3, c3));
  rows(
    16,
    i32x4.add(x4, word(SUBKEY)),
    i32x4.add(x5, word(SUBKEY + 4)),
    i32x4.add(x6, word(SUBKEY + 8)),
    i32x4.add(x7, word(SUBKEY + 12)),
  );
  rows(
    32,
    i32x4.add(x8, word(SUBKEY + 16)),
    i32x4.add(x9, word(SUBKEY + 20)),
    i32x4.add(xa, word(SUBKEY + 24)),
    i32x4.add(xb, word(SUBKEY + 28)),
  );
  rows(48, i32x4.add(xc, count), xd, i32x4.add(xe, word(NONCE + 16)), i32x4.add(xf, word(NONCE + 20)));
}

// Four words of four blocks, lane by lane, to their places in the blocks.
// @ts-ignore: decorator
@inline
function rows(at: usize, a: v128, b: v128, c: v128, d: v128): void {
  const ab = i8x16.shuffle(a, b, 0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23);
  const cd = i8x16.shuffle(c, d, 0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23);
  const ba = i8x16.shuffle(a, b, 8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31);
  const dc = i8x16.shuffle(c, d, 8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31);
  v128.store(STREAM + at, i8x16.shuffle(ab, cd, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23));
  v128.store(STREAM + 64 + at, i8x16.shuffle(ab, cd, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31));
  v128.store(STREAM + 128 + at, i8x16.shuffle(ba, dc, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23));
  v128.store(STREAM + 192 + at, i8x16.shuffle(ba, dc, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31));
}

// Makes SUBKEY for the nonce, unless it is that of the last one: nonces that are counted up share it.
export function derive(): void {
  if (
    load<u32>(IS_KEYED) != 0 &&
    load<u64>(NONCE) == load<u64>(KEYED) &&
    load<u64>(NONCE + 8) == load<u64>(KEYED + 8)
  )
    return;
  let a = i32x4(C0, C1, C2, C3);
  let b = v128.load(KEY);
  let c = v128.load(KEY + 16);
  let d = v128.load(NONCE);
  for (let i = 0; i < 20; i++) {
    a = i32x4.add(a, b);
    d = rotate16(v128.xor(d, a));
    c = i32x4.add(c, d);
    b = rotate12(v128.xor(b, c));
    a = i32x4.add(a, b);
    d = rotate8(v128.xor(d, a));
    c = i32x4.add(c, d);
    b = rotate7(v128.xor(b, c));
    // Columns become diagonals, and back.
    if (i & 1) {
      b = i8x16.shuffle(b, b, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
      c = i8x16.shuffle(c, c, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
      d = i8x16.shuffle(d, d, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3);
    } else {
      b = i8x16.shuffle(b, b, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3);
      c = i8x16.shuffle(c, c, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
      d = i8x16.shuffle(d, d, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
    }
  }
  v128.store(SUBKEY, a);
  v128.store(SUBKEY + 16, d);
  v128.store(KEYED, v128.load(NONCE));
  store<u32>(IS_KEYED, 1);
}
