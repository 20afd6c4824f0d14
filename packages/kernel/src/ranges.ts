import type { Arena } from "./arena.ts";
import { MAX_SLOTS, SLOT_STRIDE } from "./layout.ts";

const NONE: ReadonlySet<number> = new Set();
const STRIDE = SLOT_STRIDE / 4;
/** Ranges that are loaded in runs of this many bytes stay in the processor's cache from the copy to the last pass. */
export const RUN_BYTES = 128 * 1024;

/** Many pieces of one buffer: piece i is `bytes[starts[i] .. ends[i])`. A slab is one. */
export interface Ranges {
  readonly bytes: Buffer;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  readonly count: number;
  /** These bytes stand behind each piece. Saves looking at its edges. */
  readonly terminator?: Uint8Array;
}

/**
 * Copies ranges into the arena's input area from `index` on, where they do not lie in its memory already, as many as fit and lie in ascending order, gaps included,
 * and writes their addresses into the first two slot arrays. Returns how many; 0 when the first alone does not fit. Those
 * in `emptied` become empty ranges. At most `most`, and never more than there are slots; more than one only while they take
 * no more than `size` bytes.
 */
export function loadRanges(
  arena: Arena,
  ranges: Ranges,
  index: number,
  emptied: ReadonlySet<number> = NONE,
  most: number = MAX_SLOTS,
  size: number = arena.layout.inputSize,
): number {
  const { bytes, starts, ends, count } = ranges;
  const { memory, words, layout } = arena;
  const low = starts[index]!;
  if (ends[index]! - low > layout.inputSize) return 0;
  const shift = shiftOf(arena, ranges, index);
  const last = Math.min(count, index + most);
  let high = low;
  let to = index;
  for (let at = layout.slots / 4; to < last; to++, at++) {
    const start = starts[to]!;
    const end = ends[to]!;
    if (start < low || (end - low > size && to > index)) break;
    if (end > high) high = end;
    words[at] = start + shift;
    words[at + STRIDE] = end + shift;
  }
  arena.owner = undefined;
  if (bytes.buffer !== memory.buffer) bytes.copy(memory, layout.input, low, high);
  if (emptied.size > 0) {
    const first = layout.slots / 4;
    for (let i = 0; i < to - index; i++) if (emptied.has(index + i)) words[first + STRIDE + i] = words[first + i]!;
  }
  return to - index;
}

/** What is added to the positions of ranges that are loaded from `index` on: those in the arena's memory stay where they are. */
export function shiftOf({ memory, layout }: Arena, { bytes, starts }: Ranges, index: number): number {
  return bytes.buffer === memory.buffer ? bytes.byteOffset : layout.input - starts[index]!;
}

/** One range as ranges of its own. */
export function rangeAt(ranges: Ranges, index: number): Buffer {
  return ranges.bytes.subarray(ranges.starts[index]!, ranges.ends[index]!);
}
