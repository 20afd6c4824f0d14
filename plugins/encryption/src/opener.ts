import { fieldsFrom, type MessageBatch, slabBatch } from "@mqb/core/plugin";
import { BoundMetadata } from "./bound-metadata.ts";
import { type Bulk, SMALL } from "./cipher/bulk.ts";
import type { Key } from "./cipher/key.ts";
import { BOUND_MAX } from "./cipher/layout.ts";
import { loadMessages } from "./cipher/load.ts";
import { TAG_BYTES } from "./cipher/single.ts";
import { type Header, nonceBytes, parseHeader } from "./envelope.ts";
import { errors } from "./errors.ts";
import type { Keyring } from "./keys/keyring.ts";
import { additionalData } from "./sealer.ts";

export interface Opened {
  readonly batch: MessageBatch;
  /** The positions that `batch` holds; undefined = all. */
  readonly kept: Uint32Array | undefined;
  /** Why the first of the others could not be decrypted. */
  readonly failure: Error | undefined;
}

const WHAT = "the payload";
const NOTHING = Buffer.alloc(0);

/** Opens the payloads of batches: one slab out of one batch, no message made. */
export class Opener {
  private readonly keys: readonly Key[];
  private readonly bound: BoundMetadata | undefined;
  private readonly bulk: Bulk | undefined;
  /** The header that was seen last, whose key is known: most of a batch have the same. */
  private last: { readonly header: Header; readonly bytes: Buffer; readonly key: Key } | undefined;

  /** `authenticate`: the metadata keys that are bound. `bulk` = undefined: message by message. */
  constructor(keyring: Keyring, authenticate: readonly string[], bulk: Bulk | undefined) {
    this.keys = keyring.all;
    this.bound = authenticate.length > 0 ? new BoundMetadata(authenticate) : undefined;
    this.bulk = bulk;
  }

  open(batch: MessageBatch): Opened {
    const run = new Run(batch);
    for (let index = 0; index < batch.length; ) {
      const failure = this.look(batch, index);
      if (failure) {
        run.fail(failure);
        index++;
      } else index = this.openSome(batch, index, run);
    }
    return run.opened();
  }

  /** Makes `last` that of this message. Returns why it cannot be decrypted, where that can be told without trying. */
  private look(batch: MessageBatch, index: number): (() => Error) | undefined {
    const { slab } = batch;
    const bytes = slab ? slab.bytes : batch.payload(index);
    const start = slab ? slab.starts[index]! : 0;
    const end = slab ? slab.ends[index]! : bytes.length;
    if (this.isLast(bytes, start, end)) return undefined;
    const header = parseHeader(bytes, start, end);
    if (!header) return () => errors.NOT_SEALED({ what: WHAT });
    const key = keyOf(this.keys, header);
    if (!key) return () => unknownKey(WHAT, header);
    if (header.version === 2 && !this.bound) return () => errors.METADATA_BOUND({ what: WHAT });
    if (header.version === 1 && this.bound) return () => errors.METADATA_NOT_BOUND({ what: WHAT });
    this.last = { header, key, bytes: Buffer.from(bytes.subarray(start, start + header.size)) };
    return undefined;
  }

  private isLast(bytes: Uint8Array, start: number, end: number): boolean {
    const { last } = this;
    if (!last || end - start < last.header.least) return false;
    const known = last.bytes;
    for (let i = 0; i < known.length; i++) if (bytes[start + i] !== known[i]) return false;
    return true;
  }

  /** Opens the message at `first`, which `last` is for, and those behind it that go with it; returns the position behind. */
  private openSome(batch: MessageBatch, first: number, run: Run): number {
    const { header, key } = this.last!;
    const behind = this.bulk ? this.openLoaded(this.bulk, batch, first, run) : first;
    if (behind > first) return behind;
    const bytes = batch.payload(first);
    const body = header.size + nonceBytes(header.cipher);
    const clear = bytes.subarray(0, body);
    const additional = this.bound ? additionalData(clear, this.bound, batch, first) : NOTHING;
    const nonce = clear.subarray(header.size);
    if (key.cipher(header.cipher).open(nonce, additional, bytes.subarray(body), run.out, run.at))
      run.keep(first, run.at, bytes.length - body - TAG_BYTES);
    else run.fail(() => this.notAuthentic());
    return first + 1;
  }

  private openLoaded(bulk: Bulk, batch: MessageBatch, first: number, run: Run): number {
    const { header, key } = this.last!;
    const { slab } = batch;
    const behind = loadMessages(bulk, batch, first, {
      max: SMALL[header.cipher] + header.least,
      grows: 0,
      nonceAt: header.size,
      bound: this.bound,
      boundMax: BOUND_MAX[header.cipher],
      takes: (index) =>
        slab
          ? this.isLast(slab.bytes, slab.starts[index]!, slab.ends[index]!)
          : this.isLast(batch.payload(index), 0, batch.payload(index).length),
    });
    if (behind === first) return first;
    const opened = bulk.open(header.cipher, key, this.bound !== undefined);
    run.out.set(opened, run.at);
    const base = run.at;
    for (let index = first; index < behind; index++) {
      const at = bulk.opened(index - first);
      if (at < 0) run.fail(() => this.notAuthentic());
      else {
        const size = slab ? slab.ends[index]! - slab.starts[index]! : batch.payload(index).length;
        run.keep(index, base + at, size - header.least);
      }
    }
    return behind;
  }

  private notAuthentic(): Error {
    return errors.NOT_AUTHENTIC({ what: WHAT, metadata: this.bound !== undefined });
  }
}

/** What has come out of one batch so far. */
class Run {
  readonly out: Buffer;
  /** Where the next payload is written to. */
  at = 0;
  private readonly batch: MessageBatch;
  private readonly starts: Uint32Array;
  private readonly ends: Uint32Array;
  private readonly places: Uint32Array;
  private count = 0;
  private failure: Error | undefined;

  constructor(batch: MessageBatch) {
    this.batch = batch;
    this.out = Buffer.allocUnsafeSlow(batch.byteLength);
    this.starts = new Uint32Array(batch.length);
    this.ends = new Uint32Array(batch.length);
    this.places = new Uint32Array(batch.length);
  }

  keep(index: number, start: number, size: number): void {
    this.starts[this.count] = start;
    this.at = start + size;
    this.ends[this.count] = this.at;
    this.places[this.count++] = index;
  }

  /** An error is made of the first one only: with the wrong key every message fails. */
  fail(reason: () => Error): void {
    this.failure ??= reason();
  }

  opened(): Opened {
    const { batch, count, failure } = this;
    const kept = count < batch.length ? this.places.slice(0, count) : undefined;
    const slab = {
      bytes: this.out.subarray(0, this.at),
      starts: kept ? this.starts.slice(0, count) : this.starts,
      ends: kept ? this.ends.slice(0, count) : this.ends,
    };
    return { batch: slabBatch(slab, fieldsFrom(batch, kept), batch.shared), kept, failure };
  }
}

/** The key that a header names. */
export function keyOf(keys: readonly Key[], { id }: Header): Key | undefined {
  return keys.find((key) => key.idBytes.equals(id));
}

export function unknownKey(what: string, { id }: Header): Error {
  // Foreign bytes: what is no name of a key may be anything.
  const text = id.toString("latin1");
  return errors.UNKNOWN_KEY({ what, id: /^[\w.:@/+=-]{1,64}$/.test(text) ? text : undefined });
}
