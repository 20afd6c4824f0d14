import type { MessageBatch, Slab } from "@mqb/core/plugin";

const SHORT = 48;

/** The payloads of a batch, read in place: of a slab no view is made. */
export class PayloadReader {
  private readonly batch: MessageBatch;
  private readonly slab: Slab | undefined;

  constructor(batch: MessageBatch) {
    this.batch = batch;
    this.slab = batch.slab;
  }

  length(index: number): number {
    const { slab } = this;
    return slab ? slab.ends[index]! - slab.starts[index]! : this.batch.payload(index).length;
  }

  /** Returns the end of what was copied. */
  copy(index: number, into: Buffer, at: number): number {
    const { slab } = this;
    if (!slab) {
      const payload = this.batch.payload(index);
      into.set(payload, at);
      return at + payload.length;
    }
    const start = slab.starts[index]!;
    const end = slab.ends[index]!;
    if (end - start > SHORT) return at + slab.bytes.copy(into, at, start, end);
    for (let from = start; from < end; ) into[at++] = slab.bytes[from++]!;
    return at;
  }
}
