import type { MessageBatch } from "@mqb/core/plugin";
import { type CsvRefusal, csvHeaderRow, JsonToCsv, jsonColumns } from "@mqb/kernel";
import { type CsvSettings, kernelDialect } from "../csv-dialect.ts";
import { formatErrors } from "../errors.ts";
import { type EncodedBatch, NONE_REFUSED, type Refused } from "./encoder.ts";
import { OutputPool } from "./output-pool.ts";
import { type Payloads, payloadsOf } from "./payloads.ts";

const BOM = Buffer.from("\ufeff");

/** What the file or object already holds. */
export interface CsvTarget {
  /** Its columns; undefined when it has none yet. */
  readonly columns: readonly string[] | undefined;
  /** It has no byte yet, so that a header goes first. */
  readonly empty: boolean;
}

export interface EncodedRows extends EncodedBatch {
  /** The columns that the rows have; undefined when no message could become a row. */
  readonly columns: readonly string[] | undefined;
}

export interface CsvEncoderOptions {
  readonly csv: CsvSettings;
  readonly delimiter: Uint8Array;
  /** A record was written although its keys differ from the columns. Told once. */
  readonly onMismatch?: (key: string | undefined) => void;
}

/** `csv`: a row per JSON object. The columns are those of the target, those configured, or those of the first record. */
export class CsvEncoder {
  private readonly csv: CsvSettings;
  private readonly dialect: { separator: number; quote: number | null; delimiter: Uint8Array };
  private readonly onMismatch: CsvEncoderOptions["onMismatch"];
  private readonly pool = new OutputPool();
  private rows: JsonToCsv | undefined;
  private told = false;

  constructor(options: CsvEncoderOptions) {
    this.csv = options.csv;
    const { separator = 44, quote = 34 } = kernelDialect(options.csv, options.delimiter);
    this.dialect = { separator, quote, delimiter: options.delimiter };
    this.onMismatch = options.onMismatch;
  }

  encode(batch: MessageBatch, target: CsvTarget): EncodedRows {
    const payloads = payloadsOf(batch);
    const columns = target.columns ?? this.chooseColumns(payloads);
    if (columns === undefined) return { chunks: [], refused: this.refuseAll(payloads), columns: undefined };
    let header: Buffer | undefined;
    if (target.empty && this.csv.header) {
      try {
        header = csvHeaderRow(columns, this.dialect);
      } catch (cause) {
        const error = formatErrors.CSV_NEEDS_QUOTE({ what: "a column name" }, { cause });
        return { chunks: [], refused: Array.from(batch, (_, index) => ({ index, error })), columns: undefined };
      }
    }
    const { chunk, refused } = this.encodeRows(payloads, columns);
    if (chunk === undefined) return { chunks: [], refused, columns: undefined };
    const chunks = header ? [header, chunk] : [chunk];
    // A reader drops the mark that a file begins with: one that belongs to the first name or value needs another before it.
    if (target.empty && chunks[0]!.indexOf(BOM) === 0) chunks.unshift(BOM);
    return { chunks, refused, columns };
  }

  /** As `RecordEncoder.release`. */
  release(chunks: readonly Buffer[]): void {
    this.pool.release(chunks);
  }

  private encodeRows(
    payloads: Payloads,
    columns: readonly string[],
  ): { chunk: Buffer | undefined; refused: readonly Refused[] } {
    const result = this.writer(columns).encode(payloads);
    const missing =
      this.csv.onMismatch === "fail" && result.missing > 0 ? this.incomplete(payloads, columns) : NONE_REFUSED;
    if (missing.length > 0) return this.encodeWithout(payloads, columns, missing);
    const foreign =
      result.missing > 0 && this.hasEmptyRow(result.bytes, columns) ? this.foreign(payloads, columns) : [];
    if (foreign.length > 0) return this.encodeWithout(payloads, columns, foreign);
    if (result.firstMismatch && this.csv.onMismatch === "warn" && !this.told && this.counts(result)) {
      this.told = true;
      this.onMismatch?.(result.firstMismatch.key);
    }
    const refused = result.refused.length === 0 ? NONE_REFUSED : result.refused.map((one) => refusal(one, columns));
    return { chunk: result.count === 0 ? undefined : result.bytes, refused };
  }

  /** With configured columns further keys are dropped on purpose. */
  private counts(result: { readonly missing: number; readonly unknown: number }): boolean {
    return this.csv.columns.length === 0 || result.missing > 0;
  }

  /** With configured columns and `on_mismatch: fail`, further keys are dropped but a missing one refuses the record. */
  private incomplete(payloads: Payloads, columns: readonly string[]): Refused[] {
    const refused: Refused[] = [];
    const known = new Set(columns);
    for (let index = 0; index < payloads.count; index++) {
      const object = payloads.bytes.subarray(payloads.starts[index]!, payloads.ends[index]!);
      const keys = jsonColumns(object, this.csv.nested, known);
      if (keys === undefined) continue;
      // Its keys come once each.
      const supplied = keys.filter((key) => known.has(key)).length;
      if (supplied < columns.length)
        refused.push({ index, error: formatErrors.CSV_MISSING_KEYS({ supplied, columns: columns.length }) });
    }
    return refused;
  }

  /** Whether there may be a row without any value: one that would drop everything that its record holds. */
  private hasEmptyRow(rows: Buffer, columns: readonly string[]): boolean {
    const { separator, quote, delimiter } = this.dialect;
    const only =
      columns.length === 1 && quote !== null ? [quote, quote] : new Array<number>(columns.length - 1).fill(separator);
    const row = Buffer.concat([Buffer.from(only), delimiter]);
    return rows.indexOf(row) === 0 || rows.indexOf(Buffer.concat([delimiter, row])) >= 0;
  }

  /** Records that hold none of the columns: not rows of this file, whatever `on_mismatch` says. */
  private foreign(payloads: Payloads, columns: readonly string[]): Refused[] {
    const refused: Refused[] = [];
    const known = new Set(columns);
    for (let index = 0; index < payloads.count; index++) {
      const object = payloads.bytes.subarray(payloads.starts[index]!, payloads.ends[index]!);
      const keys = jsonColumns(object, this.csv.nested, known);
      if (keys === undefined || keys.some((key) => known.has(key))) continue;
      refused.push({ index, error: formatErrors.CSV_NO_COLUMN({ keys, columns }) });
    }
    return refused;
  }

  private encodeWithout(
    payloads: Payloads,
    columns: readonly string[],
    without: readonly Refused[],
  ): { chunk: Buffer | undefined; refused: readonly Refused[] } {
    const out = new Set(without.map((one) => one.index));
    const kept = Uint32Array.from({ length: payloads.count }, (_, index) => index).filter((index) => !out.has(index));
    const result = this.writer(columns).encode({
      bytes: payloads.bytes,
      starts: kept.map((index) => payloads.starts[index]!),
      ends: kept.map((index) => payloads.ends[index]!),
      count: kept.length,
    });
    const others = result.refused.map((one) => refusal({ ...one, index: kept[one.index]! }, columns));
    const refused = [...without, ...others].sort((a, b) => a.index - b.index);
    return { chunk: result.count === 0 ? undefined : result.bytes, refused };
  }

  private writer(columns: readonly string[]): JsonToCsv {
    if (this.rows?.columns !== columns) {
      this.rows = new JsonToCsv({
        ...this.dialect,
        columns,
        allocate: this.pool.take,
        positions: false,
        nested: this.csv.nested,
        mismatch: this.csv.onMismatch === "fail" && this.csv.columns.length === 0 ? "refuse" : "write",
      });
    }
    return this.rows;
  }

  private chooseColumns(payloads: Payloads): readonly string[] | undefined {
    if (this.csv.columns.length > 0) return this.csv.columns;
    for (let i = 0; i < payloads.count; i++) {
      const columns = jsonColumns(payloads.bytes.subarray(payloads.starts[i]!, payloads.ends[i]!), this.csv.nested);
      if (columns !== undefined) return columns;
    }
    return undefined;
  }

  private refuseAll(payloads: Payloads): readonly Refused[] {
    const columns = ["_"];
    const refused = new JsonToCsv({ ...this.dialect, columns }).encode(payloads).refused;
    const reasons = new Map(refused.map((one) => [one.index, refusalError(one, columns)]));
    // An object that names no columns and yet was not refused has a key that is half a surrogate pair.
    return Array.from({ length: payloads.count }, (_, index) => ({
      index,
      error: reasons.get(index) ?? formatErrors.LONE_SURROGATE({ what: "a key of the payload" }),
    }));
  }
}

function refusal(one: CsvRefusal, columns: readonly string[]): Refused {
  return { index: one.index, error: refusalError(one, columns) };
}

function refusalError(one: CsvRefusal, columns: readonly string[]): Error {
  switch (one.reason) {
    case "lone_surrogate":
      return formatErrors.LONE_SURROGATE({ what: "the payload" });
    case "unknown_key":
      return formatErrors.CSV_EXTRA_KEY({ key: one.key ?? "" });
    case "missing_column":
      return formatErrors.CSV_MISSING_KEYS({ supplied: one.present ?? 0, columns: columns.length });
    case "unquotable":
      return formatErrors.CSV_NEEDS_QUOTE({ what: "a value" });
    case "too_deep":
      return formatErrors.CSV_TOO_DEEP({});
    default:
      return formatErrors.CSV_NOT_OBJECT({ what: WHAT[one.reason] });
  }
}

const WHAT = {
  not_json: "not JSON",
  not_object: "not a JSON object",
  empty_object: "an empty object",
  ill_formed_utf8: "not UTF-8",
} as const;
