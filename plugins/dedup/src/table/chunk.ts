export const CHUNK_BITS = 16;
export const CHUNK_SIZE: number = 1 << CHUNK_BITS;
export const CHUNK_MASK: number = CHUNK_SIZE - 1;
/** Of one entry: 16 bytes of hash and the expiry, as in the log. */
export const ENTRY_SIZE = 24;
export const ENTRY_WORDS: number = ENTRY_SIZE / 4;
export const ENTRY_DOUBLES: number = ENTRY_SIZE / 8;
/** Where the expiry of an entry stands among its doubles. */
export const EXPIRY = 2;

/** Entries with consecutive numbers. Its pages are the system's until they are written to. */
export class Chunk {
  /** The hash of an entry begins at `ENTRY_WORDS` times its place. */
  readonly words: Uint32Array;
  /** The expiry: positive = accepted, Unix milliseconds; negative = in flight, -(holder + 1); 0 = nothing. */
  readonly doubles: Float64Array;

  constructor() {
    const buffer = new ArrayBuffer(ENTRY_SIZE * CHUNK_SIZE);
    this.words = new Uint32Array(buffer);
    this.doubles = new Float64Array(buffer);
  }
}
