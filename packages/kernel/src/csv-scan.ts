import { NO_BYTE, type ResolvedDialect } from "./csv-dialect.ts";
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

  constructor(dialect: ResolvedDialect, limits: ScanLimits) {
    this.#dialect = dialect;
    this.#limits = limits;
  }

  /** Begins a record at byte 0 of what `scan` will be given. */
  reset(): void {
    this.#at = 0;
    this.#fieldStart = 0;
    this.#inQuotes = false;
  }

  /**
   * Looks on in `bytes`, which begin with the record and hold everything since `reset`. Returns the position just behind
   * the record's delimiter (behind the last byte when `final`), or -1 when more is needed. Throws a `RecordFault` whose
   * offset is relative to the record.
   */
  scan(bytes: Buffer, final: boolean): number {
    const end = this.#walk(bytes, final);
    // While it is not whole, its last bytes may be a part of the delimiter.
    const reached =
      end < 0 && !final
        ? bytes.length - this.#dialect.delimiter.length
        : withoutDelimiter(bytes, 0, end < 0 ? bytes.length : end, this.#dialect);
    this.#checkField(bytes, reached);
    if (reached > this.#limits.maxRecordBytes) {
      throw new RecordFault("record_too_long", { offset: 0, limit: this.#limits.maxRecordBytes });
    }
    if (end >= 0 || !final) return end;
    if (this.#inQuotes) throw new RecordFault("unterminated_quote", { offset: this.#fieldStart });
    return bytes.length;
  }

  #walk(bytes: Buffer, final: boolean): number {
    const { separator, quote, delimiter } = this.#dialect;
    const { length } = bytes;
    const first = delimiter[0]!;
    let at = this.#at;
    let fieldStart = this.#fieldStart;
    let end = -1;
    while (at < length) {
      if (this.#inQuotes) {
        at = this.#skipQuoted(bytes, at, final);
        if (this.#inQuotes) break;
        continue;
      }
      const byte = bytes[at]!;
      if (byte === quote && at === fieldStart) {
        this.#inQuotes = true;
        at++;
      } else if (byte === separator) {
        this.#checkField(bytes, at);
        fieldStart = ++at;
        this.#fieldStart = at;
      } else if (byte === first) {
        if (matches(bytes, at, length, delimiter)) {
          end = at + delimiter.length;
          break;
        }
        if (at + delimiter.length > length && !final) break;
        at++;
      } else at++;
    }
    this.#at = at;
    return end;
  }

  /** From inside a quoted field to the byte behind its closing quote; otherwise as far as can be told. */
  #skipQuoted(bytes: Buffer, from: number, final: boolean): number {
    const { quote, escape: escapeByte } = this.#dialect;
    const { length } = bytes;
    for (let at = from; ; at += 2) {
      if (escapeByte === NO_BYTE) at = bytes.indexOf(quote, at);
      else while (at < length && bytes[at] !== quote && bytes[at] !== escapeByte) at++;
      if (at < 0 || at >= length) return length;
      if (at + 1 >= length && !final) return at;
      if (bytes[at] === quote && bytes[at + 1] !== quote) {
        this.#inQuotes = false;
        return at + 1;
      }
    }
  }

  #checkField(bytes: Buffer, end: number): void {
    const offset = this.#fieldStart;
    if (end - offset <= this.#limits.maxFieldBytes) return;
    const quoted = bytes[offset] === this.#dialect.quote;
    throw new RecordFault("field_too_long", { offset, limit: this.#limits.maxFieldBytes, quoted });
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
