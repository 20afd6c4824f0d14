// GHASH of up to 16 messages at once, one in each lane of a vector. A block is multiplied by H half a byte at a time, with tables
// of 16 bytes that are looked up within a register: no branch and no address depends on a key or on data.
import { COLUMNS, HASH_KEY, LANES, PRODUCT, ROWS, STRIDE, TABLES } from "./layout";

export const LANE_COUNT: u32 = 16;
const BLOCK: usize = 16;
/** Bytes of a product before it is reduced: the last one is always 0. */
const WIDE: usize = 32;

// Takes HASH_KEY up: for each byte of a product, what each value of the higher and of the lower half of a byte adds to it.
export function hashKey(): void {
  let high = bswap<u64>(load<u64>(HASH_KEY));
  let low = bswap<u64>(load<u64>(HASH_KEY, 8));
  memory.fill(TABLES, 0, BLOCK * WIDE);
  // The highest bit of a byte comes first: 8, 4, 2, 1 of the higher half, then of the lower one.
  for (let power: u32 = 0; power < 8; power++) {
    const bit: u32 = 8 >> (power & 3);
    const half = TABLES + (power >> 2) * BLOCK;
    for (let nibble: u32 = 0; nibble < 16; nibble++) {
      if (nibble & bit) addToTable(half + nibble, high, low);
    }
    const carry: u64 = 0 - (low & 1);
    low = (low >> 1) | (high << 63);
    high = (high >> 1) ^ (carry & 0xe100000000000000);
  }
}

function addToTable(at: usize, high: u64, low: u64): void {
  for (let byte: usize = 0; byte < 8; byte++) {
    const shift: u64 = 56 - 8 * <u64>byte;
    const first = at + byte * WIDE;
    const second = first + 8 * WIDE;
    store<u8>(first, load<u8>(first) ^ <u8>(high >> shift));
    store<u8>(second, load<u8>(second) ^ <u8>(low >> shift));
  }
}

export function blocksOf(size: usize): usize {
  return (size + 15) >> 4;
}

// The blocks of a lane end where it ends, so that all lanes end together: zeros before them change nothing.
export function laneEnd(lane: u32): usize {
  return LANES + (<usize>lane + 1) * STRIDE;
}

// Hashes the last `count` blocks of every lane; the hash of lane i is written to ROWS + 16 * i.
export function hashLanes(count: usize): void {
  memory.fill(COLUMNS, 0, BLOCK * BLOCK);
  for (let left = count; left > 0; left--) {
    for (let lane: usize = 0; lane < 16; lane++)
      v128.store(ROWS + lane * BLOCK, v128.load(LANES + (lane + 1) * STRIDE - left * BLOCK));
    transpose(ROWS);
    multiply();
    reduce();
  }
  memory.copy(ROWS, COLUMNS, BLOCK * BLOCK);
  transpose(ROWS);
}

// Turns 16 rows of 16 bytes into columns: four times, each row is interleaved with the one eight rows below.
// @ts-ignore: decorator
@inline
function transpose(rows: usize): void {
  interleave(rows, PRODUCT);
  interleave(PRODUCT, rows);
  interleave(rows, PRODUCT);
  interleave(PRODUCT, rows);
}

function interleave(from: usize, to: usize): void {
  for (let row: usize = 0; row < 8 * BLOCK; row += BLOCK) {
    const a = v128.load(from + row);
    const b = v128.load(from + row, 8 * 16);
    const at = to + 2 * row;
    v128.store(at, i8x16.shuffle(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23));
    v128.store(at, i8x16.shuffle(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31), 16);
  }
}

// @ts-ignore: decorator
@inline
function upper(byte: v128): v128 {
  return i8x16.shr_u(byte, 4);
}

// @ts-ignore: decorator
@inline
function lower(byte: v128): v128 {
  return v128.and(byte, i8x16.splat(15));
}

// @ts-ignore: decorator
@inline
function look(forUpper: v128, forLower: v128, up: v128, down: v128): v128 {
  return v128.xor(i8x16.swizzle(forUpper, up), i8x16.swizzle(forLower, down));
}

// (COLUMNS + ROWS) * H to PRODUCT, byte by byte of a block; byte p times byte j of the tables adds to byte p + j.
function multiply(): void {
  memory.fill(PRODUCT, 0, WIDE * BLOCK);
  for (let p: usize = 0; p < 16 * BLOCK; p += 4 * BLOCK) {
    const x0 = v128.xor(v128.load(COLUMNS + p), v128.load(ROWS + p));
    const x1 = v128.xor(v128.load(COLUMNS + p, 16), v128.load(ROWS + p, 16));
    const x2 = v128.xor(v128.load(COLUMNS + p, 32), v128.load(ROWS + p, 32));
    const x3 = v128.xor(v128.load(COLUMNS + p, 48), v128.load(ROWS + p, 48));
    const u0 = upper(x0);
    const u1 = upper(x1);
    const u2 = upper(x2);
    const u3 = upper(x3);
    const l0 = lower(x0);
    const l1 = lower(x1);
    const l2 = lower(x2);
    const l3 = lower(x3);
    let c1 = i64x2.splat(0);
    let c2 = i64x2.splat(0);
    let c3 = i64x2.splat(0);
    let to = PRODUCT + p;
    for (let table = TABLES; table < TABLES + 16 * WIDE; table += WIDE) {
      const up = v128.load(table);
      const down = v128.load(table, 16);
      v128.store(to, v128.xor(v128.load(to), v128.xor(c1, look(up, down, u0, l0))));
      c1 = v128.xor(c2, look(up, down, u1, l1));
      c2 = v128.xor(c3, look(up, down, u2, l2));
      c3 = look(up, down, u3, l3);
      to += BLOCK;
    }
    v128.store(to, v128.xor(v128.load(to), c1));
    v128.store(to, v128.xor(v128.load(to, 16), c2), 16);
    v128.store(to, v128.xor(v128.load(to, 32), c3), 32);
  }
}

// What half a byte adds to the byte 16 before it, and to the one behind that.
const HERE_UPPER = i8x16(0, 28, 56, 36, 112, 108, 72, 84, -31, -3, -39, -59, -111, -115, -87, -75);
const HERE_LOWER = i8x16(0, 1, 3, 2, 7, 6, 4, 5, 14, 15, 13, 12, 9, 8, 10, 11);
const NEXT_UPPER = i8x16(0, 32, 64, 96, -128, -96, -64, -32, 0, 32, 64, 96, -128, -96, -64, -32);
const NEXT_LOWER = i8x16(0, -62, -124, 70, 8, -54, -116, 78, 16, -46, -108, 86, 24, -38, -100, 94);

// PRODUCT modulo x^128 + x^7 + x^2 + x + 1 to COLUMNS: byte 16 + i adds itself times 1 + x + x^2 + x^7 to the bytes i and i + 1.
function reduce(): void {
  memory.copy(COLUMNS, PRODUCT, 16 * BLOCK);
  let carry = i64x2.splat(0);
  for (let i: usize = 0; i < 16 * BLOCK; i += BLOCK) {
    const byte = v128.load(PRODUCT + i, 256);
    const u = upper(byte);
    const l = lower(byte);
    const here = look(HERE_UPPER, HERE_LOWER, u, l);
    v128.store(COLUMNS + i, v128.xor(v128.load(COLUMNS + i), v128.xor(here, carry)));
    carry = look(NEXT_UPPER, NEXT_LOWER, u, l);
  }
}
