import type { Arena } from "./arena.ts";
import { MAX_SLOTS, SLOT_STRIDE } from "./layout.ts";

const NONE: ReadonlySet<number> = new Set();
const STRIDE = SLOT_STRIDE / 4;

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
 * Copies ranges into the arena's input area from `index` on, as many as fit and lie in ascending order, gaps included,
 * and writes their addresses into the first two slot arrays. Returns how many; 0 when the first alone does not fit. Those
 * in `emptied` become empty ranges. At most `most`, and never more than there are slots.
 */
export function loadRanges(
  arena: Arena,
  ranges: Ranges,
  index: number,
  emptied: ReadonlySet<number> = NONE,
  most: number = MAX_SLOTS,
): number {
  const { bytes, starts, ends, count } = ranges;
  const { memory, words, layout } = arena;
  const low = starts[index]!;
  let high = low;
  let to = index;
  for (; to < count && to - index < most; to++) {
    const end = ends[to]!;
    if (starts[to]! < low || end - low > layout.inputSize) break;
    if (end > high) high = end;
  }
  arena.owner = undefined;
  bytes.copy(memory, layout.input, low, high);
  const shift = layout.input - low;
  let at = layout.slots / 4;
  for (let i = index; i < to; i++, at++) {
    words[at] = starts[i]! + shift;
    words[at + STRIDE] = ends[i]! + shift;
  }
  if (emptied.size > 0) {
    const first = layout.slots / 4;
    for (let i = 0; i < to - index; i++) if (emptied.has(index + i)) words[first + STRIDE + i] = words[first + i]!;
  }
  return to - index;
}

/** One range as ranges of its own. */
export function rangeAt(ranges: Ranges, index: number): Buffer {
  return ranges.bytes.subarray(ranges.starts[index]!, ranges.ends[index]!);
}
