import type { Payloads } from "../encode/payloads.ts";
import { formatErrors } from "../errors.ts";
import { GrowingBuffer } from "./growing-buffer.ts";
import { Lz4Decompressor, loadLz4 } from "./lz4.ts";
import { PAYLOAD, type PayloadCodec } from "./payload-codec.ts";
import { type UnfoldLimits, unfold } from "./unfold-limits.ts";

/** Each payload as one lz4 frame. */
export async function loadLz4Payloads(): Promise<PayloadCodec> {
  const native = await loadLz4();
  return {
    async compress({ bytes, starts, ends, count }: Payloads): Promise<Payloads> {
      const out = new GrowingBuffer(count * 128);
      const frameStarts = new Uint32Array(count);
      const frameEnds = new Uint32Array(count);
      for (let i = 0; i < count; i++) {
        frameStarts[i] = out.length;
        out.append(native.compressFrameSync(bytes.subarray(starts[i]!, ends[i]!)));
        frameEnds[i] = out.length;
      }
      return { bytes: out.written(), starts: frameStarts, ends: frameEnds, count };
    },
    decompress(bytes: Buffer, start: number, end: number, limits: UnfoldLimits, out: GrowingBuffer): void {
      if (start === end) throw formatErrors.TRUNCATED({ source: PAYLOAD, codec: "lz4", missing: "a frame" });
      unfold(new Lz4Decompressor(PAYLOAD), "lz4", bytes.subarray(start, end), limits, out);
    },
  };
}
