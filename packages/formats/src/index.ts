/** Record formats, batch codecs and part names, shared by the endpoints that keep records in files and objects. */

export { CHUNK_HEADROOM, giveBackKernelBuffer, isKernelBuffer, takeKernelBuffer } from "@mqb/kernel";
export {
  type AtRestCipher,
  type AtRestEncryption,
  checkEncryption,
  type EncryptionSettings,
  openEncryption,
} from "./at-rest.ts";
export {
  CODEC_SUFFIX,
  type Compressor,
  type Decompressor,
  looksSealed,
  SNIFF_BYTES,
  sniffCodec,
} from "./codec/codec.ts";
export { GrowingBuffer } from "./codec/growing-buffer.ts";
export { openCompressor, openDecompressor } from "./codec/index.ts";
export { InputQueue } from "./codec/input-queue.ts";
export { openPacker, openUnpacker, type Packing } from "./codec/packing.ts";
export { openPayloadCodec, type PayloadCodec } from "./codec/payload-codec.ts";
export { RATIO_FREE, type UnfoldLimits } from "./codec/unfold-limits.ts";
export {
  CODEC_NAMES,
  type CodecName,
  type CsvConfig,
  compressionConfig,
  csvConfig,
  delimiterConfig,
  encryptionConfig,
  formatConfig,
} from "./config.ts";
export { type CsvSettings, checkCsv, csvSettings, kernelDialect } from "./csv-dialect.ts";
export { headerEnd, parseHeader, readStreamHeader } from "./decode/csv.ts";
export type {
  CsvStreamHeader,
  DecodedBatch,
  DecoderOptions,
  RaggedReport,
  RecordDecoder,
  Stamp,
} from "./decode/decoder.ts";
export { createDecoder } from "./decode/index.ts";
export { describeDelimiter, parseDelimiter } from "./delimiter.ts";
export { CsvEncoder, type CsvEncoderOptions, type CsvTarget, type EncodedRows } from "./encode/csv.ts";
export type { EncodedBatch, RecordEncoder, Refused } from "./encode/encoder.ts";
export { createEncoder } from "./encode/index.ts";
export { type Payloads, payloadsOf } from "./encode/payloads.ts";
export type { Foreign } from "./envelope/parse.ts";
export { formatErrors } from "./errors.ts";
export { type FormatName, formatOf, isEnvelope, type RecordFormat, SOURCE_PREFIX } from "./format.ts";
export { CoveredRanges } from "./parts/covered-ranges.ts";
export { type PartRange, parsePartName, partExtension, partName } from "./parts/part-name.ts";
export { type PartPlan, type PlannedPart, planParts } from "./parts/plan-parts.ts";
export { fileTopic, positionOf, type SourcePosition } from "./parts/position.ts";
