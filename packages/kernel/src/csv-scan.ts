import type { ResolvedDialect } from "./csv-dialect.ts";
import { RecordFault } from "./records.ts";

export interface ScanLimits {
  readonly maxFieldBytes: number;
  readonly maxRecordBytes: number;
}

const CR = 13;
const LF = 10;

/**
 * Finds the end of one record in bytes that arrive in pieces, looking at each byte once. For records that do not fit
 * the kernel, and for the first record of an input; everything else never comes here.
 */
export class CsvScanner {
  readonly #dialect: ResolvedDialect;
  readonly #limits: ScanLimits;
  #at = 0;
  #fieldStart = 0;
  #inQuotes = false;
  /** Where the present field's opening quote stands, or -1. */
  #openQuote = -1;

  constructor(dialect: ResolvedDialect, limits: ScanLimits) {
    this.#dialect = dialect;
    this.#limits = limits;
  }

  /** Begins a record at byte 0 of what `scan` will be given. */
  reset(): void {
    this.#at = 0;
    this.#fieldStart = 0;
    this.#inQuotes = false;
    this.#openQuote = -1;
  }

  /**
   * Looks on in `bytes[0 .. length)`, which begins with the record and holds everything since `reset`. Returns the
   * position just behind the record's delimiter (behind the last byte when `final`), or -1 when more is needed. Throws
   * a `RecordFault` whose offset is relative to the record.
   */
  scan(bytes: Uint8Array, length: number, final: boolean): number {
    const end = this.#walk(bytes, length, final);
    this.#checkField(end < 0 ? length : end - this.#dialect.delimiter.length);
    if ((end < 0 ? length : end) > this.#limits.maxRecordBytes) {
      throw new RecordFault("record_too_long", { offset: 0, limit: this.#limits.maxRecordBytes });
    }
    if (end >= 0 || !final) return end;
    if (this.#inQuotes) throw new RecordFault("unterminated_quote", { offset: this.#openQuote });
    return length;
  }

  #walk(bytes: Uint8Array, length: number, final: boolean): number {
    const { separator, quote, escape: escapeByte, delimiter } = this.#dialect;
    const first = delimiter[0]!;
    let at = this.#at;
    while (at < length) {
      const byte = bytes[at]!;
      if (this.#inQuotes) {
        if (byte === escapeByte) {
          if (at + 1 >= length && !final) break;
          at += 2;
        } else if (byte === quote) {
          if (at + 1 >= length && !final) break;
          if (bytes[at + 1] === quote && at + 1 < length) at += 2;
          else {
            this.#inQuotes = false;
            at++;
          }
        } else at++;
      } else if (byte === quote && at === this.#fieldStart) {
        this.#inQuotes = true;
        this.#openQuote = at++;
      } else if (byte === separator) {
        this.#checkField(at);
        this.#fieldStart = ++at;
        this.#openQuote = -1;
      } else if (byte === first) {
        if (matches(bytes, at, length, delimiter)) {
          this.#at = at;
          return at + delimiter.length;
        }
        if (at + delimiter.length > length && !final) break;
        at++;
      } else at++;
    }
    this.#at = Math.min(at, length);
    return -1;
  }

  #checkField(end: number): void {
    if (end - this.#fieldStart <= this.#limits.maxFieldBytes) return;
    throw new RecordFault("field_too_long", {
      offset: this.#fieldStart,
      limit: this.#limits.maxFieldBytes,
      quoted: this.#inQuotes,
    });
  }
}

/** Whether the delimiter stands whole at `bytes[at]`, within `length`. */
export function matches(bytes: Uint8Array, at: number, length: number, delimiter: Uint8Array): boolean {
  if (at + delimiter.length > length) return false;
  for (let i = 0; i < delimiter.length; i++) if (bytes[at + i] !== delimiter[i]) return false;
  return true;
}

/** Length of the record without its delimiter (and, for lines, without one CR before it). */
export function withoutDelimiter(bytes: Uint8Array, start: number, end: number, dialect: ResolvedDialect): number {
  const size = dialect.delimiter.length;
  let last = end;
  if (
    end - start >= size &&
    bytes[end - size] === dialect.delimiter[0] &&
    matches(bytes, end - size, end, dialect.delimiter)
  )
    last = end - size;
  if (dialect.lines && last > start && bytes[last - 1] === CR) last--;
  return last;
}

/** LF bytes in a range: what line numbers are counted by. */
export function countLines(bytes: Uint8Array, start: number, end: number): number {
  let lines = 0;
  for (let at = bytes.indexOf(LF, start); at >= 0 && at < end; at = bytes.indexOf(LF, at + 1)) lines++;
  return lines;
}
