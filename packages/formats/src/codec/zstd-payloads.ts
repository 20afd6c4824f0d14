import type { Payloads } from "../encode/payloads.ts";
import { formatErrors } from "../errors.ts";
import { GrowingBuffer } from "./growing-buffer.ts";
import { PAYLOAD, type PayloadCodec } from "./payload-codec.ts";
import { SHORT_MAX, ShortZstdEncoder, surveyOf } from "./short-zstd/encoder.ts";
import { allowedBytes, type UnfoldLimits, unfold, unfoldsTooFar } from "./unfold-limits.ts";
import { loadZstdStreams, ZSTD_WINDOW_MAX, ZstdDecompressor, type ZstdStreams } from "./zstd.ts";
import { readZstdHeader, ZSTD_MAGIC } from "./zstd-frame.ts";
import { ZstdModule } from "./zstd-module.ts";

/** Payloads up to this size share one instance; a larger one gets an instance whose memory is given back. */
const SHARED_MAX = 8 * 1024 * 1024;
/** With fewer payloads than this, a look at all of them takes longer than it saves. */
const SURVEYED_LEAST = 16;
const WINDOW_LEAST = 8 * 1024 * 1024;

export async function loadZstdPayloads(): Promise<PayloadCodec> {
  return new ZstdPayloads(await ZstdModule.load(), await loadZstdStreams());
}

/** Each payload as one zstd frame. */
class ZstdPayloads implements PayloadCodec {
  private readonly module: ZstdModule;
  private readonly streams: ZstdStreams;
  private readonly short = new ShortZstdEncoder();
  private readonly frames: { decompress(frame: Uint8Array, size: number): Buffer };

  constructor(module: ZstdModule, streams: ZstdStreams) {
    this.module = module;
    this.streams = streams;
    this.frames = {
      decompress(frame, size) {
        const content = new GrowingBuffer(size);
        if (!module.decompress(frame, 0, frame.length, size, content)) throw new Error("the frame cannot be decoded");
        return content.written();
      },
    };
  }

  async compress(payloads: Payloads): Promise<Payloads> {
    const { bytes, starts, ends, count } = payloads;
    const survey = count >= SURVEYED_LEAST ? surveyOf(payloads) : undefined;
    const out = new GrowingBuffer(count * 128);
    const frameStarts = new Uint32Array(count);
    const frameEnds = new Uint32Array(count);
    for (let i = 0; i < count; i++) {
      const [start, end] = [starts[i]!, ends[i]!];
      frameStarts[i] = out.length;
      if (survey && end - start <= SHORT_MAX) this.short.compress(bytes, start, end, survey, out);
      else {
        const module = end - start > SHARED_MAX ? await ZstdModule.load() : this.module;
        module.compress(bytes, start, end, out);
      }
      frameEnds[i] = out.length;
    }
    return { bytes: out.written(), starts: frameStarts, ends: frameEnds, count };
  }

  decompress(bytes: Buffer, start: number, end: number, limits: UnfoldLimits, out: GrowingBuffer): void {
    const payload = bytes.subarray(start, end);
    const allowed = allowedBytes(payload.length, limits);
    const size = payload.length >= 5 && payload.readUInt32LE(0) === ZSTD_MAGIC ? contentSize(payload) : undefined;
    if (size !== undefined && size > allowed) throw unfoldsTooFar("zstd", payload.length, limits);
    if (size !== undefined && Math.max(size, payload.length) <= SHARED_MAX) {
      if (this.module.decompress(bytes, start, end, size, out)) return;
    }
    // Several frames, one that does not say its size or is very large, or damage that is to be named.
    if (payload.length === 0) throw formatErrors.TRUNCATED({ source: PAYLOAD, codec: "zstd", missing: "a frame" });
    const windowMax = Math.min(ZSTD_WINDOW_MAX, Math.max(WINDOW_LEAST, allowed));
    unfold(new ZstdDecompressor(PAYLOAD, this.frames, this.streams, windowMax), "zstd", payload, limits, out);
  }
}

function contentSize(payload: Buffer): number | undefined {
  return readZstdHeader(payload)?.contentSize;
}
