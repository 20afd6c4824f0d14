import type { MessageBatch } from "@mqb/core/plugin";
import type { DecodedBatch, DecoderOptions } from "../src/decode/decoder.ts";
import { createDecoder } from "../src/decode/index.ts";
import type { EncodedBatch } from "../src/encode/encoder.ts";
import { type CsvConfig, csvSettings } from "../src/index.ts";

export type Options = Partial<Omit<DecoderOptions, "csv">> & { readonly csv?: CsvConfig };

export function decoder(options: Options) {
  const { csv, ...rest } = options;
  return createDecoder({
    format: "raw",
    delimiter: Buffer.from("\n"),
    source: "in.dat",
    offset: 0,
    maxMessageBytes: 1024 * 1024,
    onOversize: "fail",
    csv: csvSettings(csv),
    ...rest,
  });
}

/** Decodes input that comes in pieces of `size` bytes, to its end. */
export function decodeAll(input: string | Uint8Array, options: Options, size = 1 << 20, max = 3): DecodedBatch[] {
  const bytes = Buffer.from(input);
  const reader = decoder(options);
  const batches: DecodedBatch[] = [];
  const takeAll = (): void => {
    for (let taken = reader.take(max); taken; taken = reader.take(max)) batches.push(taken);
  };
  for (let at = 0; at < bytes.length; at += size) {
    reader.feed(Buffer.from(bytes.subarray(at, at + size)));
    takeAll();
  }
  reader.end();
  takeAll();
  return batches;
}

export function payloads(batches: readonly DecodedBatch[]): string[] {
  return batches.flatMap(({ batch }) => Array.from({ length: batch.length }, (_, i) => textAt(batch, i)));
}

export function textAt(batch: MessageBatch, index: number): string {
  return Buffer.from(batch.payload(index)).toString();
}

export function written(encoded: EncodedBatch): string {
  return Buffer.concat(encoded.chunks).toString();
}
