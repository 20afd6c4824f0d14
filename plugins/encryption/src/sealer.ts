import { fieldsFrom, type MessageBatch, slabBatch } from "@mqb/core/plugin";
import { BoundMetadata } from "./bound-metadata.ts";
import { type Bulk, SMALL } from "./cipher/bulk.ts";
import type { CipherName, Key } from "./cipher/key.ts";
import { BOUND_MAX } from "./cipher/layout.ts";
import { type Loading, loadMessages } from "./cipher/load.ts";
import { type SingleCipher, TAG_BYTES } from "./cipher/single.ts";
import { headerOf, nonceBytes } from "./envelope.ts";
import type { Keyring } from "./keys/keyring.ts";
import { Nonces } from "./nonces.ts";

const NOTHING = Buffer.alloc(0);
/** As many buffers as batches are mostly on their way at once, and none of those of a batch that was larger than others. */
const MOST_SPARE = 4;
const LARGEST_SPARE = 16 * 1024 * 1024;

export interface Sealed {
  readonly batch: MessageBatch;
  /** Nobody looks at `batch` any more: its memory may be written over. */
  release(): void;
}

/** Seals the payloads of batches: one slab out of one batch, no message made. */
export class Sealer {
  private readonly cipher: CipherName;
  private readonly key: Key;
  private readonly single: SingleCipher;
  private readonly bulk: Bulk | undefined;
  private readonly bound: BoundMetadata | undefined;
  private readonly header: Buffer;
  private readonly nonces: Nonces;
  /** Bytes that an envelope has beside the payload. */
  private readonly overhead: number;
  private readonly loading: Loading;
  /** What later batches are written to. */
  private readonly spare: Buffer[] = [];

  /** `authenticate`: the metadata keys that are bound. `bulk` = undefined: message by message. */
  constructor(keyring: Keyring, authenticate: readonly string[], bulk: Bulk | undefined) {
    const { cipher, own } = keyring;
    this.key = own;
    this.single = own.cipher(cipher);
    this.bulk = bulk;
    this.cipher = cipher;
    this.bound = authenticate.length > 0 ? new BoundMetadata(authenticate) : undefined;
    this.header = headerOf(this.bound ? 2 : 1, cipher, own.idBytes);
    this.nonces = new Nonces(nonceBytes(cipher));
    this.overhead = this.header.length + this.nonces.bytes.length + TAG_BYTES;
    this.loading = {
      max: SMALL[cipher],
      grows: this.overhead,
      nonceAt: 0,
      bound: this.bound,
      boundMax: BOUND_MAX[cipher],
      takes: () => true,
    };
  }

  seal(batch: MessageBatch): Sealed {
    const { length } = batch;
    const starts = new Uint32Array(length);
    const ends = new Uint32Array(length);
    const out = this.room(batch.byteLength + length * this.overhead);
    let at = 0;
    for (let index = 0; index < length; ) {
      const behind = this.bulk ? this.sealSome(this.bulk, batch, index, out, at) : index;
      if (behind === index) this.sealOne(batch, index, out, at);
      for (const end = Math.max(behind, index + 1); index < end; index++) {
        starts[index] = at;
        at += sizeOf(batch, index) + this.overhead;
        ends[index] = at;
      }
    }
    const slab = { bytes: out.subarray(0, at), starts, ends };
    return {
      batch: slabBatch(slab, fieldsFrom(batch), batch.shared),
      release: () => {
        if (this.spare.length < MOST_SPARE && out.length <= LARGEST_SPARE) this.spare.push(out);
      },
    };
  }

  private room(bytes: number): Buffer {
    const used = this.spare.pop();
    // Batches of one route are about as large as each other.
    return used && used.length >= bytes ? used : Buffer.allocUnsafeSlow(Math.ceil(bytes * 1.05));
  }

  /** Seals messages from `first` on; returns the position behind them, which is `first` where it does not fit. */
  private sealSome(bulk: Bulk, batch: MessageBatch, first: number, out: Buffer, at: number): number {
    const behind = loadMessages(bulk, batch, first, this.loading);
    if (behind > first)
      out.set(bulk.seal(this.cipher, this.key, this.header, this.nonces.bytes, this.bound !== undefined), at);
    return behind;
  }

  private sealOne(batch: MessageBatch, index: number, out: Buffer, at: number): void {
    const { header, nonces, bound } = this;
    const body = at + header.length + nonces.bytes.length;
    out.set(header, at);
    out.set(nonces.bytes, at + header.length);
    const additional = bound ? additionalData(out.subarray(at, body), bound, batch, index) : NOTHING;
    this.single.seal(nonces.bytes, additional, batch.payload(index), out, body);
    nonces.advance();
  }
}

/** What is authenticated beside the payload of version 2: the envelope up to the ciphertext, then the metadata. */
export function additionalData(clear: Uint8Array, bound: BoundMetadata, batch: MessageBatch, index: number): Buffer {
  const metadata = batch.metadata(index);
  const bytes = Buffer.allocUnsafe(clear.length + bound.size(metadata));
  bytes.set(clear);
  bound.write(metadata, bytes, clear.length);
  return bytes;
}

function sizeOf(batch: MessageBatch, index: number): number {
  const { slab } = batch;
  return slab ? slab.ends[index]! - slab.starts[index]! : batch.payload(index).length;
}
