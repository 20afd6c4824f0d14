import { CsvDecoder } from "./csv.ts";
import type { DecoderOptions, RecordDecoder } from "./decoder.ts";
import { EnvelopeDecoder } from "./envelopes.ts";
import { RawDecoder } from "./lines.ts";

/** A decoder for one stream. */
export function createDecoder(options: DecoderOptions): RecordDecoder {
  switch (options.format) {
    case "raw":
      return new RawDecoder(options);
    case "csv":
      return new CsvDecoder(options);
    default:
      return new EnvelopeDecoder(options);
  }
}
