/** Bytes of an input, `bytes[start .. end)`. They belong to whoever got them. */
export interface Chunk {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

/** The bytes of a source in their order, read piece by piece. Calls do not overlap. */
export interface ByteInput {
  /** The next bytes, or `end`: there are no more now. Rejects with coded errors. */
  next(): Promise<Chunk | "end">;
  /** Takes a chunk's buffer back that nobody looks at any more, to be filled again. */
  recycle?(bytes: Buffer): void;
  /** Idempotent. */
  close(): Promise<void>;
}

/** Largest piece that is read at once. */
export const CHUNK_BYTES = 1024 * 1024;
