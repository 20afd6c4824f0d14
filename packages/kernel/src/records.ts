/**
 * Records found in the input, lying one after another in one buffer that belongs to the caller: nothing in this
 * package touches it again, and no part of it is a view over kernel memory, unless the chunk that was fed is one
 * (`takeKernelBuffer`).
 */
export interface RecordSlab {
  /** Record `i` is `bytes[starts[i] .. ends[i])`. */
  readonly bytes: Buffer;
  /** Exactly `count` entries. */
  readonly starts: Uint32Array;
  /** Exactly `count` entries. */
  readonly ends: Uint32Array;
  /** How many records. 0 only when the slab reports something else, such as a skipped oversize record. */
  readonly count: number;
  /** What stands behind each record in `bytes`: LF for CSV to JSON, the delimiter for a splitter. */
  readonly terminator: Uint8Array;
  /**
   * True when every record, the last one too, is followed by exactly `terminator` and the next record starts right
   * behind it: a sink with the same delimiter writes `bytes[starts[0] .. ends[count - 1] + terminator.length)` as it
   * is. Never true for `count` 0.
   */
  readonly contiguous: boolean;
  /** Absolute input offset at which reading continues after the whole slab: the checkpoint of a settled batch. */
  readonly offset: number;
  /** Absolute input offset at which reading continues after record `index`. O(1), no allocation. */
  offsetAfter(index: number): number;
}

/**
 * Turns chunks of bytes into slabs of records. Synchronous and single-threaded; one reader per open input.
 *
 * Drive it so: `feed` a chunk, `take` until it answers `undefined`, then `feed` the next chunk or `end`; after `end`,
 * `take` until `undefined` again. A record that spans chunks is put together inside.
 */
export interface RecordReader<S extends RecordSlab = RecordSlab> {
  /**
   * Gives the next chunk, `bytes[start .. end)`. Allowed only while `take` has nothing more to give (a TypeError
   * otherwise) and before `end`. The reader owns `bytes` from here on: slabs may be views of it, and it may write into
   * `bytes[0 .. start)`. A chunk read at `start` = `CHUNK_HEADROOM` lets a carried-over record be joined in place.
   */
  feed(bytes: Buffer, start?: number, end?: number): void;
  /** No more input will come; what is left becomes the last record. Idempotent. */
  end(): void;
  /**
   * The next 1 to `max` records, or `undefined` when more input is needed (after `end`: when the input is used up).
   * Fewer than `max` come when the chunk, the output area or 65,536 records is the limit. Records before a fault are
   * handed out first; the call after that throws the `RecordFault`, and so does every later one.
   */
  take(max: number): S | undefined;
  /** Absolute input offset of the first byte that no slab has covered yet. */
  readonly offset: number;
  /** Bytes of an unfinished record that are being held back. */
  readonly pending: number;
}

/**
 * Room to leave in front of a chunk (`feed(bytes, CHUNK_HEADROOM)`) so that carried-over records need no own slab. The odd
 * 48 bytes: malloc gives large buffers at 16 bytes behind a page, and the kernel's copy out of the page cache to there took five
 * times as long as to 64 (AMD EPYC, `rep movsb` to a few bytes behind the source's place in its page).
 */
export const CHUNK_HEADROOM = 16 * 1024 + 48;

/** Why a reader cannot go on. */
export type RecordFaultKind =
  /** The input ended inside a quoted field. `offset` is that of the opening quote. */
  | "unterminated_quote"
  /** A field is longer than `maxFieldBytes`. `offset` is that of its first byte (the opening quote if it has one). */
  | "field_too_long"
  /** A record is longer than `maxRecordBytes`. `offset` is that of its first byte. */
  | "record_too_long"
  /** The first bytes are the byte-order mark of UTF-16. `offset` is 0. */
  | "utf16";

interface FaultPlace {
  readonly offset: number;
  readonly line?: number | undefined;
  readonly limit?: number | undefined;
  readonly quoted?: boolean;
}

/**
 * The input is broken at a place from which no further record can be found. Packages above make their own coded error
 * of it; test with `isRecordFault`, never with `instanceof`.
 */
export class RecordFault extends Error {
  override readonly name = "RecordFault";
  readonly "mqb.kernel.fault" = true;
  readonly kind: RecordFaultKind;
  /** Absolute input offset, as `kind` says. */
  readonly offset: number;
  /** Line of that offset, from 1; `undefined` when the reader does not count lines or began in the middle. */
  readonly line: number | undefined;
  /** The limit that was passed, in bytes, for the `too_long` kinds. */
  readonly limit: number | undefined;
  /** For `field_too_long`: the field begins with a quote, so a missing closing quote is the likely cause. */
  readonly quoted: boolean;

  constructor(kind: RecordFaultKind, at: FaultPlace) {
    super(describeFault(kind, at));
    this.kind = kind;
    this.offset = at.offset;
    this.line = at.line;
    this.limit = at.limit;
    this.quoted = at.quoted ?? false;
  }

  /** The same fault `by` bytes further on, at the given line. */
  moved(by: number, line?: number): RecordFault {
    return new RecordFault(this.kind, { offset: this.offset + by, line, limit: this.limit, quoted: this.quoted });
  }
}

export function isRecordFault(error: unknown): error is RecordFault {
  return typeof error === "object" && error !== null && "mqb.kernel.fault" in error;
}

function describeFault(kind: RecordFaultKind, at: FaultPlace): string {
  const where = at.line === undefined ? `byte ${at.offset}` : `line ${at.line} (byte ${at.offset})`;
  switch (kind) {
    case "unterminated_quote":
      return `The quote opened at ${where} is never closed`;
    case "field_too_long":
      return at.quoted
        ? `The quoted field that opens at ${where} is longer than ${at.limit} bytes; is its closing quote missing?`
        : `The field at ${where} is longer than ${at.limit} bytes`;
    case "record_too_long":
      return `The record at ${where} is longer than ${at.limit} bytes`;
    case "utf16":
      return "The input begins with a UTF-16 byte-order mark; convert it to UTF-8";
  }
}
