import { batchOf, slabBatch } from "@mqb/core/plugin";
import { type CsvSlab, CsvToJson, parseCsvHeader } from "@mqb/kernel";
import { type CsvSettings, kernelDialect } from "../csv-dialect.ts";
import { OutputPool } from "../encode/output-pool.ts";
import { formatErrors } from "../errors.ts";
import type { CsvStreamHeader, DecodedBatch, DecoderOptions, RecordDecoder, Stamp } from "./decoder.ts";
import { readingError } from "./faults.ts";
import { slabOf, stampFields } from "./lines.ts";

const NOTHING = batchOf([]);
/** As many slabs as a route with four workers has in flight, and the ones that are made meanwhile. */
const SLABS = 6;

/** `csv`: one JSON object of strings per row. */
export class CsvDecoder implements RecordDecoder {
  readonly keepsChunks = false;
  private readonly pool = new OutputPool(SLABS);
  private readonly reader: CsvToJson;
  private readonly options: DecoderOptions;
  private readonly strict: boolean;
  private readonly reported = new Set<string>();
  /** A fault to throw once the rows before it have been handed out. */
  private fault: unknown;

  constructor(options: DecoderOptions) {
    this.options = options;
    this.strict = options.csv.onRagged === "fail";
    this.reader = new CsvToJson({
      ...readerOptions(options.csv, options.delimiter, options.header),
      listRagged: this.strict,
      maxFieldBytes: Math.min(options.csv.maxFieldBytes, options.maxMessageBytes),
      maxRecordBytes: options.maxMessageBytes,
      offset: options.offset,
      allocate: this.pool.take,
    });
  }

  /** Columns and separator, once the first record has been read. */
  get header(): CsvStreamHeader | undefined {
    const { columns, separator } = this.reader;
    return columns === undefined || separator === undefined ? undefined : { columns, separator };
  }

  get offset(): number {
    return this.reader.offset;
  }

  get pending(): number {
    return this.reader.pending;
  }

  feed(bytes: Buffer, start?: number, end?: number): void {
    this.reader.feed(bytes, start, end);
  }

  end(): void {
    this.reader.end();
  }

  take(max: number, stamp?: Stamp): DecodedBatch | undefined {
    if (this.fault) throw this.fault;
    let slab: CsvSlab | undefined;
    try {
      slab = this.reader.take(max);
    } catch (error) {
      throw readingError(error, this.options.source);
    }
    if (slab === undefined) return undefined;
    if (this.strict && slab.ragged.length > 0) return this.upToRagged(slab, stamp);
    if (slab.short > 0) this.report("short", slab);
    if (slab.long > 0) this.report("long", slab);
    const { bytes } = slab;
    return { ...wrap(slab, stamp), release: () => this.pool.release([bytes]) };
  }

  /** The rows before the first ragged one; the call after that throws. */
  private upToRagged(slab: CsvSlab, stamp: Stamp | undefined): DecodedBatch {
    const row = slab.ragged[0]!;
    this.fault = formatErrors.RAGGED_ROW({
      source: this.options.source,
      offset: row.offset,
      line: row.line,
      fields: row.fields,
      columns: this.reader.columns!.length,
    });
    if (row.index === 0) throw this.fault;
    const whole = wrap(slab, stamp);
    const before = whole.batch.select(Uint32Array.from({ length: row.index }, (_, index) => index));
    return { batch: before, offset: whole.offsetAfter(row.index - 1), offsetAfter: whole.offsetAfter };
  }

  private report(kind: "short" | "long", slab: CsvSlab): void {
    if (this.reported.has(kind)) return;
    this.reported.add(kind);
    this.options.onRagged?.({ kind, columns: this.reader.columns!.length, before: slab.offset });
  }
}

/**
 * What the first record of a CSV stream says, of the stream's first bytes; undefined when it does not end within them.
 * `final`: no more bytes follow.
 */
export function readStreamHeader(
  csv: CsvSettings,
  delimiter: Uint8Array,
  head: Buffer,
  final: boolean,
): CsvStreamHeader | undefined {
  const reader = new CsvToJson(readerOptions(csv, delimiter, undefined));
  reader.feed(head);
  if (final) reader.end();
  try {
    reader.take(1);
  } catch {
    // The header is what counts here; faults behind it come up when the rows are read.
  }
  const { columns, separator } = reader;
  return columns === undefined || separator === undefined ? undefined : { columns, separator };
}

/**
 * Where the header record of a CSV stream ends, of the stream's first bytes: 0 when it has none, undefined when it does
 * not end within them. The separator must be settled.
 */
export function headerEnd(
  csv: CsvSettings & { readonly separator: number },
  delimiter: Uint8Array,
  head: Buffer,
): number | undefined {
  return csv.header ? parseCsvHeader(head, kernelDialect(csv, delimiter), false)?.end : 0;
}

/** The columns that the first record of a CSV file names; undefined when there is no such record in `head`. */
export function parseHeader(csv: CsvSettings, delimiter: Uint8Array, head: Buffer): readonly string[] | undefined {
  // The original never mends a missing last line break, so the end of the bytes may end the header.
  return parseCsvHeader(head, kernelDialect(csv, delimiter), true)?.columns;
}

function readerOptions(csv: CsvSettings, delimiter: Uint8Array, header: CsvStreamHeader | undefined) {
  const columns = header?.columns ?? (csv.columns.length > 0 ? csv.columns : undefined);
  return {
    separator: header?.separator ?? csv.separator,
    quote: csv.quote,
    delimiter,
    header: header === undefined && csv.header,
    ...(csv.escape === undefined ? {} : { escape: csv.escape }),
    ...(columns === undefined ? {} : { columns }),
  };
}

function wrap(slab: CsvSlab, stamp: Stamp | undefined): DecodedBatch {
  return {
    batch: slab.count === 0 ? NOTHING : slabBatch(slabOf(slab), stampFields(slab, stamp)),
    offset: slab.offset,
    offsetAfter: (index) => slab.offsetAfter(index),
  };
}
