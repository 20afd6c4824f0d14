/**
 * Where things lie in an arena. The fixed part is known to the loops of both twins (assembly/layout.ts repeats it); the
 * areas behind it are passed to them as addresses.
 */

import { CHUNK_HEADROOM } from "./records.ts";

/** Result words of the last call, as indices into the u32 view. */
export const RES = {
  consumed: 16,
  written: 17,
  status: 18,
  /** CSV: rows with too few and with too many fields. Splitter: empty records skipped, CRs stripped. */
  short: 19,
  long: 20,
  lines: 21,
  ragged: 22,
  fault: 23,
  /** Texts and rows: how many ranges were refused. */
  refused: 24,
} as const;

/** Configuration words of the loops, as indices into the u32 view. */
export const CFG = {
  keys: 32,
  keyCount: 33,
  separator: 34,
  quote: 35,
  escape: 36,
  flags: 37,
  maxField: 38,
  delimiterLength: 39,
  /** Addresses that the positions in the slots are relative to. */
  inBase: 40,
  outBase: 41,
  ragged: 42,
  raggedEnd: 43,
  scratch: 44,
  scratchEnd: 45,
  maxRecord: 46,
  /** Bytes that the text loop writes before and behind each text. */
  before: 47,
  beforeLength: 48,
  after: 49,
  afterLength: 50,
  /** 16 bytes a text, whose 36 characters as a UUID are written over the bytes before it, at `idAt`; 0 = none. */
  ids: 51,
  idAt: 52,
} as const;

/** Bits of `CFG.flags`. */
export const FLAG = {
  /** CSV reader: columns that a short row lacks are written as empty strings. */
  fillShort: 1,
  /** CSV reader: list the rows with too few or too many fields. */
  listRagged: 2,
  /** The delimiter is LF, and one CR before it is dropped. */
  dropCr: 4,
  /** Splitter: records of no bytes are passed over. */
  skipEmpty: 8,
  /** CSV writer: nested objects become columns `a.b`. */
  flatten: 16,
  /** CSV writer: an object whose keys are not exactly the columns is refused. */
  exact: 32,
  /** CSV writer: no column's name holds what JSON escapes, nor is it too long for a path. */
  plainNames: 64,
} as const;

/** The delimiter's bytes (at most 16) lie here. */
export const DELIMITER = 256;

/** The powers of ten from 0 to 14, as doubles; for the SIMD twin. */
export const POWERS = 512;
export const POWER_COUNT = 15;

/**
 * How 8 bytes are spread when some of them get a backslash: for each of 256 sets of them 16 positions, for a swizzle.
 * Only the SIMD twin needs it.
 */
export const ESCAPE_TABLE = 4096;
export const ESCAPE_TABLE_SIZE = 256 * 16;

/** How a loop ended. */
export const STATUS = {
  inputUsed: 0,
  outputFull: 1,
  maxReached: 2,
  unterminatedQuote: 3,
  fieldTooLong: 4,
  recordTooLong: 5,
} as const;

/** In the size of a piece: it lies in the text, not in the source. */
export const PIECE_OF_TEXT = 0x8000_0000;

/** At most this many records or ranges a call. */
export const MAX_SLOTS = 65_536;

/** Index arrays lie this far apart: one slot array plus a line, so that four streams do not share their cache sets. */
export const SLOT_STRIDE = MAX_SLOTS * 4 + 128;

const SLOT_ARRAYS = 4;
/** Loops read up to this far behind an area's end, and write so too. */
export const SLACK = 128;

const KIB = 1024;
const PAGE = 4 * KIB;

/** What is read from a file at once, with room before it for what is carried over: see `CHUNK_HEADROOM`. */
export const CHUNK_SIZE = 1024 * KIB + CHUNK_HEADROOM;
/** Where a large buffer of malloc begins in its page, for which that room is made. */
const MALLOC_OFFSET = 16;

export interface LayoutSizes {
  readonly keys?: number;
  readonly input?: number;
  readonly output?: number;
  readonly ragged?: number;
  readonly scratch?: number;
  /** How many buffers for chunks; see kernel-buffers.ts. */
  readonly chunks?: number;
}

export class Layout {
  readonly keys = ESCAPE_TABLE + ESCAPE_TABLE_SIZE;
  readonly keysSize: number;
  readonly ragged: number;
  readonly raggedSize: number;
  readonly scratch: number;
  readonly scratchSize: number;
  /** Four arrays of `MAX_SLOTS` u32, `SLOT_STRIDE` apart. */
  readonly slots: number;
  readonly input: number;
  readonly inputSize: number;
  readonly output: number;
  readonly outputSize: number;
  /** Addresses of buffers of `CHUNK_SIZE` bytes. */
  readonly chunks: readonly number[];
  readonly size: number;

  constructor(sizes: LayoutSizes = {}) {
    this.keysSize = align(sizes.keys ?? 60 * KIB);
    this.raggedSize = align(sizes.ragged ?? 64 * KIB);
    this.scratchSize = align(sizes.scratch ?? 256 * KIB);
    this.inputSize = align(sizes.input ?? 1024 * KIB);
    this.outputSize = align(sizes.output ?? 4096 * KIB);
    this.ragged = this.keys + this.keysSize + SLACK;
    this.scratch = this.ragged + this.raggedSize + SLACK;
    this.slots = this.scratch + this.scratchSize + SLACK;
    this.input = this.slots + SLOT_ARRAYS * SLOT_STRIDE + SLACK;
    // Half a page off: copying to a fresh buffer, 16 bytes behind a page, from the beginning of a page is up to 13 times
    // slower (see CHUNK_HEADROOM).
    this.output = Math.ceil((this.input + this.inputSize + SLACK) / PAGE) * PAGE + PAGE / 2;
    const end = align(this.output + this.outputSize + SLACK);
    const [first, room] = [Math.ceil(end / PAGE) * PAGE, Math.ceil((MALLOC_OFFSET + CHUNK_SIZE + SLACK) / PAGE) * PAGE];
    this.chunks = Array.from({ length: sizes.chunks ?? 0 }, (_, n) => first + n * room + MALLOC_OFFSET);
    this.size = this.chunks.length > 0 ? first + this.chunks.length * room : end;
  }
}

function align(size: number): number {
  return Math.ceil(size / 128) * 128;
}
