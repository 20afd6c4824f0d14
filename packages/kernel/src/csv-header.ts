import { detectBom } from "./bom.ts";
import { type CsvDialect, NO_BYTE, type ResolvedDialect, resolveDialect } from "./csv-dialect.ts";
import { CsvScanner, matches, type ScanLimits, withoutDelimiter } from "./csv-scan.ts";
import { isRecordFault } from "./records.ts";

export interface CsvHeader {
  /** Unique column names in order; ill-formed UTF-8 replaced. A name is any text: empty, `__proto__`, with blanks. */
  readonly columns: readonly string[];
  /** Names as they stand in the file, where that differs (duplicates): same length as `columns`. */
  readonly written: readonly string[];
  /** Position just behind the header record. */
  readonly end: number;
}

/**
 * Reads the first record that is not blank as column names, a UTF-8 byte-order mark before it dropped. `undefined`
 * when `bytes` ends inside it and `final` is false, or when there is none. Throws a `RecordFault` for a quote that is
 * never closed (only with `final`).
 */
export function parseCsvHeader(bytes: Buffer, dialect: CsvDialect, final: boolean): CsvHeader | undefined {
  const resolved = resolveDialect(dialect);
  const start = detectBom(bytes) === "utf-8" ? 3 : 0;
  const found = new FirstRecord(resolved, UNLIMITED).find(bytes.subarray(start), final);
  if (found === undefined) return undefined;
  const written = splitFields(bytes.subarray(start + found.start, start + found.end), resolved);
  return { columns: uniqueNames(written), written, end: start + found.end };
}

/**
 * Makes names unique: a repeated name gets `_2`, `_3`, …, whichever is the first that no other column has, so that
 * `a,a,a_2` becomes `a,a_3,a_2`. The first of equal names keeps its spelling.
 */
export function uniqueNames(names: readonly string[]): string[] {
  const taken = new Set(names);
  // The number to try next: counting from 2 again for each would take quadratic time.
  const next = new Map<string, number>();
  return names.map((name) => {
    let number = next.get(name);
    if (number === undefined) {
      next.set(name, 2);
      return name;
    }
    while (taken.has(`${name}_${number}`)) number++;
    next.set(name, number + 1);
    const unique = `${name}_${number}`;
    taken.add(unique);
    return unique;
  });
}

const UNLIMITED: ScanLimits = { maxFieldBytes: Number.MAX_VALUE, maxRecordBytes: Number.MAX_VALUE };
const CANDIDATES = [",", ";", "\t", "|"].map((text) => text.charCodeAt(0));

/**
 * The separator of the first record that is not blank: the most frequent of comma, semicolon, tab and pipe outside
 * quotes; the earlier in that list wins a tie, comma when there is none. A quote opens only where a field starts.
 * `undefined` when `bytes` ends inside that record and `final` is false.
 */
export function detectSeparator(bytes: Uint8Array, dialect: CsvDialect, final: boolean): number | undefined {
  return new SeparatorScan(resolveDialect({ ...dialect, separator: CANDIDATES[0]! })).scan(bytes, final);
}

/** Finds the separator of a record that arrives in pieces, looking at each byte once. See `detectSeparator`. */
export class SeparatorScan {
  readonly #dialect: ResolvedDialect;
  readonly #counts = CANDIDATES.map(() => 0);
  /** The next byte to look at; -1 while blank records may come. */
  #at = -1;
  #quoted = false;
  #fieldStart = true;

  constructor(dialect: ResolvedDialect) {
    this.#dialect = dialect;
  }

  /** `bytes` begin at the same place each time. */
  scan(bytes: Uint8Array, final: boolean): number | undefined {
    const { quote, escape: escapeByte, delimiter } = this.#dialect;
    const counts = this.#counts;
    if (this.#at < 0) {
      const start = skipBlank(bytes, this.#dialect, final);
      if (!isSettled(start, bytes, this.#dialect, final)) return undefined;
      this.#at = start;
    }
    for (; this.#at < bytes.length; this.#at++) {
      const byte = bytes[this.#at]!;
      if (this.#quoted) {
        if (byte === escapeByte) this.#at++;
        else if (byte === quote) this.#quoted = false;
        continue;
      }
      if (byte === delimiter[0]) {
        if (matches(bytes, this.#at, bytes.length, delimiter)) return CANDIDATES[counts.indexOf(Math.max(...counts))]!;
        if (this.#at + delimiter.length > bytes.length && !final) return undefined;
      }
      const candidate = CANDIDATES.indexOf(byte);
      if (candidate >= 0) counts[candidate]!++;
      // Behind a closing quote a second one re-opens the field: that is a doubled quote.
      if (byte === quote && this.#fieldStart) this.#quoted = true;
      else this.#fieldStart = candidate >= 0;
    }
    return final ? CANDIDATES[counts.indexOf(Math.max(...counts))]! : undefined;
  }
}

/** Finds the first record that is not blank in bytes that arrive in pieces, looking at each byte once. */
export class FirstRecord {
  readonly #dialect: ResolvedDialect;
  readonly #scanner: CsvScanner;
  /** Where it begins; -1 while blank records may come. */
  #start = -1;

  constructor(dialect: ResolvedDialect, limits: ScanLimits) {
    this.#dialect = dialect;
    this.#scanner = new CsvScanner(dialect, limits);
  }

  /**
   * Where it lies, or `undefined` when it is not complete. `bytes` begin at the same place each time; the offset of a
   * `RecordFault` is relative to them.
   */
  find(bytes: Buffer, final: boolean): { start: number; end: number } | undefined {
    if (this.#start < 0) {
      const start = skipBlank(bytes, this.#dialect, final);
      if (start >= bytes.length || !isSettled(start, bytes, this.#dialect, final)) return undefined;
      this.#start = start;
    }
    const start = this.#start;
    try {
      const length = this.#scanner.scan(bytes.subarray(start), final);
      return length < 0 ? undefined : { start, end: start + length };
    } catch (error) {
      throw isRecordFault(error) ? error.moved(start) : error;
    }
  }
}

/** Whether more bytes could not make what stands at `start` a blank record. */
function isSettled(start: number, bytes: Uint8Array, { delimiter }: ResolvedDialect, final: boolean): boolean {
  return final || bytes.length - start > delimiter.length;
}

/** Position behind the blank records that `bytes` begins with. */
export function skipBlank(bytes: Uint8Array, dialect: ResolvedDialect, final: boolean): number {
  const { delimiter, lines } = dialect;
  let at = 0;
  for (;;) {
    if (lines && bytes[at] === 13 && bytes[at + 1] === 10) at += 2;
    else if (lines && bytes[at] === 13 && at + 1 === bytes.length && final) at++;
    else if (bytes[at] === delimiter[0] && matches(bytes, at, bytes.length, delimiter)) at += delimiter.length;
    else return at;
  }
}

/** The fields of one whole record as text. Slow and plain: for headers. */
export function splitFields(record: Uint8Array, dialect: ResolvedDialect): string[] {
  const { separator, quote, escape: escapeByte } = dialect;
  const end = withoutDelimiter(record, 0, record.length, dialect);
  // As the original reads it: text first, so that an ill-formed sequence never reaches across a quote.
  const bytes = Buffer.from(Buffer.from(record.buffer, record.byteOffset, end).toString("utf8"));
  const fields: string[] = [];
  // What was taken of the present field, written over the record's own text, of which it is never longer.
  let from = 0;
  let to = 0;
  let quoted = false;
  let fieldStart = true;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (quoted) {
      if (byte === escapeByte && at + 1 < bytes.length) bytes[to++] = bytes[++at]!;
      else if (byte !== quote) bytes[to++] = byte;
      else if (bytes[at + 1] === quote) bytes[to++] = bytes[++at]!;
      else quoted = false;
    } else if (byte === separator) {
      fields.push(bytes.toString("utf8", from, to));
      from = at + 1;
      to = from;
      fieldStart = true;
    } else if (byte === quote && quote !== NO_BYTE && fieldStart) {
      quoted = true;
      fieldStart = false;
    } else {
      bytes[to++] = byte;
      fieldStart = false;
    }
  }
  fields.push(bytes.toString("utf8", from, to));
  return fields;
}
