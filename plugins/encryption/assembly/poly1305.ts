import { LAST, POLY, STREAM } from "./layout";

// Numbers modulo 2^130 - 5 as five limbs of 26 bits.
const LIMB: u64 = 0x3ffffff;
const R: usize = POLY;
const S: usize = POLY + 40; // 5r, of limbs 1 to 4
const H: usize = POLY + 72;
const PAD: usize = POLY + 112;

// Takes the key from the first 32 bytes of the key stream.
export function begin(): void {
  const low = load<u64>(STREAM) & 0x0ffffffc0fffffff;
  const high = load<u64>(STREAM + 8) & 0x0ffffffc0ffffffc;
  const r1 = (low >> 26) & LIMB;
  const r2 = ((low >> 52) | (high << 12)) & LIMB;
  const r3 = (high >> 14) & LIMB;
  const r4 = high >> 40;
  store<u64>(R, low & LIMB);
  store<u64>(R + 8, r1);
  store<u64>(R + 16, r2);
  store<u64>(R + 24, r3);
  store<u64>(R + 32, r4);
  store<u64>(S, r1 * 5);
  store<u64>(S + 8, r2 * 5);
  store<u64>(S + 16, r3 * 5);
  store<u64>(S + 24, r4 * 5);
  memory.fill(H, 0, 40);
  store<u64>(PAD, load<u64>(STREAM + 16));
  store<u64>(PAD + 8, load<u64>(STREAM + 24));
}

// Takes bytes up, filled up with zeros to whole blocks.
export function absorb(from: usize, end: usize): void {
  const whole = from + ((end - from) & ~15);
  blocks(from, whole);
  if (whole == end) return;
  v128.store(LAST, i64x2.splat(0));
  memory.copy(LAST, whole, end - whole);
  blocks(LAST, LAST + 16);
}

export function absorbLengths(additional: usize, ciphertext: usize): void {
  store<u64>(LAST, <u64>additional);
  store<u64>(LAST + 8, <u64>ciphertext);
  blocks(LAST, LAST + 16);
}

function blocks(from: usize, end: usize): void {
  const r0 = load<u64>(R);
  const r1 = load<u64>(R + 8);
  const r2 = load<u64>(R + 16);
  const r3 = load<u64>(R + 24);
  const r4 = load<u64>(R + 32);
  const s1 = load<u64>(S);
  const s2 = load<u64>(S + 8);
  const s3 = load<u64>(S + 16);
  const s4 = load<u64>(S + 24);
  let h0 = load<u64>(H);
  let h1 = load<u64>(H + 8);
  let h2 = load<u64>(H + 16);
  let h3 = load<u64>(H + 24);
  let h4 = load<u64>(H + 32);
  for (let at = from; at < end; at += 16) {
    const low = load<u64>(at);
    const high = load<u64>(at, 8);
    h0 += low & LIMB;
    h1 += (low >> 26) & LIMB;
    h2 += ((low >> 52) | (high << 12)) & LIMB;
    h3 += (high >> 14) & LIMB;
    h4 += (high >> 40) | (1 << 24);
    const d0 = h0 * r0 + h1 * s4 + h2 * s3 + h3 * s2 + h4 * s1;
    let d1 = h0 * r1 + h1 * r0 + h2 * s4 + h3 * s3 + h4 * s2;
    let d2 = h0 * r2 + h1 * r1 + h2 * r0 + h3 * s4 + h4 * s3;
    let d3 = h0 * r3 + h1 * r2 + h2 * r1 + h3 * r0 + h4 * s4;
    let d4 = h0 * r4 + h1 * r3 + h2 * r2 + h3 * r1 + h4 * r0;
    d1 += d0 >> 26;
    d2 += d1 >> 26;
    d3 += d2 >> 26;
    d4 += d3 >> 26;
    h0 = (d0 & LIMB) + (d4 >> 26) * 5;
    h1 = (d1 & LIMB) + (h0 >> 26);
    h0 &= LIMB;
    h2 = d2 & LIMB;
    h3 = d3 & LIMB;
    h4 = d4 & LIMB;
  }
  store<u64>(H, h0);
  store<u64>(H + 8, h1);
  store<u64>(H + 16, h2);
  store<u64>(H + 24, h3);
  store<u64>(H + 32, h4);
}

// Writes the 16 bytes of the tag.
export function finish(to: usize): void {
  let h0 = load<u64>(H);
  let h1 = load<u64>(H + 8);
  let h2 = load<u64>(H + 16);
  let h3 = load<u64>(H + 24);
  let h4 = load<u64>(H + 32);
  // Twice: the carry out of the highest limb comes back at the lowest.
  for (let i = 0; i < 2; i++) {
    h1 += h0 >> 26;
    h0 &= LIMB;
    h2 += h1 >> 26;
    h1 &= LIMB;
    h3 += h2 >> 26;
    h2 &= LIMB;
    h4 += h3 >> 26;
    h3 &= LIMB;
    h0 += (h4 >> 26) * 5;
    h4 &= LIMB;
  }
  h1 += h0 >> 26;
  h0 &= LIMB;
  // h - p, taken where it is not negative; without a branch.
  let g0 = h0 + 5;
  let g1 = h1 + (g0 >> 26);
  let g2 = h2 + (g1 >> 26);
  let g3 = h3 + (g2 >> 26);
  const g4 = h4 + (g3 >> 26) - (1 << 26);
  const isLess = <u64>0 - (g4 >> 63);
  g0 &= LIMB;
  g1 &= LIMB;
  g2 &= LIMB;
  g3 &= LIMB;
  h0 = (h0 & isLess) | (g0 & ~isLess);
  h1 = (h1 & isLess) | (g1 & ~isLess);
  h2 = (h2 & isLess) | (g2 & ~isLess);
  h3 = (h3 & isLess) | (g3 & ~isLess);
  h4 = (h4 & isLess) | (g4 & ~isLess);
  const low = h0 | (h1 << 26) | (h2 << 52);
  const high = (h2 >> 12) | (h3 << 14) | (h4 << 40);
  const sum = low + load<u64>(PAD);
  store<u64>(to, sum);
  store<u64>(to, high + load<u64>(PAD + 8) + <u64>(sum < low), 8);
}
