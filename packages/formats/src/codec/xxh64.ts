const P1 = 0x9e3779b185ebca87n;
const P2 = 0xc2b2ae3d27d4eb4fn;
const P3 = 0x165667b19e3779f9n;
const P4 = 0x85ebca77c2b2ae63n;
const P5 = 0x27d4eb2f165667c5n;
const MASK = (1n << 64n) - 1n;

// The two factors of a round, as halves of 32 bits and, for the low halves, of 16 bits.
const P1_HIGH = 0x9e3779b1;
const P1_LOW = 0x85ebca87;
const P1_LOW_0 = 0xca87;
const P1_LOW_1 = 0x85eb;
const P2_HIGH = 0xc2b2ae3d;
const P2_LOW = 0x27d4eb4f;
const P2_LOW_0 = 0xeb4f;
const P2_LOW_1 = 0x27d4;

/**
 * XXH64 with seed 0 over bytes that come in pieces: zstd keeps its low 32 bits as the checksum of a frame. Whole stripes
 * are computed in halves of 32 bits, since a BigInt per word takes fifty times as long.
 */
export class Xxh64 {
  /** Four lanes, each a high and a low half. */
  private readonly lanes = lanesOf([P1 + P2, P2, 0n, -P1]);
  private readonly held = Buffer.alloc(32);
  private heldLength = 0;
  private total = 0;

  update(bytes: Buffer): this {
    this.total += bytes.length;
    let at = 0;
    if (this.heldLength > 0) {
      at = Math.min(32 - this.heldLength, bytes.length);
      bytes.copy(this.held, this.heldLength, 0, at);
      this.heldLength += at;
      if (this.heldLength < 32) return this;
      this.stripes(this.held, 0, 32);
      this.heldLength = 0;
    }
    const whole = at + ((bytes.length - at) & ~31);
    this.stripes(bytes, at, whole);
    this.heldLength = bytes.copy(this.held, 0, whole);
    return this;
  }

  digest(): bigint {
    let hash = this.total >= 32 ? this.merged() : P5;
    hash = (hash + BigInt(this.total)) & MASK;
    const { held, heldLength } = this;
    let at = 0;
    for (; at + 8 <= heldLength; at += 8) {
      hash = (rotl(hash ^ round(0n, held.readBigUInt64LE(at)), 27n) * P1 + P4) & MASK;
    }
    if (at + 4 <= heldLength) {
      hash = (rotl(hash ^ ((BigInt(held.readUInt32LE(at)) * P1) & MASK), 23n) * P2 + P3) & MASK;
      at += 4;
    }
    for (; at < heldLength; at++) hash = (rotl(hash ^ ((BigInt(held[at]!) * P5) & MASK), 11n) * P1) & MASK;
    hash = ((hash ^ (hash >> 33n)) * P2) & MASK;
    hash = ((hash ^ (hash >> 29n)) * P3) & MASK;
    return hash ^ (hash >> 32n);
  }

  private merged(): bigint {
    const [a, b, c, d] = [0, 2, 4, 6].map(
      (at) => (BigInt(this.lanes[at]! >>> 0) << 32n) | BigInt(this.lanes[at + 1]! >>> 0),
    ) as [bigint, bigint, bigint, bigint];
    let hash = (rotl(a, 1n) + rotl(b, 7n) + rotl(c, 12n) + rotl(d, 18n)) & MASK;
    for (const lane of [a, b, c, d]) hash = ((hash ^ round(0n, lane)) * P1 + P4) & MASK;
    return hash;
  }

  private stripes(bytes: Buffer, from: number, to: number): void {
    const { lanes } = this;
    for (let lane = 0; lane < 4; lane++) {
      let high = lanes[2 * lane]!;
      let low = lanes[2 * lane + 1]!;
      for (let at = from + 8 * lane; at < to; at += 32) {
        const wordLow = word(bytes, at);
        const wordHigh = word(bytes, at + 4);
        // lane += word * P2
        let product = Math.imul(wordLow, P2_LOW);
        high =
          (high +
            highProduct(wordLow, P2_LOW_0, P2_LOW_1) +
            Math.imul(wordLow, P2_HIGH) +
            Math.imul(wordHigh, P2_LOW)) |
          0;
        const sum = (low >>> 0) + (product >>> 0);
        if (sum > 0xffffffff) high = (high + 1) | 0;
        low = sum | 0;
        // lane = rotl(lane, 31)
        const turned = (high << 31) | (low >>> 1);
        low = (low << 31) | (high >>> 1);
        high = turned;
        // lane *= P1
        product = Math.imul(low, P1_LOW);
        high = (highProduct(low, P1_LOW_0, P1_LOW_1) + Math.imul(low, P1_HIGH) + Math.imul(high, P1_LOW)) | 0;
        low = product;
      }
      lanes[2 * lane] = high;
      lanes[2 * lane + 1] = low;
    }
  }
}

/** The high half of a product of 32 by 32 bits, the second factor given in halves of 16 bits. */
function highProduct(a: number, b0: number, b1: number): number {
  const a0 = a & 0xffff;
  const a1 = a >>> 16;
  const middle = a1 * b0 + ((a0 * b0) >>> 16);
  return (a1 * b1 + (middle >>> 16) + (((middle & 0xffff) + a0 * b1) >>> 16)) | 0;
}

function lanesOf(values: readonly bigint[]): Int32Array {
  const halves = values.flatMap((value) => [Number((value >> 32n) & 0xffffffffn), Number(value & 0xffffffffn)]);
  return new Int32Array(halves);
}

function round(lane: bigint, input: bigint): bigint {
  return (rotl((lane + input * P2) & MASK, 31n) * P1) & MASK;
}

function rotl(value: bigint, bits: bigint): bigint {
  return ((value << bits) | (value >> (64n - bits))) & MASK;
}

function word(b: Buffer, at: number): number {
  return b[at]! | (b[at + 1]! << 8) | (b[at + 2]! << 16) | (b[at + 3]! << 24);
}
