import { MAX_JSON_DEPTH, scanJsonString, scanJsonValue, skipJsonBlank } from "@mqb/kernel";
import type { JsonPath } from "./path.ts";
import { readString } from "./read.ts";

/** What kind of value a field has. */
export const FieldKind = { absent: 0, null: 1, true: 2, false: 3, number: 4, string: 5, object: 6, array: 7 } as const;

/**
 * Finds several fields of one document in one pass over its bytes, without a tree. The whole document is checked to be
 * JSON (its UTF-8 is not). Of a key that is there twice the last one counts. The arrays hold the answer of the last
 * `find` and are written over by the next: one finder per place that uses it, for any number of documents.
 */
export interface FieldFinder {
  /** False when `bytes[start .. end)` is not one JSON document; everything is absent then. */
  find(bytes: Uint8Array, start: number, end: number): boolean;
  /** The kind of the document itself; `absent` after a `find` that was false. */
  readonly root: number;
  /** By the position of the path: one of `FieldKind`. */
  readonly kinds: Uint8Array;
  /** Where each value lies, quotes of a string included; meaningless for what is absent. */
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

/** Makes a finder for these paths. Called at start; a finder is not shared between places that run at the same time. */
export function compileFields(paths: readonly JsonPath[]): FieldFinder {
  return new Finder(paths);
}

/** One step of the paths: which keys or positions lead on, and which paths end here. */
interface Step {
  readonly texts: string[];
  readonly keys: Buffer[];
  readonly inside: Step[];
  readonly positions: Map<number, Step>;
  readonly ending: number[];
  /** Every path that ends here or further in. */
  readonly below: number[];
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

class Finder implements FieldFinder {
  root: number = FieldKind.absent;
  readonly kinds: Uint8Array;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  readonly #first: Step;
  readonly #stack = new Uint8Array(MAX_JSON_DEPTH);
  #bytes: Uint8Array = new Uint8Array(0);
  #end = 0;

  constructor(paths: readonly JsonPath[]) {
    this.kinds = new Uint8Array(paths.length);
    this.starts = new Uint32Array(paths.length);
    this.ends = new Uint32Array(paths.length);
    this.#first = stepsOf(paths);
  }

  find(bytes: Uint8Array, start: number, end: number): boolean {
    this.kinds.fill(FieldKind.absent);
    this.root = FieldKind.absent;
    this.#bytes = bytes;
    this.#end = end;
    const at = skipJsonBlank(bytes, start, end);
    const behind = this.#value(at, this.#first);
    if (behind < 0 || skipJsonBlank(bytes, behind, end) !== end) {
      this.kinds.fill(FieldKind.absent);
      return false;
    }
    this.root = kindOf(bytes[at]!);
    return true;
  }

  /** Each of these takes a position and returns the one behind what stands there, or a negative number. */
  #value(at: number, step: Step): number {
    const bytes = this.#bytes;
    const first = at < this.#end ? bytes[at]! : 0;
    let end: number;
    if (first === OPEN_OBJECT && step.keys.length > 0) end = this.#members(at + 1, step);
    else if (first === OPEN_ARRAY && step.positions.size > 0) end = this.#items(at + 1, step);
    else end = scanJsonValue(bytes, at, this.#end, this.#stack);
    const { ending } = step;
    for (let i = 0; i < ending.length; i++) {
      const path = ending[i]!;
      this.kinds[path] = kindOf(first);
      this.starts[path] = at;
      this.ends[path] = end;
    }
    return end;
  }

  #members(inside: number, step: Step): number {
    const bytes = this.#bytes;
    const end = this.#end;
    let at = skipJsonBlank(bytes, inside, end);
    if (at < end && bytes[at] === CLOSE_OBJECT) return at + 1;
    for (;;) {
      if (at >= end || bytes[at] !== QUOTE) return -1;
      let close = at + 1;
      while (close < end && bytes[close] !== QUOTE && bytes[close] !== BACKSLASH && bytes[close]! >= 0x20) close++;
      if (close >= end || bytes[close]! < 0x20) return -1;
      const plain = bytes[close] === QUOTE;
      if (!plain) close = scanJsonString(bytes, close, end);
      if (close < 0) return -1;
      const wanted = plain
        ? wantedKey(step, bytes, at + 1, close)
        : step.texts.indexOf(readString(bytes, at, close + 1));
      at = skipJsonBlank(bytes, close + 1, end);
      if (at >= end || bytes[at] !== COLON) return -1;
      at = this.#inside(skipJsonBlank(bytes, at + 1, end), wanted < 0 ? undefined : step.inside[wanted]);
      if (at < 0) return -1;
      at = skipJsonBlank(bytes, at, end);
      if (at >= end) return -1;
      if (bytes[at] === CLOSE_OBJECT) return at + 1;
      if (bytes[at] !== COMMA) return -1;
      at = skipJsonBlank(bytes, at + 1, end);
    }
  }

  #items(inside: number, step: Step): number {
    const bytes = this.#bytes;
    const end = this.#end;
    let at = skipJsonBlank(bytes, inside, end);
    if (at < end && bytes[at] === CLOSE_ARRAY) return at + 1;
    for (let position = 0; ; position++) {
      at = this.#inside(at, step.positions.get(position));
      if (at < 0) return -1;
      at = skipJsonBlank(bytes, at, end);
      if (at >= end) return -1;
      if (bytes[at] === CLOSE_ARRAY) return at + 1;
      if (bytes[at] !== COMMA) return -1;
      at = skipJsonBlank(bytes, at + 1, end);
    }
  }

  #inside(at: number, step: Step | undefined): number {
    if (step === undefined) return scanJsonValue(this.#bytes, at, this.#end, this.#stack);
    // An earlier one with the same key does not count any more, also when this one lacks the rest of the path.
    for (let i = 0; i < step.below.length; i++) this.kinds[step.below[i]!] = FieldKind.absent;
    return this.#value(at, step);
  }
}

function wantedKey(step: Step, bytes: Uint8Array, start: number, end: number): number {
  const length = end - start;
  const { keys } = step;
  next: for (let i = 0; i < keys.length; i++) {
    const key = keys[i]!;
    if (key.length !== length) continue;
    for (let at = 0; at < length; at++) if (key[at] !== bytes[start + at]) continue next;
    return i;
  }
  return -1;
}

function kindOf(first: number): number {
  if (first === QUOTE) return FieldKind.string;
  if (first === OPEN_OBJECT) return FieldKind.object;
  if (first === OPEN_ARRAY) return FieldKind.array;
  if (first === 0x74) return FieldKind.true;
  if (first === 0x66) return FieldKind.false;
  return first === 0x6e ? FieldKind.null : FieldKind.number;
}

function stepsOf(paths: readonly JsonPath[]): Step {
  const first = noStep();
  for (const [index, path] of paths.entries()) {
    let step = first;
    for (const part of path) {
      step.below.push(index);
      step = typeof part === "number" ? stepAt(step, part) : stepFor(step, part);
    }
    step.below.push(index);
    step.ending.push(index);
  }
  return first;
}

function stepFor(step: Step, key: string): Step {
  const at = step.texts.indexOf(key);
  if (at >= 0) return step.inside[at]!;
  const inside = noStep();
  step.texts.push(key);
  step.keys.push(Buffer.from(key));
  step.inside.push(inside);
  return inside;
}

function stepAt(step: Step, position: number): Step {
  const inside = step.positions.get(position) ?? noStep();
  step.positions.set(position, inside);
  return inside;
}

function noStep(): Step {
  return { texts: [], keys: [], inside: [], positions: new Map(), ending: [], below: [] };
}
