import { createHash } from "node:crypto";

const WORD = 0x1_0000_0000;
const PRIME_LOW = 0x13b;

/** FNV-1a of 128 bits, byte by byte, in four words of 32 bits. The prime is 2^88 + 0x13b. */
export class Fnv128 {
  private w0: number;
  private w1: number;
  private w2: number;
  private w3: number;

  private constructor(w0: number, w1: number, w2: number, w3: number) {
    this.w0 = w0;
    this.w1 = w1;
    this.w2 = w2;
    this.w3 = w3;
  }

  static of(bytes: Buffer): Fnv128 {
    const hash = new Fnv128(0x6295c58d, 0x62b82175, 0x07bb0142, 0x6c62272e);
    hash.add(bytes, 0, bytes.length);
    return hash;
  }

  /** Takes over the state of another one. */
  from({ w0, w1, w2, w3 }: Fnv128): this {
    this.w0 = w0;
    this.w1 = w1;
    this.w2 = w2;
    this.w3 = w3;
    return this;
  }

  add(bytes: Buffer, from: number, to: number): this {
    let { w0, w1, w2, w3 } = this;
    for (let i = from; i < to; i++) {
      const low = (w0 ^ bytes[i]!) >>> 0;
      const a = low * PRIME_LOW;
      const b = w1 * PRIME_LOW + Math.floor(a / WORD);
      const c = w2 * PRIME_LOW + Math.floor(b / WORD) + ((low << 24) >>> 0);
      const d = w3 * PRIME_LOW + Math.floor(c / WORD) + (low >>> 8) + ((w1 << 24) >>> 0);
      w0 = a >>> 0;
      w1 = b >>> 0;
      w2 = c >>> 0;
      w3 = d >>> 0;
    }
    this.w0 = w0;
    this.w1 = w1;
    this.w2 = w2;
    this.w3 = w3;
    return this;
  }

  /** Sixteen bytes, the highest first. */
  writeTo(out: Buffer): void {
    out.writeUInt32BE(this.w3, 0);
    out.writeUInt32BE(this.w2, 4);
    out.writeUInt32BE(this.w1, 8);
    out.writeUInt32BE(this.w0, 12);
  }
}

export type IdHash = "fnv1a" | "sha256";

export interface ChangeIdentity {
  readonly schema: string;
  readonly table: string;
  readonly prefix: Fnv128;
  readonly operation: string;
  readonly lsn: bigint;
  readonly ordinal: number;
}

/**
 * Ids that are the same whenever a change is read: a hash of its table, key, operation, the end of its commit and its number
 * in the transaction.
 */
export class ChangeIds {
  readonly bytes: Buffer = Buffer.alloc(16);
  private readonly kind: IdHash;
  private readonly state: Fnv128 = Fnv128.of(Buffer.alloc(0));
  private readonly tail: Buffer = Buffer.alloc(18);

  constructor(kind: IdHash) {
    this.kind = kind;
  }

  /** Leaves the id in `bytes`. The key lies in `keys[from .. to)`. */
  hash(change: ChangeIdentity, keys: Buffer, from: number, to: number): void {
    const { tail, state } = this;
    tail.writeBigUInt64BE(change.lsn, 1);
    tail.writeBigUInt64BE(BigInt(change.ordinal), 10);
    const operation = Buffer.from(`\0${change.operation}`, "latin1");
    if (this.kind === "fnv1a") {
      state.from(change.prefix).add(keys, from, to).add(operation, 0, operation.length).add(tail, 0, tail.length);
      return void state.writeTo(this.bytes);
    }
    const digest = createHash("sha256")
      .update(`${change.schema}.${change.table}\0`)
      .update(keys.subarray(from, to))
      .update(operation)
      .update(tail)
      .digest();
    digest.copy(this.bytes, 0, 0, 16);
  }
}
