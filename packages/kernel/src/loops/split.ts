import { CFG, DELIMITER, FLAG, RES, SLOT_STRIDE, STATUS } from "../layout.ts";

const CR = 13;
/** Below this length a byte loop beats a call of indexOf. */
const NEAR = 32;

/** Where the records found by `splitBytes` go, and what became of the rest. */
export interface SplitResult {
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  count: number;
  /** Position behind the last delimiter that was used. */
  consumed: number;
  /** Whether any record lost a CR or was passed over as empty. */
  uneven: boolean;
  /** The record at `consumed` is longer than allowed and ends (before its delimiter) here; otherwise -1. */
  oversize: number;
}

/** Finds up to `max` records in `bytes[from .. to)`, which begins with a record. Positions are those in `bytes`. */
export function splitBytes(
  bytes: Buffer,
  from: number,
  to: number,
  delimiter: Uint8Array,
  flags: number,
  maxRecord: number,
  max: number,
  result: SplitResult,
): void {
  const { starts, ends } = result;
  const first = delimiter[0]!;
  const size = delimiter.length;
  const dropCr = (flags & FLAG.dropCr) !== 0;
  const skipEmpty = (flags & FLAG.skipEmpty) !== 0;
  let n = 0;
  let start = from;
  let p = from;
  result.uneven = false;
  result.oversize = -1;
  while (n < max) {
    const near = Math.min(p + NEAR, to);
    while (p < near && bytes[p] !== first) p++;
    if (p === near) {
      p = near === to ? -1 : bytes.indexOf(first, near);
      if (p < 0 || p >= to) break;
    }
    if (size > 1) {
      if (p + size > to) break;
      let same = 1;
      while (same < size && bytes[p + same] === delimiter[same]) same++;
      if (same < size) {
        p++;
        continue;
      }
    }
    if (p - start > maxRecord) {
      result.oversize = p;
      break;
    }
    let end = p;
    if (dropCr && end > start && bytes[end - 1] === CR) {
      end--;
      result.uneven = true;
    }
    if (skipEmpty && end === start) result.uneven = true;
    else {
      starts[n] = start;
      ends[n] = end;
      n++;
    }
    p += size;
    start = p;
  }
  result.count = n;
  result.consumed = start;
}

/**
 * Finds records in bytes [inp, inEnd), which begin with one; 32 more bytes may be read. Out: record i from `slots[i]` to
 * `slots[i + STRIDE]`, less CFG.inBase. `RES`: consumed bytes (behind the last delimiter used), status (maxReached,
 * inputUsed, or recordTooLong with the place of its delimiter as fault), short = 1 when the records are uneven.
 */
export function createSplitLoop(memory: Buffer, words: Uint32Array) {
  return function split(inp: number, inEnd: number, slot: number, max: number): number {
    const delimiter = memory.subarray(DELIMITER, DELIMITER + words[CFG.delimiterLength]!);
    const starts = words.subarray(slot / 4, slot / 4 + max);
    const ends = words.subarray((slot + SLOT_STRIDE) / 4, (slot + SLOT_STRIDE) / 4 + max);
    const result: SplitResult = { starts, ends, count: 0, consumed: 0, uneven: false, oversize: -1 };
    splitBytes(memory, inp, inEnd, delimiter, words[CFG.flags]!, words[CFG.maxRecord]!, max, result);
    const base = words[CFG.inBase]!;
    for (let i = 0; i < result.count; i++) {
      starts[i]! -= base;
      ends[i]! -= base;
    }
    words[RES.consumed] = result.consumed - inp;
    words[RES.short] = result.uneven ? 1 : 0;
    words[RES.fault] = result.oversize < 0 ? 0 : result.oversize - inp;
    words[RES.status] =
      result.oversize >= 0 ? STATUS.recordTooLong : result.count === max ? STATUS.maxReached : STATUS.inputUsed;
    return result.count;
  };
}
