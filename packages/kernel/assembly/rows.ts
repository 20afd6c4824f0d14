// JSON objects to CSV rows. The twin of src/loops/rows.ts, which says what goes in and out.
import { escapeEnd, jsonSpecial, LONE, mask, readEscape, same, skipBlank, writeUtf8 } from "./bytes";
import { MALFORMED, MAX_DEPTH, scanString, scanValue, TOO_DEEP } from "./json";
import {
  BACKSLASH,
  CFG_FLAGS,
  CFG_KEY_COUNT,
  CFG_KEYS,
  CFG_MAX_FIELD,
  CFG_OUT_BASE,
  CFG_SCRATCH,
  DELIMITER,
  FLAG_EXACT,
  FLAG_FLATTEN,
  FLAG_PLAIN_NAMES,
  QUOTE,
  RES_FAULT,
  RES_LONG,
  RES_REFUSED,
  RES_SHORT,
  RES_STATUS,
  RES_WRITTEN,
  STATUS_INPUT_USED,
  STATUS_OUTPUT_FULL,
  STRIDE,
} from "./layout";
import {
  delimiterLength,
  FULL,
  LONE_SURROGATE,
  NO_BYTE,
  outLimit,
  plainLines,
  quote,
  REFUSE,
  separator,
  setDialect,
  valueReason,
  writeValue,
} from "./row-value";
import { REFUSED } from "./text";

// No address either.
const MISS: usize = 2;

const NOT_JSON: u32 = 1;
const NOT_OBJECT: u32 = 2;
const EMPTY_OBJECT: u32 = 3;
const UNKNOWN_KEY: u32 = 5;
const MISSING_COLUMN: u32 = 6;
const DEEP: u32 = 8;

const COLUMN_SCRATCH: usize = 16;
const MAX_PATH: usize = 4096;

// Settings and state of the present call.
let columns: usize = 0;
let columnCount: u32 = 0;
let table: usize = 0;
let tableMask: u32 = 0;
let scratch: usize = 0;
let path: usize = 0;
let lengths: usize = 0;
let brackets: usize = 0;
let flatten = false;
let expected: u32 = 0;
let stamp: u32 = 0;
let present: u32 = 0;
let unknown: u32 = 0;
let pathLength: usize = 0;
let reason: u32 = 0;

// @ts-ignore: decorator
@inline
function isColumn(column: u32, length: usize): bool {
  const at = columns + (<usize>column << 3);
  return load<u32>(at, 4) == <u32>length && same(load<u32>(at), path, length);
}

// The column whose name lies at `path`, or -1. Keys mostly come in the order of the columns.
function columnOf(length: usize): i32 {
  if (expected < columnCount && isColumn(expected, length)) return <i32>(expected++);
  let hash: u32 = 0x811c9dc5;
  for (let i: usize = 0; i < length; i++) hash = (hash ^ load<u8>(path + i)) * 0x01000193;
  let at = hash & tableMask;
  while (true) {
    const number = load<u32>(table + (<usize>at << 2));
    if (number == 0) return -1;
    if (isColumn(number - 1, length)) {
      expected = number;
      return <i32>number - 1;
    }
    at = (at + 1) & tableMask;
  }
}

// Appends the key at p (behind its quote) to the path. Its closing quote, or REFUSE.
function readKey(p: usize, end: usize, prefix: usize): usize {
  let o = path + prefix;
  const full = path + MAX_PATH;
  reason = NOT_JSON;
  while (p < end) {
    const v = v128.load(p);
    v128.store(o, v);
    const bits = mask(jsonSpecial(v));
    let skip: usize = bits == 0 ? 16 : <usize>ctz(bits);
    if (skip > end - p) skip = end - p;
    // As long as nothing but the closing quote may follow.
    if (skip > full - o) skip = full - o;
    p += skip;
    o += skip;
    if (p >= end) break;
    const c: u32 = load<u8>(p);
    if (c == QUOTE) {
      pathLength = o - path;
      return p;
    }
    if (o >= full) {
      reason = DEEP;
      return REFUSE;
    }
    if (skip == 16) continue;
    if (c != BACKSLASH) return REFUSE;
    const code = readEscape(p, end);
    if (code == LONE) reason = LONE_SURROGATE;
    if (code < 0) return REFUSE;
    o = writeUtf8(o, <u32>code);
    p = escapeEnd;
  }
  return REFUSE;
}

// Of two values for one column the less nested counts, of equals the last.
// @ts-ignore: decorator
@inline
function note(column: u32, start: usize, end: usize, depth: u32): void {
  const at = scratch + <usize>column * COLUMN_SCRATCH;
  if (load<u32>(at, 12) == stamp) {
    if (load<u32>(at, 8) < depth) return;
  } else present++;
  store<u32>(at, <u32>start);
  store<u32>(at, <u32>end, 4);
  store<u32>(at, depth, 8);
  store<u32>(at, stamp, 12);
}

// Notes where the value of each column lies. Whether the object may become a row; otherwise `reason` says why not.
function walk(p: usize, end: usize): bool {
  let depth: u32 = 0;
  let prefix: usize = 0;
  present = 0;
  unknown = 0;
  expected = 0;
  stamp++;
  reason = NOT_OBJECT;
  p = skipBlank(p, end);
  if (p >= end || <u32>load<u8>(p) != 123) return false;
  p = skipBlank(p + 1, end);
  const empty = p < end && <u32>load<u8>(p) == 125;
  while (!empty) {
    reason = NOT_JSON;
    if (p >= end || <u32>load<u8>(p) != QUOTE) return false;
    p = readKey(p + 1, end, prefix);
    if (p == REFUSE) return false;
    reason = NOT_JSON;
    p = skipBlank(p + 1, end);
    if (p >= end || <u32>load<u8>(p) != 58) return false;
    p = skipBlank(p + 1, end);
    const column = columnOf(pathLength);
    if (column < 0 && flatten && p < end && <u32>load<u8>(p) == 123) {
      const inside = skipBlank(p + 1, end);
      if (inside < end && <u32>load<u8>(inside) != 125) {
        if (depth == MAX_DEPTH) {
          reason = DEEP;
          return false;
        }
        store<u32>(lengths + (<usize>depth << 2), <u32>prefix);
        depth++;
        store<u8>(path + pathLength, 46);
        prefix = pathLength + 1;
        p = inside;
        continue;
      }
    }
    const behind = scanValue(p, end, brackets);
    if (behind == TOO_DEEP) reason = DEEP;
    if (behind == MALFORMED || behind == TOO_DEEP) return false;
    if (column < 0) unknown++;
    else note(<u32>column, p, behind, depth);
    p = skipBlank(behind, end);
    while (p < end && <u32>load<u8>(p) == 125 && depth > 0) {
      depth--;
      prefix = load<u32>(lengths + (<usize>depth << 2));
      p = skipBlank(p + 1, end);
    }
    if (p < end && <u32>load<u8>(p) == 44) p = skipBlank(p + 1, end);
    else break;
  }
  reason = NOT_JSON;
  if (p >= end || <u32>load<u8>(p) != 125 || skipBlank(p + 1, end) < end) return false;
  reason = EMPTY_OBJECT;
  return !empty;
}

// Writes the row at o. The address behind it, or REFUSE or FULL.
function write(o: usize): usize {
  const rowOut = o;
  for (let column: u32 = 0; column < columnCount; column++) {
    if (column > 0) store<u8>(o++, <u8>separator);
    const at = scratch + <usize>column * COLUMN_SCRATCH;
    if (load<u32>(at, 12) != stamp) continue;
    o = writeValue(load<u32>(at), load<u32>(at, 4), o);
    if (o == REFUSE) reason = valueReason;
    if (o == REFUSE || o == FULL) return o;
  }
  return endRow(rowOut, o);
}

// @ts-ignore: decorator
@inline
function endRow(rowOut: usize, o: usize): usize {
  if (columnCount == 1 && o == rowOut && quote != NO_BYTE) {
    store<u8>(o++, <u8>quote);
    store<u8>(o++, <u8>quote);
  }
  for (let i: usize = 0; i < delimiterLength; i++) store<u8>(o++, load<u8>(DELIMITER + i));
  return o;
}

// The row of an object whose members are the columns, each once and in their order: it is written while it is read. MISS
// for any other, whatever is wrong with it: `walk` finds out. The delimiter is line breaks, and `walk` takes each column's
// name as it stands there.
function writeOrdered(p: usize, end: usize, o: usize): usize {
  const rowOut = o;
  const separators = i8x16.splat(<i8>separator);
  const quotes = i8x16.splat(quote < 256 ? <i8>quote : 10);
  const last = columns + (<usize>(columnCount - 1) << 3);
  p = skipBlank(p, end);
  if (p >= end || <u32>load<u8>(p) != 123) return MISS;
  for (let column = columns; ; column += 8) {
    p = skipBlank(p + 1, end);
    const length: usize = load<u32>(column, 4);
    // At least one more byte follows the colon.
    if (p + length + 3 >= end) return MISS;
    if (<u32>load<u8>(p) != QUOTE || <u32>load<u16>(p + length, 1) != 0x3a22) return MISS;
    if (!same(p + 1, load<u32>(column), length)) return MISS;
    p = skipBlank(p + length + 3, end);
    if (<u32>load<u8>(p) == QUOTE) {
      const value = p;
      const valueOut = o;
      p++;
      let bits: u32 = 0;
      while (true) {
        const v = v128.load(p);
        v128.store(o, v);
        bits = mask(v128.or(jsonSpecial(v), v128.or(i8x16.eq(v, separators), i8x16.eq(v, quotes))));
        if (bits != 0) break;
        p += 16;
        o += 16;
        if (p >= end) return MISS;
        if (o > outLimit) return FULL;
      }
      p += <usize>ctz(bits);
      o += <usize>ctz(bits);
      if (p >= end) return MISS;
      if (<u32>load<u8>(p) == QUOTE) {
        p++;
        if (o > outLimit) return FULL;
      } else {
        p = scanString(p, end);
        if (p == MALFORMED) return MISS;
        p++;
        o = writeValue(value, p, valueOut);
      }
    } else {
      const value = p;
      p = scanValue(p, end, brackets);
      if (p == MALFORMED || p == TOO_DEEP) return MISS;
      o = writeValue(value, p, o);
    }
    if (o == FULL) return FULL;
    if (o == REFUSE) return MISS;
    p = skipBlank(p, end);
    if (p >= end) return MISS;
    if (column == last) break;
    if (<u32>load<u8>(p) != 44) return MISS;
    store<u8>(o++, <u8>separator);
  }
  if (<u32>load<u8>(p) != 125 || skipBlank(p + 1, end) < end) return MISS;
  return endRow(rowOut, o);
}

// Why the object that was walked last may not become a row, or 0.
function mismatch(): u32 {
  if (unknown > 0) return UNKNOWN_KEY;
  return present < columnCount ? MISSING_COLUMN : 0;
}

export function rows(count: u32, slots: usize, out: usize, limit: usize): u32 {
  const flags = load<u32>(CFG_FLAGS);
  const exact = (flags & FLAG_EXACT) != 0;
  const outBase: usize = load<u32>(CFG_OUT_BASE);
  flatten = (flags & FLAG_FLATTEN) != 0;
  columns = load<u32>(CFG_KEYS);
  columnCount = load<u32>(CFG_KEY_COUNT);
  table = columns + (<usize>columnCount << 3);
  tableMask = load<u32>(CFG_MAX_FIELD) - 1;
  setDialect(limit);
  const ordered = plainLines && (flags & FLAG_PLAIN_NAMES) != 0;
  scratch = load<u32>(CFG_SCRATCH);
  path = scratch + <usize>columnCount * COLUMN_SCRATCH;
  lengths = path + MAX_PATH + 64;
  brackets = lengths + <usize>MAX_DEPTH * 4;
  memory.fill(scratch, 0, path - scratch);
  stamp = 0;

  let status = STATUS_INPUT_USED;
  let short: u32 = 0;
  let long: u32 = 0;
  let first = REFUSED;
  let refused: u32 = 0;
  let o = out;
  let i: u32 = 0;
  for (; i < count; i++, slots += 4) {
    let next = REFUSE;
    let differs: u32 = 0;
    const from: usize = load<u32>(slots);
    const to: usize = load<u32>(slots + STRIDE);
    const quick = !ordered ? MISS : o > limit ? FULL : writeOrdered(from, to, o);
    if (quick != MISS) next = quick;
    else if (walk(from, to)) {
      differs = mismatch();
      if (differs != 0 && exact) reason = differs;
      else next = o > limit ? FULL : write(o);
    }
    if (next == FULL) {
      status = STATUS_OUTPUT_FULL;
      break;
    }
    if (next == REFUSE) {
      store<u32>(slots + 2 * STRIDE, REFUSED);
      store<u32>(slots + 3 * STRIDE, reason);
      refused++;
      continue;
    }
    store<u32>(slots + 2 * STRIDE, <u32>(o - outBase));
    store<u32>(slots + 3 * STRIDE, <u32>(next - delimiterLength - outBase));
    o = next;
    if (differs == 0) continue;
    if (first == REFUSED) first = i;
    if (unknown > 0) long++;
    if (present < columnCount) short++;
  }
  store<u32>(RES_WRITTEN, <u32>(o - out));
  store<u32>(RES_STATUS, status);
  store<u32>(RES_SHORT, short);
  store<u32>(RES_LONG, long);
  store<u32>(RES_FAULT, first);
  store<u32>(RES_REFUSED, refused);
  return i;
}
