// GHASH by integer multiplications with holes between the bits, so that no carry reaches another bit (after BearSSL's
// ctmul64, by Thomas Pornin): no table is looked up, and every step takes the same time for all keys and data.
import { HASH, HASH_KEY, LAST, SUM } from "./layout";

// @ts-ignore: decorator
@inline
function multiply(x: u64, y: u64): u64 {
  const x0 = x & 0x1111111111111111;
  const x1 = x & 0x2222222222222222;
  const x2 = x & 0x4444444444444444;
  const x3 = x & 0x8888888888888888;
  const y0 = y & 0x1111111111111111;
  const y1 = y & 0x2222222222222222;
  const y2 = y & 0x4444444444444444;
  const y3 = y & 0x8888888888888888;
  return (
    (((x0 * y0) ^ (x1 * y3) ^ (x2 * y2) ^ (x3 * y1)) & 0x1111111111111111) |
    (((x0 * y1) ^ (x1 * y0) ^ (x2 * y3) ^ (x3 * y2)) & 0x2222222222222222) |
    (((x0 * y2) ^ (x1 * y1) ^ (x2 * y0) ^ (x3 * y3)) & 0x4444444444444444) |
    (((x0 * y3) ^ (x1 * y2) ^ (x2 * y1) ^ (x3 * y0)) & 0x8888888888888888)
  );
}

// @ts-ignore: decorator
@inline
function reverse(x: u64): u64 {
  x = ((x & 0x5555555555555555) << 1) | ((x >> 1) & 0x5555555555555555);
  x = ((x & 0x3333333333333333) << 2) | ((x >> 2) & 0x3333333333333333);
  x = ((x & 0x0f0f0f0f0f0f0f0f) << 4) | ((x >> 4) & 0x0f0f0f0f0f0f0f0f);
  return swap(x);
}

// @ts-ignore: decorator
@inline
function swap(x: u64): u64 {
  x = ((x & 0x00ff00ff00ff00ff) << 8) | ((x >> 8) & 0x00ff00ff00ff00ff);
  x = ((x & 0x0000ffff0000ffff) << 16) | ((x >> 16) & 0x0000ffff0000ffff);
  return (x << 32) | (x >> 32);
}

// Takes up HASH_KEY.
export function hashKey(): void {
  const h1 = swap(load<u64>(HASH_KEY));
  const h0 = swap(load<u64>(HASH_KEY + 8));
  const h0r = reverse(h0);
  const h1r = reverse(h1);
  store<u64>(HASH, h0);
  store<u64>(HASH + 8, h1);
  store<u64>(HASH + 16, h0 ^ h1);
  store<u64>(HASH + 24, h0r);
  store<u64>(HASH + 32, h1r);
  store<u64>(HASH + 40, h0r ^ h1r);
}

export function beginHash(): void {
  store<u64>(SUM, 0);
  store<u64>(SUM + 8, 0);
}

// Takes bytes up, filled up with zeros to whole blocks.
export function hash(from: usize, end: usize): void {
  const whole = from + ((end - from) & ~15);
  hashBlocks(from, whole);
  if (whole == end) return;
  v128.store(LAST, i64x2.splat(0));
  memory.copy(LAST, whole, end - whole);
  hashBlocks(LAST, LAST + 16);
}

// Writes the hash, mixed with what stands at `mask`.
export function finishHash(additional: usize, ciphertext: usize, mask: usize, to: usize): void {
  store<u64>(LAST, swap(<u64>additional << 3));
  store<u64>(LAST + 8, swap(<u64>ciphertext << 3));
  hashBlocks(LAST, LAST + 16);
  store<u64>(to, swap(load<u64>(SUM + 8)) ^ load<u64>(mask));
  store<u64>(to, swap(load<u64>(SUM)) ^ load<u64>(mask + 8), 8);
}

function hashBlocks(from: usize, end: usize): void {
  const h0 = load<u64>(HASH);
  const h1 = load<u64>(HASH + 8);
  const h2 = load<u64>(HASH + 16);
  const h0r = load<u64>(HASH + 24);
  const h1r = load<u64>(HASH + 32);
  const h2r = load<u64>(HASH + 40);
  let y0 = load<u64>(SUM);
  let y1 = load<u64>(SUM + 8);
  for (let at = from; at < end; at += 16) {
    y1 ^= swap(load<u64>(at));
    y0 ^= swap(load<u64>(at, 8));
    const y0r = reverse(y0);
    const y1r = reverse(y1);
    const z0 = multiply(y0, h0);
    const z1 = multiply(y1, h1);
    const z2 = multiply(y0 ^ y1, h2) ^ z0 ^ z1;
    const w0 = multiply(y0r, h0r);
    const w1 = multiply(y1r, h1r);
    const w2 = multiply(y0r ^ y1r, h2r) ^ w0 ^ w1;
    // The product of 255 bits, shifted by one since GCM counts bits from the other end.
    let v1 = (reverse(w0) >> 1) ^ z2;
    let v2 = z1 ^ (reverse(w2) >> 1);
    let v3 = reverse(w1) >> 1;
    v3 = (v3 << 1) | (v2 >> 63);
    v2 = (v2 << 1) | (v1 >> 63);
    v1 = (v1 << 1) | (z0 >> 63);
    const v0 = z0 << 1;
    // Modulo x^128 + x^7 + x^2 + x + 1.
    v2 ^= v0 ^ (v0 >> 1) ^ (v0 >> 2) ^ (v0 >> 7);
    v1 ^= (v0 << 63) ^ (v0 << 62) ^ (v0 << 57);
    v3 ^= v1 ^ (v1 >> 1) ^ (v1 >> 2) ^ (v1 >> 7);
    v2 ^= (v1 << 63) ^ (v1 << 62) ^ (v1 << 57);
    y0 = v2;
    y1 = v3;
  }
  store<u64>(SUM, y0);
  store<u64>(SUM + 8, y1);
}
