import type { Arena } from "./arena.ts";
import { SLOT_STRIDE } from "./layout.ts";
import type { RecordSlab } from "./records.ts";

/** One row whose number of fields is not that of the columns. */
export interface RaggedRow {
  /** Which record of the slab. */
  readonly index: number;
  readonly fields: number;
  /** Absolute input offset of its first byte. */
  readonly offset: number;
  /** Line of its first byte, from 1; `undefined` when the reader began in the middle. */
  readonly line: number | undefined;
  /** The row as it stands in the file, without its delimiter. A copy. */
  readonly raw: Buffer;
}

export interface CsvSlab extends RecordSlab {
  /** Rows with too few fields. */
  readonly short: number;
  /** Rows with too many fields. */
  readonly long: number;
  /** With `listRagged`: both kinds, in order. Otherwise empty. */
  readonly ragged: readonly RaggedRow[];
}

const LF = Buffer.from("\n");

/** What one `take` has gathered in an arena's output area and slots. */
export class SlabBuilder {
  /** Absolute input offset of the slab's first byte; the `after` slots are relative to it. */
  readonly base: number;
  readonly ragged: RaggedRow[] = [];
  count = 0;
  bytes = 0;
  short = 0;
  long = 0;

  constructor(base: number) {
    this.base = base;
  }

  add(count: number, bytes: number, short: number, long: number): void {
    this.count += count;
    this.bytes += bytes;
    this.short += short;
    this.long += long;
  }

  /** Copies everything out of the arena, once. */
  finish(arena: Arena, allocate: (size: number) => Buffer): CsvSlab {
    const { memory, words, layout } = arena;
    const bytes = allocate(this.bytes);
    memory.copy(bytes, 0, layout.output, layout.output + this.bytes);
    const slots = (array: number): Uint32Array => {
      const from = (layout.slots + array * SLOT_STRIDE) / 4;
      return words.slice(from, from + this.count);
    };
    return new FinishedSlab(this, bytes, slots(0), slots(1), slots(2));
  }

  /** The slab of a single record that was converted elsewhere; `size` is its length in the input. */
  finishOne(json: Buffer, size: number): CsvSlab {
    return new FinishedSlab(this, json, Uint32Array.of(0), Uint32Array.of(json.length - 1), Uint32Array.of(size));
  }
}

class FinishedSlab implements CsvSlab {
  readonly bytes: Buffer;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  readonly count: number;
  readonly terminator: Uint8Array = LF;
  readonly contiguous = true;
  readonly short: number;
  readonly long: number;
  readonly ragged: readonly RaggedRow[];
  readonly #base: number;
  readonly #after: Uint32Array;

  constructor(from: SlabBuilder, bytes: Buffer, starts: Uint32Array, ends: Uint32Array, after: Uint32Array) {
    this.bytes = bytes;
    this.starts = starts;
    this.ends = ends;
    this.count = starts.length;
    this.short = from.short;
    this.long = from.long;
    this.ragged = from.ragged;
    this.#base = from.base;
    this.#after = after;
  }

  get offset(): number {
    return this.offsetAfter(this.count - 1);
  }

  offsetAfter(index: number): number {
    const after = this.#after[index];
    if (after === undefined) throw new RangeError(`record ${index} is not in a slab of ${this.count}`);
    return this.#base + after;
  }
}
