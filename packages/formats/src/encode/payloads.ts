import type { MessageBatch } from "@mqb/core/plugin";

/** The payloads of a batch as ranges of one buffer, as the kernel takes them. */
export interface Payloads {
  readonly bytes: Buffer;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  readonly count: number;
  /** Stands behind each of them. */
  readonly terminator?: Uint8Array;
}

/** A slab as it is; payloads of message objects are copied together. */
export function payloadsOf(batch: MessageBatch): Payloads {
  const count = batch.length;
  const { slab } = batch;
  if (slab) return { ...slab, count };
  const bytes = Buffer.allocUnsafe(batch.byteLength);
  const starts = new Uint32Array(count);
  const ends = new Uint32Array(count);
  let at = 0;
  for (let i = 0; i < count; i++) {
    const payload = batch.payload(i);
    bytes.set(payload, at);
    starts[i] = at;
    at += payload.length;
    ends[i] = at;
  }
  return { bytes, starts, ends, count };
}
