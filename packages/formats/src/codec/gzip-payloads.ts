import { gunzipSync, gzipSync } from "node:zlib";
import type { Payloads } from "../encode/payloads.ts";
import { formatErrors } from "../errors.ts";
import { GrowingBuffer } from "./growing-buffer.ts";
import { PAYLOAD, type PayloadCodec } from "./payload-codec.ts";
import { allowedBytes, type UnfoldLimits, unfoldsTooFar } from "./unfold-limits.ts";

const LEAST_CHUNK = 256;
const MOST_CHUNK = 256 * 1024;
/** Header and trailer of a member. */
const AROUND = 18;

/** gzip by zlib, at once: a turn of the thread pool takes longer than a payload of usual size. */
export class GzipPayloads implements PayloadCodec {
  async compress({ bytes, starts, ends, count }: Payloads): Promise<Payloads> {
    const out = new GrowingBuffer(count * 128);
    const memberStarts = new Uint32Array(count);
    const memberEnds = new Uint32Array(count);
    for (let i = 0; i < count; i++) {
      memberStarts[i] = out.length;
      const payload = bytes.subarray(starts[i]!, ends[i]!);
      out.append(gzipSync(payload, sizes(payload.length)));
      memberEnds[i] = out.length;
    }
    return { bytes: out.written(), starts: memberStarts, ends: memberEnds, count };
  }

  decompress(bytes: Buffer, start: number, end: number, limits: UnfoldLimits, out: GrowingBuffer): void {
    const payload = bytes.subarray(start, end);
    const allowed = allowedBytes(payload.length, limits);
    let unfolded: Unfolded;
    try {
      unfolded = gunzipSync(payload, {
        info: true,
        chunkSize: chunkFor(payload, allowed),
        maxOutputLength: Math.max(1, allowed),
      }) as unknown as Unfolded;
    } catch (cause) {
      throw failureOf(payload, limits, cause);
    }
    if (unfolded.buffer.length > allowed) throw unfoldsTooFar("gzip", payload.length, limits);
    // zlib ends at zero bytes behind a member, and does not say what follows them.
    const rest = payload.subarray(unfolded.engine.bytesWritten);
    if (payload.length === 0 || rest.some((byte) => byte !== 0)) throw failureOf(payload, limits);
    out.append(unfolded.buffer);
  }
}

interface Unfolded {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

/** Most of the time for a short payload goes into the memory of zlib, so it gets just what holds one block. */
function sizes(length: number): { windowBits?: number; memLevel?: number; chunkSize?: number } {
  if (length > 16 * 1024) return {};
  const bits = Math.max(9, 32 - Math.clz32(length));
  return { windowBits: bits, memLevel: bits - 6, chunkSize: Math.max(LEAST_CHUNK, length + AROUND) };
}

/** The last four bytes of a member say how long it is; a lie costs no more than a few chunks. */
function chunkFor(payload: Buffer, allowed: number): number {
  const said = payload.length < AROUND ? 0 : payload.readUInt32LE(payload.length - 4);
  return Math.max(LEAST_CHUNK, Math.min(said + 1, allowed + 1, MOST_CHUNK));
}

function failureOf(payload: Buffer, limits: UnfoldLimits, cause?: unknown): Error {
  const { code, message } = (cause ?? {}) as Partial<NodeJS.ErrnoException>;
  if (code === "ERR_BUFFER_TOO_LARGE") return unfoldsTooFar("gzip", payload.length, limits);
  if (payload.length > 0 && (payload[0] !== 0x1f || (payload.length > 1 && payload[1] !== 0x8b)))
    return formatErrors.WRONG_CODEC({ source: PAYLOAD, codec: "gzip" }, { cause });
  if (payload.length === 0 || code === "Z_BUF_ERROR")
    return formatErrors.TRUNCATED({ source: PAYLOAD, codec: "gzip", missing: "a member" });
  const reason = message ?? "something else follows the last member";
  return formatErrors.CORRUPT({ source: PAYLOAD, codec: "gzip", reason }, { cause });
}
