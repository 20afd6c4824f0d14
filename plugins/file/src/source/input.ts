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
  /**
   * Called behind an `end` when no more bytes are to come: what is left, if anything. Rejects with a coded error when what
   * was read is incomplete. More may come all the same, by `next`.
   */
  finish?(): Promise<Chunk | "end">;
  /** Takes a chunk's buffer back that nobody looks at any more, to be filled again. */
  recycle?(bytes: Buffer): void;
  /** Frees what it holds besides the file, which is read on by another input. */
  letGo?(): void;
  /** Idempotent. */
  close(): Promise<void>;
}

/** Largest piece that is read at once. */
export const CHUNK_BYTES = 1024 * 1024;
