import type { Arena } from "./arena.ts";
import { arenaOf, type Engine } from "./engine.ts";
import { SLOT_STRIDE } from "./layout.ts";
import { ABSENT, findField, UNDECIDED } from "./loops/field.ts";
import { loadRanges, type Ranges } from "./ranges.ts";

/** Where one field's value lies in each of many objects: `bytes[starts[i] .. ends[i])` of the buffer that was searched. */
export interface FieldRanges {
  /** `FieldFinder.ABSENT` or `FieldFinder.UNDECIDED` where there is no range. */
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  readonly count: number;
  /** How many were found. */
  readonly found: number;
}

/** While the field ends within this many bytes on average, the walk in place beats copying to the kernel. */
const NEAR = 48;

/**
 * Finds the value of one top-level field in JSON objects, as the bytes it has there: a string with its quotes, a number
 * as it is written. The first occurrence of a key counts. What is passed on the way is skipped, not validated.
 *
 * One finder per field and stream: it remembers how deep the field lay in the last batch and chooses the twin by that.
 */
export class FieldFinder {
  /** The object ends without the field. */
  static readonly ABSENT: number = ABSENT;
  /** Not an object, malformed, or an escape in a key before it: parse that one. */
  static readonly UNDECIDED: number = UNDECIDED;

  readonly #key: Buffer;
  readonly #engine: Engine;
  #depth = 0;

  constructor(key: string, engine: Engine = "auto") {
    this.#key = Buffer.from(key);
    this.#engine = engine;
  }

  find(ranges: Ranges): FieldRanges {
    const starts = new Uint32Array(ranges.count);
    const ends = new Uint32Array(ranges.count);
    const kernel = this.#kernel();
    let found = 0;
    let index = 0;
    while (index < ranges.count) {
      const loaded = kernel === undefined ? 0 : loadRanges(kernel, ranges, index);
      if (loaded === 0) {
        const to = kernel === undefined ? ranges.count : index + 1;
        found += findField(ranges.bytes, ranges.starts, ranges.ends, index, to, this.#key, starts, ends);
        index = to;
        continue;
      }
      const { words, layout, loops, memory } = kernel!;
      this.#key.copy(memory, layout.keys);
      found += loops.field(loaded, layout.slots, layout.keys, this.#key.length);
      const back = ranges.starts[index]! - layout.input;
      let at = (layout.slots + 2 * SLOT_STRIDE) / 4;
      for (let i = index; i < index + loaded; i++, at++) {
        const start = words[at]!;
        starts[i] = start >= UNDECIDED ? start : start + back;
        ends[i] = start >= UNDECIDED ? start : words[at + SLOT_STRIDE / 4]! + back;
      }
      index += loaded;
    }
    this.#depth = depthOf(ranges, starts, found);
    return { starts, ends, count: ranges.count, found };
  }

  /** The kernel's arena when it is the better twin for this batch. */
  #kernel(): Arena | undefined {
    if (this.#engine === "js" || (this.#engine === "auto" && this.#depth <= NEAR)) return undefined;
    const arena = arenaOf(this.#engine);
    return arena.simd && this.#key.length <= arena.layout.keysSize ? arena : undefined;
  }
}

/** Mean distance from the beginning of the object to the value, over a few that were found. */
function depthOf(ranges: Ranges, starts: Uint32Array, found: number): number {
  if (found === 0) return 0;
  let depth = 0;
  let seen = 0;
  for (let i = 0; i < ranges.count && seen < 16; i++) {
    if (starts[i]! >= UNDECIDED) continue;
    depth += starts[i]! - ranges.starts[i]!;
    seen++;
  }
  return depth / seen;
}
