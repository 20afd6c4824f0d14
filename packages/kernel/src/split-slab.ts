import { matches } from "./csv-scan.ts";
import type { RecordSlab } from "./records.ts";

/** A record that was longer than `maxRecordBytes` and was let go. */
export interface OversizeRecord {
  /** Absolute input offset of its first byte. */
  readonly offset: number;
  /** Length in bytes without the delimiter. */
  readonly size: number;
  /** Its first bytes, 1 KiB at most. A copy. */
  readonly head: Buffer;
}

export interface SplitSlab extends RecordSlab {
  /** Set only on slabs of count 0 (see `onOversize`). */
  readonly oversize: OversizeRecord | undefined;
}

/** A slab over a chunk, or over one record that was put together. */
export class ChunkSlab implements SplitSlab {
  readonly bytes: Buffer;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  readonly count: number;
  readonly terminator: Uint8Array;
  readonly contiguous: boolean;
  readonly oversize: OversizeRecord | undefined;
  /** Absolute input offset of byte 0 of `bytes`. */
  readonly #base: number;
  /** Where reading continues behind the whole slab, when the delimiter of the last record does not tell. */
  readonly #after: number | undefined;

  constructor(
    bytes: Buffer,
    starts: Uint32Array,
    ends: Uint32Array,
    terminator: Uint8Array,
    base: number,
    uneven: boolean,
    after?: number,
    oversize?: OversizeRecord,
  ) {
    this.bytes = bytes;
    this.starts = starts;
    this.ends = ends;
    this.count = starts.length;
    this.terminator = terminator;
    this.oversize = oversize;
    this.#base = base;
    this.#after = after;
    this.contiguous = !uneven || this.#lineUp();
  }

  get offset(): number {
    return this.#after ?? this.offsetAfter(this.count - 1);
  }

  offsetAfter(index: number): number {
    const end = this.ends[index];
    if (end === undefined) throw new RangeError(`record ${index} is not in a slab of ${this.count}`);
    if (this.#after !== undefined && index === this.count - 1) return this.#after;
    // Where a CR was dropped, the delimiter stands one further on.
    const dropped = matches(this.bytes, end, this.bytes.length, this.terminator) ? 0 : 1;
    return this.#base + end + dropped + this.terminator.length;
  }

  /** Whether each record is followed by exactly the terminator and the next record. */
  #lineUp(): boolean {
    const { bytes, starts, ends, count, terminator } = this;
    for (let i = 1; i < count; i++) if (starts[i] !== ends[i - 1]! + terminator.length) return false;
    return count > 0 && matches(bytes, ends[count - 1]!, bytes.length, terminator);
  }
}
