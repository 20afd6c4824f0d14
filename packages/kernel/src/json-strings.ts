import { type Arena, privateArena } from "./arena.ts";
import { arenaOf, type Engine } from "./engine.ts";
import { type Allocate, Gathered } from "./gathered.ts";
import { illFormed } from "./ill-formed.ts";
import { CFG, Layout, MAX_SLOTS, RES, SLOT_STRIDE } from "./layout.ts";
import { REFUSED } from "./loops/text.ts";
import { loadRanges, type Ranges, rangeAt } from "./ranges.ts";

export interface TextOptions {
  readonly engine?: Engine;
  /** Tell where each text lies; default true. Otherwise `starts` and `ends` are empty. */
  readonly positions?: boolean;
  /** Where the result's buffer comes from; default `Buffer.allocUnsafeSlow`. Must return exactly that size. */
  readonly allocate?: Allocate;
}

export interface AroundOptions extends TextOptions {
  /** Bytes to write before each text; `starts` lie behind them. A refused text is empty. 64 KiB at most. */
  readonly before?: Uint8Array;
  /** Bytes to write behind each text; `ends` lie before them. 64 KiB at most. */
  readonly after?: Uint8Array;
  /** The 16 bytes of one UUID a text, one after another; their 36 characters are written over `before`, from `at` on. */
  readonly ids?: { readonly bytes: Uint8Array; readonly at: number };
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
const BASE64 = 3;
const UNBASE64 = 4;
const NONE: ReadonlySet<number> = new Set();
const STRIDE = SLOT_STRIDE / 4;
const ID_BYTES = 16;
const ID_LENGTH = 36;
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

/** The base64 of each range, with `=` at its end where needed. Nothing is refused. */
export function encodeBase64(ranges: Ranges, options: AroundOptions = {}): TextBatch {
  return run(BASE64, ranges, options);
}

/**
 * The bytes that each range of base64 stands for. Refused: anything but the one spelling that an encoder gives, padded, with
 * no other character and no bit left over.
 */
export function decodeBase64(ranges: Ranges, options: TextOptions = {}): TextBatch {
  return run(UNBASE64, ranges, options);
}

function run(mode: number, ranges: Ranges, options: AroundOptions): TextBatch {
  const { count } = ranges;
  const arena = arenaOf(options.engine);
  const around = aroundOf(options, count);
  const bad = mode >= COPY ? NONE : illFormed(ranges);
  const result = new TextResult(count, bad, options);
  const room = around.ids === undefined ? MAX_SLOTS : Math.floor(roomForIds(arena) / ID_BYTES);
  for (let index = 0; index < count; ) {
    const loaded = loadRanges(arena, ranges, index, bad, room);
    const done = loaded === 0 ? 0 : runLoop(arena, mode, index, loaded, around);
    if (done > 0) {
      result.take(arena, index, done);
      index += done;
    } else {
      const text = bad.has(index) ? EMPTY : rangeAt(ranges, index);
      // An escape makes at most 6 bytes of one; an unescape never makes more.
      const output = around.before.length + text.length * 6 + around.after.length + SLACK;
      const scratch = 2 * AROUND_MAX + ID_BYTES;
      const wide = privateArena(new Layout({ input: text.length, output, keys: 0, scratch }));
      const one = { bytes: text, starts: Uint32Array.of(0), ends: Uint32Array.of(text.length), count: 1 };
      loadRanges(wide, one, 0);
      runLoop(wide, mode, index, 1, around);
      result.take(wide, index, 1);
      index++;
    }
  }
  return result.finish();
}

interface Around {
  readonly before: Uint8Array;
  readonly after: Uint8Array;
  readonly ids: { readonly bytes: Uint8Array; readonly at: number } | undefined;
}

function aroundOf({ before = NOTHING, after = NOTHING, ids }: AroundOptions, count: number): Around {
  if (Math.max(before.length, after.length) > AROUND_MAX) throw new RangeError("before and after hold 64 KiB at most");
  if (ids !== undefined) {
    if (ids.bytes.length !== ID_BYTES * count)
      throw new RangeError(`ids must hold 16 bytes for each of ${count} texts`);
    if (ids.at < 0 || ids.at + ID_LENGTH > before.length) throw new RangeError("an id must lie within before");
  }
  return { before, after, ids };
}

/** Ids lie behind the two texts around. */
function roomForIds({ layout }: Arena): number {
  return layout.scratchSize - 2 * AROUND_MAX;
}

function runLoop(arena: Arena, mode: number, index: number, count: number, around: Around): number {
  const { memory, words, layout, loops } = arena;
  const { before, after, ids } = around;
  const behind = layout.scratch + AROUND_MAX;
  memory.set(before, layout.scratch);
  memory.set(after, behind);
  if (ids) memory.set(ids.bytes.subarray(ID_BYTES * index, ID_BYTES * (index + count)), behind + AROUND_MAX);
  words[CFG.before] = layout.scratch;
  words[CFG.beforeLength] = before.length;
  words[CFG.after] = behind;
  words[CFG.afterLength] = after.length;
  words[CFG.ids] = ids ? behind + AROUND_MAX : 0;
  words[CFG.idAt] = ids ? ids.at : 0;
  words[CFG.outBase] = layout.output;
  return loops.text(mode, count, layout.slots, layout.output, layout.output + layout.outputSize - SLACK);
}

/** Gathers the output of several runs. */
class TextResult {
  readonly #count: number;
  readonly #illFormed: ReadonlySet<number>;
  readonly #refused: number[] = [];
  readonly #output: Gathered;
  readonly #positions: boolean;
  readonly #starts: Uint32Array;
  readonly #ends: Uint32Array;

  constructor(count: number, illFormed: ReadonlySet<number>, { positions = true, allocate }: TextOptions) {
    this.#count = count;
    this.#illFormed = illFormed;
    this.#output = new Gathered(allocate ?? Buffer.allocUnsafeSlow);
    this.#positions = positions;
    this.#starts = new Uint32Array(positions ? count : 0);
    this.#ends = new Uint32Array(positions ? count : 0);
  }

  take(arena: Arena, index: number, count: number): void {
    const { words, layout } = arena;
    const starts = layout.slots / 4 + 2 * STRIDE - index;
    if (words[RES.refused] !== 0 || this.#illFormed.size > 0) {
      for (let i = index; i < index + count; i++)
        if (words[starts + i] === REFUSED || this.#illFormed.has(i)) this.#refused.push(i);
    }
    if (this.#positions) this.#locate(words, starts, index, count);
    this.#output.add(arena, words[RES.written]!);
  }

  #locate(words: Uint32Array, starts: number, index: number, count: number): void {
    const shift = this.#output.size;
    for (let i = index; i < index + count; i++) {
      if (words[starts + i] === REFUSED || this.#illFormed.has(i)) {
        this.#starts[i] = this.#ends[i] = i === 0 ? 0 : this.#ends[i - 1]!;
      } else {
        this.#starts[i] = words[starts + i]! + shift;
        this.#ends[i] = words[starts + STRIDE + i]! + shift;
      }
    }
  }

  finish(): TextBatch {
    const { bytes } = this.#output;
    return { bytes, starts: this.#starts, ends: this.#ends, count: this.#count, refused: this.#refused };
  }
}
