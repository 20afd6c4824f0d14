import type { MessageBatch } from "@mqb/core/plugin";
import { compileFields, type FieldFinder, type JsonPath } from "@mqb/json";

/** Fields that are looked for in the payloads of batches: all of them in one pass over each payload. */
export class Fields {
  private readonly finder: FieldFinder;
  private readonly width: number;

  constructor(paths: readonly JsonPath[]) {
    this.finder = compileFields(paths);
    this.width = paths.length;
  }

  look(batch: MessageBatch): FoundFields {
    return new FoundFields(batch, this.finder, this.width);
  }
}

/** The fields of the payloads of one batch: field `f` of message `i` at `i * width + f`. None is there in what is no JSON. */
export class FoundFields {
  readonly batch: MessageBatch;
  readonly width: number;
  readonly kinds: Uint8Array;
  /** In `bytesOf` the message. */
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;

  constructor(batch: MessageBatch, finder: FieldFinder, width: number) {
    const { length } = batch;
    this.batch = batch;
    this.width = width;
    this.kinds = new Uint8Array(length * width);
    this.starts = new Uint32Array(length * width);
    this.ends = new Uint32Array(length * width);
    if (width === 0) return;
    for (let index = 0, at = 0; index < length; index++) {
      const bytes = this.bytesOf(index);
      finder.find(bytes, this.startOf(index), this.endOf(index, bytes));
      for (let field = 0; field < width; field++, at++) {
        this.kinds[at] = finder.kinds[field]!;
        this.starts[at] = finder.starts[field]!;
        this.ends[at] = finder.ends[field]!;
      }
    }
  }

  /** The bytes that the payload lies in. */
  bytesOf(index: number): Uint8Array {
    return this.batch.slab?.bytes ?? this.batch.payload(index);
  }

  startOf(index: number): number {
    return this.batch.slab?.starts[index] ?? 0;
  }

  endOf(index: number, bytes: Uint8Array): number {
    return this.batch.slab?.ends[index] ?? bytes.length;
  }
}
