import type { RecordFormat } from "../format.ts";
import type { RecordEncoder } from "./encoder.ts";
import { EnvelopeEncoder } from "./envelope.ts";
import { RawEncoder } from "./raw.ts";

/** An encoder of a format whose records do not depend on each other. For `csv` see `CsvEncoder`. */
export function createEncoder(format: Exclude<RecordFormat, "csv">, delimiter: Uint8Array): RecordEncoder {
  return format === "raw" ? new RawEncoder(delimiter) : new EnvelopeEncoder(format, delimiter);
}
