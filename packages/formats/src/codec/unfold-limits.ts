import { formatErrors } from "../errors.ts";
import type { SyncDecompressor } from "./codec.ts";
import type { GrowingBuffer } from "./growing-buffer.ts";

/** How far one payload may unfold. */
export interface UnfoldLimits {
  readonly maxBytes: number;
  /** Bytes for each compressed byte; does not hold for payloads of up to `RATIO_FREE` bytes. */
  readonly maxRatio: number;
}

/** Small payloads of zeros or blanks have any ratio and harm nobody. */
export const RATIO_FREE = 16 * 1024 * 1024;

/** How many bytes `size` compressed bytes may become. */
export function allowedBytes(size: number, { maxBytes, maxRatio }: UnfoldLimits): number {
  return Math.min(maxBytes, Math.max(RATIO_FREE, size * maxRatio));
}

/** The error for a payload of `size` bytes that would become more than is allowed. */
export function unfoldsTooFar(codec: string, size: number, limits: UnfoldLimits): Error {
  if (allowedBytes(size, limits) === limits.maxBytes) {
    return formatErrors.UNFOLDS_TOO_FAR({ codec, limit: limits.maxBytes });
  }
  return formatErrors.RATIO_TOO_HIGH({ codec, size, ratio: limits.maxRatio, free: RATIO_FREE });
}

/** Decompresses a whole payload piece by piece; never holds more than a piece beyond what is allowed. */
export function unfold(
  decompressor: SyncDecompressor,
  codec: string,
  payload: Buffer,
  limits: UnfoldLimits,
  out: GrowingBuffer,
): void {
  const allowed = allowedBytes(payload.length, limits);
  const from = out.length;
  const drain = (): void => {
    for (let piece = decompressor.next(); piece; piece = decompressor.next()) {
      if (out.length - from + piece.length > allowed) throw unfoldsTooFar(codec, payload.length, limits);
      out.append(piece);
    }
  };
  decompressor.push(payload);
  drain();
  decompressor.finish();
  drain();
}
