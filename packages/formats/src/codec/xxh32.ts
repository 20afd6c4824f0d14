const P1 = 0x9e3779b1;
const P2 = 0x85ebca77;
const P3 = 0xc2b2ae3d;
const P4 = 0x27d4eb2f;
const P5 = 0x165667b1;

/** XXH32 with seed 0 over bytes that come in pieces: the checksum of lz4 frames. */
export class Xxh32 {
  private readonly lanes = new Int32Array([P1 + P2, P2, 0, -P1]);
  private readonly held = Buffer.alloc(16);
  private heldLength = 0;
  private total = 0;

  update(bytes: Buffer): this {
    this.total += bytes.length;
    let at = 0;
    if (this.heldLength > 0) {
      at = Math.min(16 - this.heldLength, bytes.length);
      bytes.copy(this.held, this.heldLength, 0, at);
      this.heldLength += at;
      if (this.heldLength < 16) return this;
      this.stripes(this.held, 0, 16);
      this.heldLength = 0;
    }
    const whole = at + ((bytes.length - at) & ~15);
    this.stripes(bytes, at, whole);
    this.heldLength = bytes.copy(this.held, 0, whole);
    return this;
  }

  digest(): number {
    const [a, b, c, d] = this.lanes as unknown as [number, number, number, number];
    let hash = this.total >= 16 ? (rotl(a, 1) + rotl(b, 7) + rotl(c, 12) + rotl(d, 18)) | 0 : P5 | 0;
    hash = (hash + this.total) | 0;
    let at = 0;
    for (; at + 4 <= this.heldLength; at += 4) {
      hash = Math.imul(rotl((hash + Math.imul(this.held.readInt32LE(at), P3)) | 0, 17), P4);
    }
    for (; at < this.heldLength; at++) hash = Math.imul(rotl((hash + Math.imul(this.held[at]!, P5)) | 0, 11), P1);
    hash = Math.imul(hash ^ (hash >>> 15), P2);
    hash = Math.imul(hash ^ (hash >>> 13), P3);
    return (hash ^ (hash >>> 16)) >>> 0;
  }

  private stripes(bytes: Buffer, from: number, to: number): void {
    let [a, b, c, d] = this.lanes as unknown as [number, number, number, number];
    for (let at = from; at < to; at += 16) {
      a = round(a, word(bytes, at));
      b = round(b, word(bytes, at + 4));
      c = round(c, word(bytes, at + 8));
      d = round(d, word(bytes, at + 12));
    }
    this.lanes.set([a, b, c, d]);
  }
}

export function xxh32(bytes: Buffer): number {
  return new Xxh32().update(bytes).digest();
}

function round(lane: number, word: number): number {
  return Math.imul(rotl((lane + Math.imul(word, P2)) | 0, 13), P1);
}

function rotl(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}

function word(b: Buffer, at: number): number {
  return b[at]! | (b[at + 1]! << 8) | (b[at + 2]! << 16) | (b[at + 3]! << 24);
}
