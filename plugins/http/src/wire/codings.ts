import { promisify } from "node:util";
import { brotliDecompress, gunzip, gzip, inflate } from "node:zlib";
import { type CodecName, GrowingBuffer, openPayloadCodec, type PayloadCodec, RATIO_FREE } from "@mqb/formats";

/** Bytes for each compressed byte, beyond the first 16 MiB: more is a bomb. */
const MAX_RATIO = 1000;

export class TooLarge extends Error {
  constructor(limit: number) {
    super(`it unfolds to more than ${limit} bytes`);
  }
}

/** Codings of HTTP that can be undone. */
export const CODINGS: ReadonlySet<string> = new Set(["gzip", "x-gzip", "deflate", "br", "lz4", "zstd"]);

type Unfold = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const NATIVE: Readonly<Record<string, Unfold>> = {
  gzip: promisify(gunzip) as Unfold,
  "x-gzip": promisify(gunzip) as Unfold,
  deflate: promisify(inflate) as Unfold,
  br: promisify(brotliDecompress) as Unfold,
};

const pack = promisify(gzip) as (bytes: Uint8Array) => Promise<Buffer>;

/** The names in a `Content-Encoding`, in the order in which they are to be undone; `identity` is none. */
export function codingsOf(header: string): string[] {
  const names = header.split(",").map((name) => name.trim().toLowerCase());
  return names.filter((name) => name !== "" && name !== "identity").reverse();
}

/** Codes and decodes bodies. Holds codecs that are loaded when they are first needed. */
export class Codings {
  private readonly codecs = new Map<CodecName, Promise<PayloadCodec>>();

  /** Throws `TooLarge` when it would become larger than `limit`, other errors for what is damaged. */
  async decode(bytes: Buffer, codings: readonly string[], limit: number): Promise<Buffer> {
    let body = bytes;
    for (const coding of codings) body = await this.undo(body, coding, limit);
    return body;
  }

  async encode(bytes: Uint8Array, codec: CodecName): Promise<Buffer> {
    if (codec === "gzip") return pack(bytes);
    const whole = {
      bytes: Buffer.from(bytes),
      starts: Uint32Array.of(0),
      ends: Uint32Array.of(bytes.length),
      count: 1,
    };
    const out = await (await this.codec(codec)).compress(whole);
    return Buffer.from(out.bytes.subarray(out.starts[0]!, out.ends[0]!));
  }

  private async undo(bytes: Buffer, coding: string, limit: number): Promise<Buffer> {
    const most = Math.min(limit, Math.max(RATIO_FREE, bytes.length * MAX_RATIO));
    const native = NATIVE[coding];
    try {
      if (native) return await native(bytes, { maxOutputLength: most });
      const out = new GrowingBuffer(Math.min(most, 4 * bytes.length));
      const limits = { maxBytes: limit, maxRatio: MAX_RATIO };
      (await this.codec(coding as CodecName)).decompress(bytes, 0, bytes.length, limits, out);
      return out.written();
    } catch (error) {
      const { code } = error as { code?: unknown };
      if (code === "ERR_BUFFER_TOO_LARGE" || /UNFOLDS_TOO_FAR|RATIO_TOO_HIGH/.test(String(code)))
        throw new TooLarge(most);
      throw error;
    }
  }

  private codec(name: CodecName): Promise<PayloadCodec> {
    let codec = this.codecs.get(name);
    if (!codec) this.codecs.set(name, (codec = openPayloadCodec(name)));
    return codec;
  }
}
