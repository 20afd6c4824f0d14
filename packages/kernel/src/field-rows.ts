import type { Arena } from "./arena.ts";
import { arenaOf, type Engine } from "./engine.ts";
import { loadRanges, type Ranges, RUN_BYTES, shiftOf } from "./ranges.ts";

/**
 * Where fields lie in many documents: of document `d` and path `p` at `d * width + p`. Kinds are those of the finder of
 * @mqb/json, 0 = absent, which leaves the positions meaningless.
 */
export interface FieldRows {
  readonly kinds: Uint8Array;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  /** The doubles that are asked for, of document `d` and the nth of them at `d * number of them + n`; see `FieldTable.of`. */
  readonly numbers: Float64Array;
  /** By document: the kind of the document itself with `FIELD_FLAGS`, or `ODD_DOCUMENT`. */
  readonly roots: Uint8Array;
}

/**
 * What else is known of a document, where paths lead: blanks between its tokens, a field that came twice; and that a string
 * that was found has an escape in it.
 */
export const FIELD_FLAGS = { blanks: 8, repeated: 16, escapes: 32 } as const;
/** Not one JSON document, or one that the kernel leaves to others: nothing is known of it. */
export const ODD_DOCUMENT = 255;

const HEAD = 4 + 33 * 4;
const KEY = 3;
/** The loop calls itself for each step of a path. */
const MAX_STEPS = 64;

interface Step {
  readonly inside: Map<string, Step>;
  readonly ending: number[];
  readonly below: number[];
  at: number;
}

/**
 * Finds many fields of many documents, each in one pass that checks the whole of it. In WebAssembly only: its twin is
 * the finder of @mqb/json, which walks over one document in place, and which does what this one leaves.
 */
export class FieldTable {
  private readonly arena: Arena;
  private readonly table: Buffer;
  private readonly width: number;
  private readonly numberCount: number;
  private readonly doubles: Float64Array;
  /** How many of the documents that were looked at last are no objects. */
  others = 0;

  private constructor(arena: Arena, table: Buffer, width: number, numberCount: number) {
    this.arena = arena;
    this.table = table;
    this.width = width;
    this.numberCount = numberCount;
    this.doubles = new Float64Array(arena.memory.buffer, arena.layout.output, arena.layout.outputSize / 8);
  }

  /**
   * Undefined where there is no SIMD, and for paths that it does not do: with positions in arrays, or too many of them.
   * `numbers`: paths, by their position, whose values are also read as doubles where they are plain numbers or texts of
   * such, with up to 15 characters: digits, perhaps with a sign before them and a point between; otherwise they are NaN.
   */
  static of(
    paths: readonly (readonly (string | number)[])[],
    engine: Engine = "auto",
    numbers: readonly number[] = [],
  ): FieldTable | undefined {
    if (
      engine === "js" ||
      paths.some((path) => path.length > MAX_STEPS || path.some((step) => typeof step === "number"))
    )
      return undefined;
    const arena = arenaOf(engine);
    if (!arena.simd) return undefined;
    const table = tableOf(paths as readonly (readonly string[])[], numbers, arena.layout.keys + 4 * numbers.length);
    return table.length <= arena.layout.keysSize
      ? new FieldTable(arena, table, paths.length, numbers.length)
      : undefined;
  }

  /**
   * Fills the rows of documents from `index` on, as many as there is room for in the kernel; returns how many. Positions are
   * those of `ranges.bytes`.
   */
  find(ranges: Ranges, index: number, rows: FieldRows): number {
    const { arena, width, table, numberCount } = this;
    const { layout, memory, words, loops } = arena;
    const room = Math.floor(layout.outputSize / (9 * width + 8 * numberCount + 1));
    const count = loadRanges(arena, ranges, index, undefined, room, RUN_BYTES);
    if (count === 0) return 0;
    table.copy(memory, layout.keys);
    const back = shiftOf(arena, ranges, index);
    const { keys, output } = layout;
    const first = keys + 4 * numberCount;
    this.others = loops.fields!(count, layout.slots, first, width, keys, numberCount, output, back, layout.scratch);
    const all = count * width;
    const doubles = count * numberCount;
    const starts = output / 4 + 2 * doubles;
    const kinds = output + 8 * (doubles + all);
    if (numberCount > 0) rows.numbers.set(this.doubles.subarray(0, doubles), index * numberCount);
    rows.starts.set(words.subarray(starts, starts + all), index * width);
    rows.ends.set(words.subarray(starts + all, starts + 2 * all), index * width);
    rows.kinds.set(memory.subarray(kinds, kinds + all), index * width);
    rows.roots.set(memory.subarray(kinds + all, kinds + all + count), index);
    return count;
  }
}

/** `numbers`, then the steps as words, as assembly/fields.ts reads them, from `base` on, and the bytes of the keys behind them. */
function tableOf(paths: readonly (readonly string[])[], numbers: readonly number[], base: number): Buffer {
  const steps: Step[] = [];
  const first = newStep(steps);
  for (const [index, path] of paths.entries()) {
    let step = first;
    for (const key of path) {
      step.below.push(index);
      let inside = step.inside.get(key);
      if (!inside) step.inside.set(key, (inside = newStep(steps)));
      step = inside;
    }
    step.below.push(index);
    step.ending.push(index);
  }
  let size = base;
  for (const step of steps) {
    step.at = size;
    size += 4 * (HEAD + KEY * step.inside.size + step.ending.length + step.below.length);
  }
  const keys: Buffer[] = [];
  const words: number[] = [...numbers];
  for (const { inside, ending, below } of steps) {
    words.push(inside.size, ending.length, below.length, ...new Array<number>(HEAD - 3).fill(0));
    for (const [key, { at }] of inside) {
      const bytes = Buffer.from(key);
      words.push(size, bytes.length, at);
      keys.push(bytes);
      size += bytes.length;
    }
    words.push(...ending, ...below);
  }
  return Buffer.concat([Buffer.from(Uint32Array.from(words).buffer), ...keys]);
}

function newStep(steps: Step[]): Step {
  const step: Step = { inside: new Map(), ending: [], below: [], at: 0 };
  steps.push(step);
  return step;
}
