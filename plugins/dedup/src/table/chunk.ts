export const CHUNK_BITS = 16;
export const CHUNK_SIZE = 1 << CHUNK_BITS;
export const CHUNK_MASK = CHUNK_SIZE - 1;

/** Entries with consecutive numbers. Its pages are the system's until they are written to. */
export class Chunk {
  /** Four words each. */
  readonly hashes = new Uint32Array(4 * CHUNK_SIZE);
  /** Positive: accepted, Unix milliseconds of the expiry. Negative: in flight, -(holder + 1). 0: nothing. */
  readonly expiries = new Float64Array(CHUNK_SIZE);
}
