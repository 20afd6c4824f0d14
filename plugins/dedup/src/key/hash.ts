/** What a key was made from: equal bytes of different origin are different keys. */
export const Origin = { text: 0, id: 1, list: 2 } as const;

/**
 * HalfSipHash-2-4 with 64 bits of result, twice with two keys: 128 bits that nobody can aim at who does not know the
 * seed. Of ten million keys two meet with a probability below 10^-24.
 */
export class KeyHash {
  /** The four words of the last hash. */
  readonly words = new Uint32Array(4);
  private readonly seed: Uint32Array;

  /** `seed` has 16 bytes. */
  constructor(seed: Uint8Array) {
    this.seed = new Uint32Array(Uint8Array.from(seed).buffer);
  }

  hash(bytes: Uint8Array, start: number, end: number, origin: number): void {
    this.half(bytes, start, end, origin, 0);
    this.half(bytes, start, end, origin, 2);
  }

  private half(bytes: Uint8Array, start: number, end: number, origin: number, lane: number): void {
    const k0 = this.seed[lane]! | 0;
    const k1 = this.seed[lane + 1]! | 0;
    let v0 = k0 ^ origin;
    let v1 = k1 ^ 0xee;
    let v2 = 0x6c796765 ^ k0;
    let v3 = 0x74656462 ^ k1;
    const length = end - start;
    const whole = start + (length & ~3);
    let at = start;
    let word = 0;
    // The words, then the rest with the length; behind them four rounds for each half of the result.
    for (let step = 0; step < 2; ) {
      if (at < whole) {
        word = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
        at += 4;
      } else {
        word = length << 24;
        for (let i = end - 1; i >= whole; i--) word |= bytes[i]! << (8 * (i - whole));
        step = 2;
      }
      v3 ^= word;
      for (let round = 0; round < 2; round++) {
        v0 = (v0 + v1) | 0;
        v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
        v0 = (v0 << 16) | (v0 >>> 16);
        v2 = (v2 + v3) | 0;
        v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
        v0 = (v0 + v3) | 0;
        v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
        v2 = (v2 + v1) | 0;
        v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
        v2 = (v2 << 16) | (v2 >>> 16);
      }
      v0 ^= word;
    }
    v2 ^= 0xee;
    for (let half = 0; half < 2; half++) {
      for (let round = 0; round < 4; round++) {
        v0 = (v0 + v1) | 0;
        v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
        v0 = (v0 << 16) | (v0 >>> 16);
        v2 = (v2 + v3) | 0;
        v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
        v0 = (v0 + v3) | 0;
        v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
        v2 = (v2 + v1) | 0;
        v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
        v2 = (v2 << 16) | (v2 >>> 16);
      }
      this.words[lane + half] = v1 ^ v3;
      v1 ^= 0xdd;
    }
  }
}
