/**
 * Byte loops: CSV to JSON and back, record splitting, JSON string escaping, finding fields. Each exists twice with
 * the same behaviour, in WebAssembly SIMD and in plain JavaScript; where the module cannot be made the second is used.
 */
export { type BomEncoding, detectBom } from "./bom.ts";
export type { CsvDialect } from "./csv-dialect.ts";
export { type CsvHeader, detectSeparator, parseCsvHeader, uniqueNames } from "./csv-header.ts";
export type { CsvSlab, RaggedRow } from "./csv-slab.ts";
export { CsvToJson, type CsvToJsonOptions } from "./csv-to-json.ts";
export { type Engine, simdAvailable } from "./engine.ts";
export { FIELD_FLAGS, type FieldRows, FieldTable, ODD_DOCUMENT } from "./field-rows.ts";
export { jsonColumns } from "./json-columns.ts";
export {
  type AroundOptions,
  decodeBase64,
  encodeBase64,
  escapeJsonStrings,
  joinRanges,
  type TextBatch,
  type TextOptions,
  unescapeJsonStrings,
} from "./json-strings.ts";
export {
  type CsvRefusal,
  type CsvRefusalReason,
  type CsvRows,
  csvHeaderRow,
  JsonToCsv,
  type JsonToCsvOptions,
} from "./json-to-csv.ts";
export { giveBackKernelBuffer, isKernelBuffer, takeKernelBuffer } from "./kernel-buffers.ts";
export {
  MAX_DEPTH as MAX_JSON_DEPTH,
  scanString as scanJsonString,
  scanValue as scanJsonValue,
  skipBlank as skipJsonBlank,
} from "./loops/json-walk.ts";
export { Pieces } from "./pieces.ts";
export type { Ranges } from "./ranges.ts";
export {
  CHUNK_HEADROOM,
  isRecordFault,
  RecordFault,
  type RecordFaultKind,
  type RecordReader,
  type RecordSlab,
} from "./records.ts";
export type { OversizeRecord, SplitSlab } from "./split-slab.ts";
export { RecordSplitter, type RecordSplitterOptions } from "./splitter.ts";
