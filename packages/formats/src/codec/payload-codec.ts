import type { CodecName } from "../config.ts";
import type { Payloads } from "../encode/payloads.ts";
import type { GrowingBuffer } from "./growing-buffer.ts";
import { GzipPayloads } from "./gzip-payloads.ts";
import { loadLz4Payloads } from "./lz4-payloads.ts";
import type { UnfoldLimits } from "./unfold-limits.ts";
import { loadZstdPayloads } from "./zstd-payloads.ts";

/** Compresses and decompresses single payloads. Holds scratch memory; one call works to its end before the next. */
export interface PayloadCodec {
  /** Each payload as one member (or frame) that stands alone, in the same order, one after another in one buffer. */
  compress(payloads: Payloads): Promise<Payloads>;
  /**
   * Appends what `bytes[start..end)`, any number of members, unfolds to. Throws a `permanent` error for data that is damaged,
   * cut off, or of another codec, and for what unfolds further than the limits; what has been appended by then is to be cut off.
   */
  decompress(bytes: Buffer, start: number, end: number, limits: UnfoldLimits, out: GrowingBuffer): void;
}

/** Loads a codec for payloads. Rejects with a `config` error when its package cannot be loaded. */
export async function openPayloadCodec(codec: CodecName): Promise<PayloadCodec> {
  switch (codec) {
    case "gzip":
      return new GzipPayloads();
    case "lz4":
      return loadLz4Payloads();
    case "zstd":
      return loadZstdPayloads();
  }
}

/** How errors name the data. */
export const PAYLOAD = "the payload";
