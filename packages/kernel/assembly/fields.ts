// Several fields of many documents, 16 bytes at a time, with the whole of each document checked. What it gives is what the
// finder of @mqb/json gives, or ODD; src/fields.ts writes the table of steps.
import { jsonSpecial, mask, same, skipBlank } from "./bytes";
import { MALFORMED, MAX_DEPTH, scanString, scanValue, TOO_DEEP } from "./json";
import { BACKSLASH, QUOTE, STRIDE } from "./layout";
import { plainNumber } from "./plain-number";

// Words of a step, in bytes: how many keys, paths that end here, paths below here; the last document that had it.
const KEY_COUNT: usize = 0;
const ENDING_COUNT: usize = 4;
const BELOW_COUNT: usize = 8;
const SEEN: usize = 12;
// Documents of one origin have the same keys in the same order, so what stands before the values of one is looked for in
// the next: the bytes from a comma or brace up to the value, as address, length, step and flags, for so many members.
const LEARNED: usize = 16;
const LEARNED_SIZE: usize = 16;
const LEARNED_END: usize = LEARNED + 32 * LEARNED_SIZE;
// Behind them stays one that knows nothing.
const HEAD: usize = LEARNED_END + LEARNED_SIZE;
// Of each key behind that: where its bytes lie, how many they are, and its step. Then the numbers of the paths.
const KEY_SIZE: usize = 12;

const BLANKS: u32 = 8;
const REPEATED: u32 = 16;
const ESCAPES: u32 = 32;
const ODD: u32 = 255;
const OBJECT: u32 = 6;

// Of the document at hand.
let starts: usize = 0;
let ends: usize = 0;
let kinds: usize = 0;
let shift: u32 = 0;
let flags: u32 = 0;
let serial: u32 = 0;
// Set by a string that has some.
let escapes: u32 = 0;
let stack: usize = 0;
// Of all documents of a call.
let marks: usize = 0;
let marked: usize = 0;

// @ts-ignore: decorator
@inline
function kindOf(first: u32): u32 {
  if (first == QUOTE) return 5;
  if (first == 123) return OBJECT;
  if (first == 91) return 7;
  if (first == 116) return 2;
  if (first == 102) return 3;
  return first == 110 ? 1 : 4;
}

// Skips blanks, and remembers that there were some.
// @ts-ignore: decorator
@inline
function blank(p: usize, end: usize): usize {
  if (p < end && <u32>load<u8>(p) > 32) return p;
  const behind = skipBlank(p, end);
  if (behind > p) flags |= BLANKS;
  return behind;
}

// Where `"`, `\` and what is below 0x20 stand, one bit a byte, for everything from `from` on: found for all documents in one
// loop that nothing in them makes branch.
function mark(from: usize, to: usize): void {
  marked = from;
  let at = marks;
  for (; from < to; from += 64, at += 8) {
    store<u16>(at, <u16>mask(jsonSpecial(v128.load(from))));
    store<u16>(at, <u16>mask(jsonSpecial(v128.load(from, 16))), 2);
    store<u16>(at, <u16>mask(jsonSpecial(v128.load(from, 32))), 4);
    store<u16>(at, <u16>mask(jsonSpecial(v128.load(from, 48))), 6);
  }
  // What is looked at behind the end.
  store<u64>(at, 0);
}

// p: first byte inside a string. Its closing quote, or MALFORMED.
function stringEnd(p: usize, end: usize): usize {
  while (p < end) {
    const offset = p - marked;
    const bits = load<u64>(marks + (offset >> 3)) >> <u64>(offset & 7);
    if (bits == 0) {
      p += 56;
      continue;
    }
    p += <usize>ctz(bits);
    if (p >= end) break;
    const c: u32 = load<u8>(p);
    if (c == QUOTE) return p;
    if (c != BACKSLASH) break;
    escapes = ESCAPES;
    const letter: u32 = load<u8>(p, 1);
    // Escapes of another kind are rare.
    if (letter != QUOTE && letter != BACKSLASH && letter != 110) return scanString(p, end);
    p += 2;
  }
  return MALFORMED;
}

// p: first byte of a value. The address behind it, or MALFORMED.
// @ts-ignore: decorator
@inline
function skip(p: usize, end: usize): usize {
  if (p < end && <u32>load<u8>(p) == QUOTE) {
    p = stringEnd(p + 1, end);
    return p == MALFORMED ? p : p + 1;
  }
  p = scanValue(p, end, stack);
  return p == TOO_DEEP ? MALFORMED : p;
}

// p: first byte of a value, `behind` the address behind it. Writes it down for the paths that end here.
// @ts-ignore: decorator
@inline
function found(p: usize, behind: usize, step: usize): void {
  let path = step + HEAD + load<u32>(step, KEY_COUNT) * KEY_SIZE;
  for (let left = load<u32>(step, ENDING_COUNT); left > 0; left--, path += 4) {
    const at: usize = load<u32>(path);
    store<u8>(kinds + at, <u8>kindOf(load<u8>(p)));
    store<u32>(starts + 4 * at, <u32>p - shift);
    store<u32>(ends + 4 * at, <u32>behind - shift);
  }
}

function value(p: usize, end: usize, step: usize): usize {
  const first: u32 = p < end ? load<u8>(p) : 0;
  escapes = 0;
  const behind =
    first == 123 && load<u32>(step, KEY_COUNT) > 0 ? members(p, end, step) : skip(p, end);
  if (behind == MALFORMED) return behind;
  found(p, behind, step);
  if (first == QUOTE) flags |= escapes;
  return behind;
}

// A field that paths lead on through: of a key that is there twice the last one counts.
// @ts-ignore: decorator
@inline
function enter(step: usize): void {
  if (load<u32>(step, SEEN) == serial) forget(step);
  store<u32>(step, serial, SEEN);
}

function forget(step: usize): void {
  flags |= REPEATED;
  let path = step + HEAD + load<u32>(step, KEY_COUNT) * KEY_SIZE + 4 * load<u32>(step, ENDING_COUNT);
  for (let left = load<u32>(step, BELOW_COUNT); left > 0; left--, path += 4) store<u8>(kinds + load<u32>(path), 0);
}

// p: the opening brace.
function members(p: usize, end: usize, step: usize): usize {
  let learned = step + LEARNED;
  const learnedEnd = step + LEARNED_END;
  while (true) {
    let inside: usize;
    const known: usize = load<u32>(learned, 4);
    if (known != 0 && same(p, load<u32>(learned), known)) {
      p += known;
      inside = load<u32>(learned, 8);
      // Most are a short string with a comma or brace right behind it. What lies before its end lies before that of the document.
      if (<u32>load<u8>(p) == QUOTE) {
        const offset = p + 1 - marked;
        const bits = load<u64>(marks + (offset >> 3)) >> <u64>(offset & 7);
        const close = p + 1 + <usize>ctz(bits);
        const next: u32 = load<u8>(close, 1);
        if (bits != 0 && close + 1 < end && <u32>load<u8>(close) == QUOTE && (next == 44 || next == 125)) {
          flags |= load<u32>(learned, 12);
          if (inside != 0) {
            enter(inside);
            found(p, close + 1, inside);
          }
          p = close + 1;
          if (next == 125) return p + 1;
          learned += LEARNED_SIZE;
          continue;
        }
      }
      if (p >= end) return MALFORMED;
      // Here blanks may follow where there were none.
      p = blank(p, end);
      flags |= load<u32>(learned, 12);
    } else {
      const from = p;
      const before = flags;
      flags = 0;
      p = blank(p + 1, end);
      if (p < end && <u32>load<u8>(p) == 125 && <u32>load<u8>(from) == 123) {
        flags |= before;
        return p + 1;
      }
      if (p >= end || <u32>load<u8>(p) != QUOTE) return MALFORMED;
      const key = p + 1;
      p = stringEnd(key, end);
      // It can be spelled with escapes.
      if (p == MALFORMED || hasEscape(key, p)) return MALFORMED;
      inside = stepOf(key, <u32>(p - key), step);
      p = blank(p + 1, end);
      if (p >= end || <u32>load<u8>(p) != 58) return MALFORMED;
      p = blank(p + 1, end);
      if (learned < learnedEnd) {
        store<u32>(learned, <u32>from);
        store<u32>(learned, <u32>(p - from), 4);
        store<u32>(learned, <u32>inside, 8);
        store<u32>(learned, flags, 12);
      }
      flags |= before;
    }
    if (inside == 0) p = skip(p, end);
    else {
      enter(inside);
      p = value(p, end, inside);
    }
    if (p == MALFORMED) return MALFORMED;
    p = blank(p, end);
    if (p >= end) return MALFORMED;
    const c: u32 = load<u8>(p);
    if (c == 125) return p + 1;
    if (c != 44) return MALFORMED;
    if (learned < learnedEnd) learned += LEARNED_SIZE;
  }
}

function hasEscape(p: usize, end: usize): bool {
  while (p < end && <u32>load<u8>(p) != BACKSLASH) p++;
  return p < end;
}

// The step that a key leads to, or 0.
// @ts-ignore: decorator
@inline
function stepOf(key: usize, length: u32, step: usize): usize {
  let at = step + HEAD;
  for (let left = load<u32>(step, KEY_COUNT); left > 0; left--, at += KEY_SIZE) {
    if (load<u32>(at, 4) == length && same(key, load<u32>(at), length)) return load<u32>(at, 8);
  }
  return 0;
}

// The doubles that some fields of a document write, NaN for those that are not plain numbers; `slots` are their `left` paths.
// A pass of its own over all documents: within the walk over one, it waits for what that guesses wrong.
// @ts-ignore: decorator
@inline
function readNumbers(row: usize, slots: usize, left: u32): void {
  for (; left > 0; left--, slots += 4, row += 8) {
    const at: usize = load<u32>(slots);
    const kind: u32 = load<u8>(kinds + at);
    const quote: usize = kind == 5 ? 1 : 0;
    let number: f64 = NaN;
    if (kind == 4 || kind == 5) {
      const start = <usize>load<u32>(starts + 4 * at) + shift + quote;
      number = plainNumber(start, <usize>load<u32>(ends + 4 * at) + shift - quote);
    }
    store<f64>(row, number);
  }
}

// See FieldTable in src/field-rows.ts: ranges in the first two slot arrays. From `out` on: rows of `numbers` doubles, then rows
// of `width` starts, ends and kinds, each kind of array behind the one before, then one byte a document. Returns how many of
// the documents are no objects.
export function fields(
  count: u32,
  slots: usize,
  first: usize,
  width: u32,
  numbers: usize,
  numberCount: u32,
  out: usize,
  back: u32,
  scratch: usize,
): u32 {
  const row: usize = 4 * width;
  starts = out + count * 8 * numberCount;
  ends = starts + count * row;
  kinds = ends + count * row;
  let root = kinds + count * width;
  shift = back;
  stack = scratch;
  marks = scratch + <usize>MAX_DEPTH;
  let last: usize = 0;
  for (let i: usize = 0; i < count; i++) last = max(last, <usize>load<u32>(slots + 4 * i + STRIDE));
  mark(load<u32>(slots), last);
  memory.fill(kinds, 0, count * width);
  let others: u32 = 0;
  for (serial = 1; serial <= count; serial++, slots += 4) {
    const end: usize = load<u32>(slots + STRIDE);
    flags = 0;
    const at = blank(load<u32>(slots), end);
    let behind = value(at, end, first);
    if (behind != MALFORMED) behind = blank(behind, end);
    const kind = behind == end ? kindOf(load<u8>(at)) : ODD;
    if (kind != OBJECT) others++;
    store<u8>(root++, <u8>(kind | flags));
    starts += row;
    ends += row;
    kinds += width;
  }
  if (numberCount == 0) return others;
  for (let i: u32 = count; i > 0; i--) {
    starts -= row;
    ends -= row;
    kinds -= width;
    readNumbers(out + <usize>(i - 1) * 8 * numberCount, numbers, numberCount);
  }
  return others;
}
