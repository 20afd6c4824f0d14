import { type GrowingBuffer, openPayloadCodec, type PayloadCodec } from "@mqb/formats";

/** The numbers that record batches have for them. */
export const CODECS = { none: 0, gzip: 1, snappy: 2, lz4: 3, zstd: 4 } as const;
export type CompressionName = keyof typeof CODECS;

/** What one record batch may unfold to at most: far more than a broker takes at its defaults. */
export const MOST_UNPACKED: number = 1024 * 1024 * 1024;
const MAX_RATIO = 10_000;
/** Three bytes of snappy stand for 64 at most. */
const SNAPPY_RATIO = 64;
const XERIAL = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0]);
const XERIAL_HEADER = 16;

/** Compresses and decompresses the records of a batch. */
export interface RecordCodec {
  compress(records: Buffer): Promise<Buffer>;
  /** Appends what `bytes[start..end)` unfolds to, so many bytes at most. Throws for damaged data. */
  decompress(bytes: Buffer, start: number, end: number, out: GrowingBuffer, maxBytes: number): void;
}

/** Codecs by their numbers, loaded when they are first needed. */
export class Codecs {
  private readonly loaded = new Map<number, RecordCodec>();

  get(codec: number): RecordCodec | undefined {
    return this.loaded.get(codec);
  }

  /** Rejects with a `config` error when the package of a codec cannot be loaded. */
  async load(codec: number): Promise<RecordCodec> {
    const known = this.loaded.get(codec);
    if (known) return known;
    const made = await loadCodec(codec);
    this.loaded.set(codec, made);
    return made;
  }
}

async function loadCodec(codec: number): Promise<RecordCodec> {
  switch (codec) {
    case CODECS.gzip:
      return new FramedCodec(await openPayloadCodec("gzip"));
    case CODECS.lz4:
      return new FramedCodec(await openPayloadCodec("lz4"));
    case CODECS.zstd:
      return new FramedCodec(await openPayloadCodec("zstd"));
    case CODECS.snappy:
      return loadSnappy();
    default:
      throw new RangeError(`compression ${codec} is not known`);
  }
}

class FramedCodec implements RecordCodec {
  private readonly inner: PayloadCodec;

  constructor(inner: PayloadCodec) {
    this.inner = inner;
  }

  async compress(records: Buffer): Promise<Buffer> {
    const whole = { bytes: records, starts: new Uint32Array([0]), ends: new Uint32Array([records.length]), count: 1 };
    const { bytes, starts, ends } = await this.inner.compress(whole);
    return bytes.subarray(starts[0], ends[0]);
  }

  decompress(bytes: Buffer, start: number, end: number, out: GrowingBuffer, maxBytes: number): void {
    this.inner.decompress(bytes, start, end, { maxBytes, maxRatio: MAX_RATIO }, out);
  }
}

/** Snappy, written as one block as librdkafka does, read in that form and in the framing of the Java client. */
async function loadSnappy(): Promise<RecordCodec> {
  const { compressSync, uncompressSync } = await import("snappy");
  // The size that a block claims is memory before it is known to be true.
  const append = (bytes: Buffer, out: GrowingBuffer, most: number): void => {
    const size = uncompressedSize(bytes);
    if (size > most) throw new RangeError("the batch unfolds too far");
    if (size > bytes.length * SNAPPY_RATIO) throw new RangeError("a block of snappy claims more than it can hold");
    out.append(uncompressSync(bytes, { asBuffer: true }) as Buffer);
  };
  return {
    compress: async (records) => compressSync(records),
    decompress(bytes, start, end, out, maxBytes) {
      const limit = out.length + maxBytes;
      const framed = end - start >= XERIAL_HEADER && bytes.subarray(start, start + XERIAL.length).equals(XERIAL);
      if (!framed) return append(bytes.subarray(start, end), out, maxBytes);
      for (let at = start + XERIAL_HEADER; at < end; ) {
        const size = bytes.readInt32BE(at);
        if (size < 0 || at + 4 + size > end) throw new RangeError("a block of snappy is cut off");
        append(bytes.subarray(at + 4, at + 4 + size), out, limit - out.length);
        at += 4 + size;
      }
    },
  };
}

/** A block of snappy begins with the size of what it unfolds to. */
function uncompressedSize(block: Buffer): number {
  let size = 0;
  for (let at = 0, shift = 1; at < 5 && at < block.length; at++, shift *= 128) {
    size += (block[at]! & 127) * shift;
    if (block[at]! < 128) return size;
  }
  return Number.POSITIVE_INFINITY;
}
