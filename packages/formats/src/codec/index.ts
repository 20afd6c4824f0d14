import type { CodecName } from "../config.ts";
import type { Compressor, Decompressor } from "./codec.ts";
import { GzipCompressor, GzipDecompressor } from "./gzip.ts";
import { Lz4Decompressor, loadLz4Compressor } from "./lz4.ts";
import { loadZstdCompressor, loadZstdDecompressor } from "./zstd.ts";

/** Loads a codec's compressor. Rejects with a `config` error when its package cannot be loaded. */
export async function openCompressor(codec: CodecName): Promise<Compressor> {
  switch (codec) {
    case "gzip":
      return new GzipCompressor();
    case "lz4":
      return loadLz4Compressor();
    case "zstd":
      return loadZstdCompressor();
  }
}

/** Loads a codec's decompressor. `source` names the data in errors. */
export async function openDecompressor(codec: CodecName, source: string): Promise<Decompressor> {
  switch (codec) {
    case "gzip":
      return new GzipDecompressor(source);
    case "lz4":
      return new Lz4Decompressor(source);
    case "zstd":
      return loadZstdDecompressor(source);
  }
}
