import { CFG, DELIMITER, FLAG, RES, SLOT_STRIDE, STATUS } from "../layout.ts";
import { ESCAPES } from "./escape.ts";
import { MAX_DEPTH, scanValue, skipBlank, TOO_DEEP } from "./json-walk.ts";
import { type EscapeCursor, LONE, REFUSED, readEscape, writeUtf8 } from "./text.ts";

/** Why an object did not become a row; stands in its end slot, with REFUSED in its start slot. */
export const REASON = {
  notJson: 1,
  notObject: 2,
  emptyObject: 3,
  loneSurrogate: 4,
  unknownKey: 5,
  missingColumn: 6,
  unquotable: 7,
  tooDeep: 8,
} as const;

/** Bytes of scratch per column: where its value starts and ends, how deep it lies, and in which record. */
export const COLUMN_SCRATCH = 16;
/** Longest dotted path of a key. */
export const MAX_PATH = 4096;
/** Behind the columns' scratch: the path, a stack of path lengths, and a stack of open brackets. */
export const WALK_SCRATCH = MAX_PATH + 64 + MAX_DEPTH * 4 + MAX_DEPTH;

const QUOTE = 34;
const BACKSLASH = 92;
const LF = 10;
const CR = 13;
const COMMA = 44;
const COLON = 58;
const OPEN = 123;
const CLOSE = 125;
const NO_BYTE = 256;
/** What the parts below return instead of a position. */
const REFUSE = -1;
const FULL = -2;

/** FNV-1a of a column name; the table of columns is found by it. */
export function hashName(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x811c9dc5;
  for (let i = from; i < to; i++) hash = Math.imul(hash ^ bytes[i]!, 0x01000193);
  return hash >>> 0;
}

/**
 * JSON objects to CSV rows. In: object i from `slots[i]` to `slots[i + STRIDE]`, addresses; 32 more bytes may be read
 * behind each. `CFG`: columns as keyCount x {u32 address, u32 length}, behind them a hash table of u32 column numbers
 * from 1 (its size, a power of two, at CFG.maxField), the dialect, scratch.
 *
 * Out: row i to `slots[i + 2 STRIDE]` and `slots[i + 3 STRIDE]`, less CFG.outBase, the delimiter behind it; or REFUSED
 * and a REASON. Stops before a row that would pass outLimit, behind which 64 bytes may be written. `RES`: written bytes,
 * status, short and long (rows that lack columns, rows with keys that are no column), fault (the first such row), refused.
 */
export function createRowsLoop(memory: Buffer, words: Uint32Array) {
  const cursor: EscapeCursor = { code: 0, p: 0 };
  // Settings of the present call; kept here so that the parts below share them without an object per record.
  let columns = 0;
  let columnCount = 0;
  let table = 0;
  let tableMask = 0;
  let scratch = 0;
  let path = 0;
  let lengths = 0;
  let brackets: Uint8Array = memory;
  let separator = 0;
  let quote = 0;
  let delimiterLength = 0;
  let plainLines = true;
  let flatten = false;
  let outLimit = 0;
  let expected = 0;
  let stamp = 0;
  let present = 0;
  let unknown = 0;
  let pathLength = 0;
  let reason = 0;

  /** The column whose name lies at `path`, or -1. Keys mostly come in the order of the columns. */
  function columnOf(length: number): number {
    if (expected < columnCount && isColumn(expected, length)) return expected++;
    let at = hashName(memory, path, path + length) & tableMask;
    for (;;) {
      const number = words[table / 4 + at]!;
      if (number === 0) return -1;
      if (isColumn(number - 1, length)) {
        expected = number;
        return number - 1;
      }
      at = (at + 1) & tableMask;
    }
  }

  function isColumn(column: number, length: number): boolean {
    const at = columns / 4 + column * 2;
    if (words[at + 1] !== length) return false;
    const name = words[at]!;
    for (let i = 0; i < length; i++) if (memory[name + i] !== memory[path + i]) return false;
    return true;
  }

  /** Appends the key at `p` (behind its quote) to the path. Position of its closing quote, or REFUSE. */
  function readKey(p: number, end: number, prefix: number): number {
    let o = path + prefix;
    const full = path + MAX_PATH;
    reason = REASON.notJson;
    while (p < end) {
      const c = memory[p]!;
      if (c === QUOTE) {
        pathLength = o - path;
        return p;
      }
      if (o >= full) {
        reason = REASON.tooDeep;
        return REFUSE;
      }
      if (ESCAPES[c] === 0) {
        memory[o++] = c;
        p++;
      } else {
        if (c !== BACKSLASH) return REFUSE;
        readEscape(memory, p, end, cursor);
        if (cursor.code === LONE) reason = REASON.loneSurrogate;
        if (cursor.code < 0) return REFUSE;
        o = writeUtf8(memory, o, cursor.code);
        p = cursor.p;
      }
    }
    return REFUSE;
  }

  /** Notes where the value of each column lies. 0, or REFUSE. */
  function walk(p: number, end: number): number {
    let depth = 0;
    let prefix = 0;
    present = 0;
    unknown = 0;
    expected = 0;
    stamp++;
    reason = REASON.notObject;
    p = skipBlank(memory, p, end);
    if (p >= end || memory[p] !== OPEN) return REFUSE;
    p = skipBlank(memory, p + 1, end);
    const empty = p < end && memory[p] === CLOSE;
    while (!empty) {
      reason = REASON.notJson;
      if (p >= end || memory[p] !== QUOTE) return REFUSE;
      p = readKey(p + 1, end, prefix);
      if (p < 0) return REFUSE;
      reason = REASON.notJson;
      p = skipBlank(memory, p + 1, end);
      if (p >= end || memory[p] !== COLON) return REFUSE;
      p = skipBlank(memory, p + 1, end);
      const column = columnOf(pathLength);
      if (column < 0 && flatten && p < end && memory[p] === OPEN) {
        const inside = skipBlank(memory, p + 1, end);
        if (inside < end && memory[inside] !== CLOSE) {
          if (depth === MAX_DEPTH) {
            reason = REASON.tooDeep;
            return REFUSE;
          }
          words[lengths / 4 + depth++] = prefix;
          memory[path + pathLength] = 46;
          prefix = pathLength + 1;
          p = inside;
          continue;
        }
      }
      const behind = scanValue(memory, p, end, brackets);
      if (behind === TOO_DEEP) reason = REASON.tooDeep;
      if (behind < 0) return REFUSE;
      if (column < 0) unknown++;
      else note(column, p, behind, depth);
      p = skipBlank(memory, behind, end);
      while (p < end && memory[p] === CLOSE && depth > 0) {
        prefix = words[lengths / 4 + --depth]!;
        p = skipBlank(memory, p + 1, end);
      }
      if (p < end && memory[p] === COMMA) p = skipBlank(memory, p + 1, end);
      else break;
    }
    reason = REASON.notJson;
    if (p >= end || memory[p] !== CLOSE || skipBlank(memory, p + 1, end) < end) return REFUSE;
    if (!empty) return 0;
    reason = REASON.emptyObject;
    return REFUSE;
  }

  /** Of two values for one column the less nested counts, of equals the last. */
  function note(column: number, start: number, end: number, depth: number): void {
    const at = (scratch + column * COLUMN_SCRATCH) / 4;
    if (words[at + 3] === stamp) {
      if (words[at + 2]! < depth) return;
    } else present++;
    words[at] = start;
    words[at + 1] = end;
    words[at + 2] = depth;
    words[at + 3] = stamp;
  }

  /** Writes the row at `o`; position behind it, REFUSE or FULL. */
  function write(o: number): number {
    const rowOut = o;
    for (let column = 0; column < columnCount; column++) {
      if (column > 0) memory[o++] = separator;
      const at = (scratch + column * COLUMN_SCRATCH) / 4;
      if (words[at + 3] !== stamp) continue;
      o = writeValue(words[at]!, words[at + 1]!, o);
      if (o < 0) return o;
    }
    if (columnCount === 1 && o === rowOut && quote !== NO_BYTE) {
      memory[o++] = quote;
      memory[o++] = quote;
    }
    for (let i = 0; i < delimiterLength; i++) memory[o++] = memory[DELIMITER + i]!;
    return o;
  }

  /** Writes one value, quoted when it has to be; position behind it, REFUSE or FULL. */
  function writeValue(p: number, end: number, o: number): number {
    const start = o;
    const text = memory[p] === QUOTE;
    let quoted = false;
    if (text) {
      p++;
      end--;
    }
    while (p < end) {
      let c = memory[p]!;
      if (text && c === BACKSLASH) {
        readEscape(memory, p, end, cursor);
        p = cursor.p;
        c = cursor.code;
        if (c < 0) {
          reason = REASON.loneSurrogate;
          return REFUSE;
        }
        if (c >= 0x80) {
          o = writeUtf8(memory, o, c);
          continue;
        }
      } else p++;
      if (c === separator || c === quote || c === LF || c === CR) {
        if (!quoted) {
          o = openQuote(start, o);
          if (o < 0) return o;
          quoted = true;
        }
        if (c === quote) memory[o++] = c;
      }
      memory[o++] = c;
      if (o > outLimit) return FULL;
    }
    if (!quoted && !plainLines && meetsDelimiter(start, o)) {
      o = openQuote(start, o);
      if (o < 0) return o;
      quoted = true;
    }
    if (quoted) memory[o++] = quote;
    return o;
  }

  /** Puts a quote before what stands from `start` to `o`; position behind it, or REFUSE when there is no quote byte. */
  function openQuote(start: number, o: number): number {
    if (quote === NO_BYTE) {
      reason = REASON.unquotable;
      return REFUSE;
    }
    memory.copyWithin(start + 1, start, o);
    memory[start] = quote;
    return o + 1;
  }

  /** Whether the delimiter stands in [start, o), or would begin there if it followed at once. */
  function meetsDelimiter(start: number, o: number): boolean {
    for (let p = start; p < o; p++) {
      let i = 0;
      while (i < delimiterLength && p + i < o && memory[p + i] === memory[DELIMITER + i]) i++;
      if (i === delimiterLength || p + i === o) return true;
    }
    return false;
  }

  /** Why the object that was walked last may not become a row, or 0. */
  function mismatch(): number {
    if (unknown > 0) return REASON.unknownKey;
    return present < columnCount ? REASON.missingColumn : 0;
  }

  return function rows(count: number, slots: number, out: number, limit: number): number {
    const flags = words[CFG.flags]!;
    const exact = (flags & FLAG.exact) !== 0;
    const outBase = words[CFG.outBase]!;
    flatten = (flags & FLAG.flatten) !== 0;
    columns = words[CFG.keys]!;
    columnCount = words[CFG.keyCount]!;
    table = columns + columnCount * 8;
    tableMask = words[CFG.maxField]! - 1;
    separator = words[CFG.separator]!;
    quote = words[CFG.quote]!;
    delimiterLength = words[CFG.delimiterLength]!;
    plainLines = true;
    for (let i = 0; i < delimiterLength; i++) {
      const c = memory[DELIMITER + i]!;
      if (c !== LF && c !== CR) plainLines = false;
    }
    scratch = words[CFG.scratch]!;
    path = scratch + columnCount * COLUMN_SCRATCH;
    lengths = path + MAX_PATH + 64;
    brackets = memory.subarray(lengths + MAX_DEPTH * 4, lengths + MAX_DEPTH * 5);
    memory.fill(0, scratch, path);
    stamp = 0;
    outLimit = limit;

    const stride = SLOT_STRIDE / 4;
    let status: number = STATUS.inputUsed;
    let short = 0;
    let long = 0;
    let first = REFUSED;
    let refused = 0;
    let o = out;
    let i = 0;
    for (let at = slots / 4; i < count; i++, at++) {
      let next = walk(words[at]!, words[at + stride]!);
      const differs = next < 0 ? 0 : mismatch();
      if (differs !== 0 && exact) {
        reason = differs;
        next = REFUSE;
      }
      if (next >= 0) next = o > limit ? FULL : write(o);
      if (next === FULL) {
        status = STATUS.outputFull;
        break;
      }
      if (next < 0) {
        words[at + 2 * stride] = REFUSED;
        words[at + 3 * stride] = reason;
        refused++;
        continue;
      }
      words[at + 2 * stride] = o - outBase;
      words[at + 3 * stride] = next - delimiterLength - outBase;
      o = next;
      if (differs === 0) continue;
      if (first === REFUSED) first = i;
      if (unknown > 0) long++;
      if (present < columnCount) short++;
    }
    words[RES.written] = o - out;
    words[RES.status] = status;
    words[RES.short] = short;
    words[RES.long] = long;
    words[RES.fault] = first;
    words[RES.refused] = refused;
    return i;
  };
}
