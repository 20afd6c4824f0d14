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

  /** Both halves run side by side: each step waits for the one before it, and the processor has room for two. */
  hash(bytes: Uint8Array, start: number, end: number, origin: number): void {
    const { seed, words } = this;
    let a0 = seed[0]! ^ origin;
    let a1 = seed[1]! ^ 0xee;
    let a2 = 0x6c796765 ^ seed[0]!;
    let a3 = 0x74656462 ^ seed[1]!;
    let b0 = seed[2]! ^ origin;
    let b1 = seed[3]! ^ 0xee;
    let b2 = 0x6c796765 ^ seed[2]!;
    let b3 = 0x74656462 ^ seed[3]!;
    const whole = start + ((end - start) & ~3);
    // Each word, then the rest with the length in its highest byte; four rounds for each half of the result.
    let rounds = 2;
    for (let at = start; rounds > 0; at += 4) {
      let word = 0;
      if (at < whole) word = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
      else if (at === whole) {
        word = (end - start) << 24;
        for (let i = whole; i < end; i++) word |= bytes[i]! << (8 * (i - whole));
      }
      a3 ^= word;
      b3 ^= word;
      for (; rounds > 0; rounds--) {
        a0 = (a0 + a1) | 0;
        a1 = ((a1 << 5) | (a1 >>> 27)) ^ a0;
        a0 = (a0 << 16) | (a0 >>> 16);
        a2 = (a2 + a3) | 0;
        a3 = ((a3 << 8) | (a3 >>> 24)) ^ a2;
        a0 = (a0 + a3) | 0;
        a3 = ((a3 << 7) | (a3 >>> 25)) ^ a0;
        a2 = (a2 + a1) | 0;
        a1 = ((a1 << 13) | (a1 >>> 19)) ^ a2;
        a2 = (a2 << 16) | (a2 >>> 16);
        b0 = (b0 + b1) | 0;
        b1 = ((b1 << 5) | (b1 >>> 27)) ^ b0;
        b0 = (b0 << 16) | (b0 >>> 16);
        b2 = (b2 + b3) | 0;
        b3 = ((b3 << 8) | (b3 >>> 24)) ^ b2;
        b0 = (b0 + b3) | 0;
        b3 = ((b3 << 7) | (b3 >>> 25)) ^ b0;
        b2 = (b2 + b1) | 0;
        b1 = ((b1 << 13) | (b1 >>> 19)) ^ b2;
        b2 = (b2 << 16) | (b2 >>> 16);
      }
      a0 ^= word;
      b0 ^= word;
      if (at < whole) rounds = 2;
      else if (at === whole) {
        a2 ^= 0xee;
        b2 ^= 0xee;
        rounds = 4;
      } else if (at === whole + 4) {
        words[0] = a1 ^ a3;
        words[2] = b1 ^ b3;
        a1 ^= 0xdd;
        b1 ^= 0xdd;
        rounds = 4;
      } else {
        words[1] = a1 ^ a3;
        words[3] = b1 ^ b3;
      }
    }
  }
}
