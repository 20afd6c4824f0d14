import { type Arena, privateArena } from "./arena.ts";
import { arenaOf, type Engine } from "./engine.ts";
import { type Allocate, Gathered } from "./gathered.ts";
import { illFormed } from "./ill-formed.ts";
import { CFG, Layout, RES, SLOT_STRIDE } from "./layout.ts";
import { REFUSED } from "./loops/text.ts";
import { loadRanges, type Ranges, rangeAt } from "./ranges.ts";

export interface TextOptions {
  readonly engine?: Engine;
  /** Where the result's buffer comes from; default `Buffer.allocUnsafeSlow`. Must return exactly that size. */
  readonly allocate?: Allocate;
}

export interface AroundOptions extends TextOptions {
  /** Bytes to write before each text; `starts` lie behind them. A refused text is empty. 64 KiB at most. */
  readonly before?: Uint8Array;
  /** Bytes to write behind each text; `ends` lie before them. 64 KiB at most. */
  readonly after?: Uint8Array;
}

/** Result texts, one after another in a buffer that is the caller's, with nothing between but what was asked for. */
export interface TextBatch extends Ranges {
  /** Inputs that could not be done, in order; their range in the result is empty. */
  readonly refused: readonly number[];
}

const EMPTY = Buffer.alloc(0);
const ESCAPE = 0;
const UNESCAPE = 1;
const COPY = 2;
const NONE: ReadonlySet<number> = new Set();
const STRIDE = SLOT_STRIDE / 4;
/** Behind an output limit the loops may write this much. */
const SLACK = 64;
const AROUND_MAX = 64 * 1024;
const NOTHING = new Uint8Array(0);

/**
 * The content of a JSON string, without its quotes, for each range of UTF-8 text, byte for byte as JSON.stringify writes
 * it. Refused: a range that is not well-formed UTF-8.
 */
export function escapeJsonStrings(ranges: Ranges, options: AroundOptions = {}): TextBatch {
  return run(ESCAPE, ranges, options);
}

/**
 * The text that the content of a JSON string stands for, for each range (without the quotes). Refused: half a surrogate
 * pair, a broken escape, a control byte or an unescaped quote, ill-formed UTF-8.
 */
export function unescapeJsonStrings(ranges: Ranges, options: TextOptions = {}): TextBatch {
  return run(UNESCAPE, ranges, options);
}

/** The ranges as they are, one after another, with what is to stand around each of them. Nothing is refused. */
export function joinRanges(ranges: Ranges, options: AroundOptions = {}): TextBatch {
  return run(COPY, ranges, options);
}

function run(mode: number, ranges: Ranges, options: AroundOptions): TextBatch {
  const { count } = ranges;
  const arena = arenaOf(options.engine);
  const { before = NOTHING, after = NOTHING } = options;
  if (Math.max(before.length, after.length) > AROUND_MAX) throw new RangeError("before and after hold 64 KiB at most");
  const bad = mode === COPY ? NONE : illFormed(ranges);
  const result = new TextResult(count, bad, options.allocate ?? Buffer.allocUnsafeSlow);
  for (let index = 0; index < count; ) {
    const loaded = loadRanges(arena, ranges, index, bad);
    const done = loaded === 0 ? 0 : runLoop(arena, mode, loaded, before, after);
    if (done > 0) {
      result.take(arena, index, done);
      index += done;
    } else {
      const text = bad.has(index) ? EMPTY : rangeAt(ranges, index);
      // An escape makes at most 6 bytes of one; an unescape never makes more.
      const output = before.length + text.length * 6 + after.length + SLACK;
      const wide = privateArena(new Layout({ input: text.length, output, keys: 0, scratch: 2 * AROUND_MAX }));
      const one = { bytes: text, starts: Uint32Array.of(0), ends: Uint32Array.of(text.length), count: 1 };
      loadRanges(wide, one, 0);
      runLoop(wide, mode, 1, before, after);
      result.take(wide, index, 1);
      index++;
    }
  }
  return result.finish();
}

function runLoop(arena: Arena, mode: number, count: number, before: Uint8Array, after: Uint8Array): number {
  const { memory, words, layout, loops } = arena;
  memory.set(before, layout.scratch);
  memory.set(after, layout.scratch + AROUND_MAX);
  words[CFG.before] = layout.scratch;
  words[CFG.beforeLength] = before.length;
  words[CFG.after] = layout.scratch + AROUND_MAX;
  words[CFG.afterLength] = after.length;
  words[CFG.outBase] = layout.output;
  return loops.text(mode, count, layout.slots, layout.output, layout.output + layout.outputSize - SLACK);
}

/** Gathers the output of several runs. */
class TextResult {
  readonly #starts: Uint32Array;
  readonly #ends: Uint32Array;
  readonly #illFormed: ReadonlySet<number>;
  readonly #refused: number[] = [];
  readonly #output: Gathered;

  constructor(count: number, illFormed: ReadonlySet<number>, allocate: Allocate) {
    this.#starts = new Uint32Array(count);
    this.#ends = new Uint32Array(count);
    this.#illFormed = illFormed;
    this.#output = new Gathered(allocate);
  }

  take(arena: Arena, index: number, count: number): void {
    const { words, layout } = arena;
    const shift = this.#output.size;
    let at = layout.slots / 4 + 2 * STRIDE;
    for (let i = index; i < index + count; i++, at++) {
      if (words[at] === REFUSED || this.#illFormed.has(i)) {
        this.#refused.push(i);
        this.#starts[i] = this.#ends[i] = i === 0 ? 0 : this.#ends[i - 1]!;
      } else {
        this.#starts[i] = words[at]! + shift;
        this.#ends[i] = words[at + STRIDE]! + shift;
      }
    }
    this.#output.add(arena, words[RES.written]!);
  }

  finish(): TextBatch {
    const { bytes } = this.#output;
    return { bytes, starts: this.#starts, ends: this.#ends, count: this.#starts.length, refused: this.#refused };
  }
}
