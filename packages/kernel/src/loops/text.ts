import { CFG, RES, SLOT_STRIDE, STATUS } from "../layout.ts";
import { ESCAPES, writeEscape } from "./escape.ts";

/** Slot value of a range that was refused. */
export const REFUSED = 0xffff_ffff;

const BACKSLASH = 92;
const HYPHEN = 45;
const PADDING = 61;
const BASE64 = Buffer.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
const DIGITS = Buffer.from("0123456789abcdef");
const NO_DIGIT = 64;
const BASE64_VALUES = makeValues();

function makeValues(): Uint8Array {
  const values = new Uint8Array(256).fill(NO_DIGIT);
  for (const [value, character] of BASE64.entries()) values[character] = value;
  return values;
}

/** Letter behind a backslash -> byte it stands for; 1 for `u`; 0 for what is no escape. */
const UNESCAPES: Uint8Array = makeUnescapes();

function makeUnescapes(): Uint8Array {
  const table = new Uint8Array(256);
  for (const [letter, byte] of [
    ["b", 8],
    ["t", 9],
    ["n", 10],
    ["f", 12],
    ["r", 13],
    ['"', 34],
    ["/", 47],
    ["\\", 92],
    ["u", 1],
  ] as const) {
    table[letter.charCodeAt(0)] = byte;
  }
  return table;
}

/** The four hex digits at `p` as a number, or -1. */
export function hex4(memory: Uint8Array, p: number): number {
  let value = 0;
  for (let i = 0; i < 4; i++) {
    const c = memory[p + i]!;
    const digit = c >= 48 && c <= 57 ? c - 48 : (c | 32) >= 97 && (c | 32) <= 102 ? (c | 32) - 87 : -1;
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

/** `EscapeCursor.code` of what is no JSON escape, and of half a surrogate pair. */
export const BROKEN = -1;
export const LONE = -2;

/**
 * Where `readEscape` has left off: the code point it read, or BROKEN or LONE, and the position behind the escape. One
 * object per loop, so that nothing is allocated.
 */
export interface EscapeCursor {
  code: number;
  p: number;
}

/** Reads the escape whose backslash is at `p`, which must end at `end` or before. */
export function readEscape(memory: Uint8Array, p: number, end: number, cursor: EscapeCursor): void {
  const byte = p + 1 < end ? UNESCAPES[memory[p + 1]!]! : 0;
  const unit = byte === 1 && p + 6 <= end ? hex4(memory, p + 2) : BROKEN;
  cursor.p = p + 6;
  if (byte > 1) {
    cursor.p = p + 2;
    cursor.code = byte;
  } else if (unit < 0xd800 || unit > 0xdfff) cursor.code = unit;
  else {
    const pair = unit < 0xdc00 && p + 12 <= end && memory[p + 6] === BACKSLASH && memory[p + 7] === 117;
    const low = pair ? hex4(memory, p + 8) : 0;
    cursor.p = p + 12;
    cursor.code = low < 0xdc00 || low > 0xdfff ? LONE : 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
  }
}

/** Writes a code point as UTF-8 at `o`; returns the position behind it. */
export function writeUtf8(memory: Uint8Array, o: number, code: number): number {
  if (code < 0x80) {
    memory[o] = code;
    return o + 1;
  }
  if (code < 0x800) {
    memory[o] = 0xc0 | (code >> 6);
    memory[o + 1] = 0x80 | (code & 63);
    return o + 2;
  }
  if (code < 0x10000) {
    memory[o] = 0xe0 | (code >> 12);
    memory[o + 1] = 0x80 | ((code >> 6) & 63);
    memory[o + 2] = 0x80 | (code & 63);
    return o + 3;
  }
  memory[o] = 0xf0 | (code >> 18);
  memory[o + 1] = 0x80 | ((code >> 12) & 63);
  memory[o + 2] = 0x80 | ((code >> 6) & 63);
  memory[o + 3] = 0x80 | (code & 63);
  return o + 4;
}

/**
 * JSON string content, without its quotes, from text (mode 0) or to text (mode 1), bytes as they are (mode 2), or
 * their base64 (mode 3), or what it stands for (mode 4). In: range i from `slots[i]` to
 * `slots[i + STRIDE]`, addresses; 32 more bytes may be read behind each. Out: to `slots[i + 2 STRIDE]` and
 * `slots[i + 3 STRIDE]`, less CFG.outBase; both REFUSED for a range that is not the content of a JSON string (an unescaped quote or
 * control byte, a broken escape, half a surrogate pair), or not base64 as it is written here: padded, no other character, no bit left over. The bytes at CFG.before are written before each text and those at
 * CFG.after behind it; where CFG.ids is set, the UUIDs there are written over the bytes before, at CFG.idAt. Stops before a range that would pass outLimit, behind which 32 bytes may be written. `RES`: written
 * bytes, status, ranges refused. Returns the ranges done.
 */
export function createTextLoop(memory: Buffer, words: Uint32Array) {
  const cursor: EscapeCursor = { code: 0, p: 0 };

  /** Both return the position behind the output, -1 when the range is refused, -2 when it does not fit. */
  function toJson(p: number, end: number, o: number, outLimit: number): number {
    while (p < end) {
      const c = memory[p]!;
      const letter = ESCAPES[c]!;
      if (letter === 0) memory[o++] = c;
      else o = writeEscape(memory, o, c, letter);
      p++;
      if (o > outLimit) return -2;
    }
    return o;
  }

  function fromJson(p: number, end: number, o: number, outLimit: number): number {
    while (p < end) {
      const c = memory[p]!;
      if (ESCAPES[c] === 0) {
        memory[o++] = c;
        p++;
      } else {
        if (c !== BACKSLASH) return -1;
        readEscape(memory, p, end, cursor);
        if (cursor.code < 0) return -1;
        o = writeUtf8(memory, o, cursor.code);
        p = cursor.p;
      }
      if (o > outLimit) return -2;
    }
    return o;
  }

  function asTheyAre(p: number, end: number, o: number, outLimit: number): number {
    if (o + end - p > outLimit) return -2;
    memory.copyWithin(o, p, end);
    return o + end - p;
  }

  function toBase64(p: number, end: number, o: number, outLimit: number): number {
    if (o + 4 * Math.ceil((end - p) / 3) > outLimit) return -2;
    for (; p < end; p += 3, o += 4) {
      const first = memory[p]!;
      const second = p + 1 < end ? memory[p + 1]! : 0;
      const third = p + 2 < end ? memory[p + 2]! : 0;
      memory[o] = BASE64[first >> 2]!;
      memory[o + 1] = BASE64[((first & 3) << 4) | (second >> 4)]!;
      memory[o + 2] = p + 1 < end ? BASE64[((second & 15) << 2) | (third >> 6)]! : PADDING;
      memory[o + 3] = p + 2 < end ? BASE64[third & 63]! : PADDING;
    }
    return o;
  }

  function fromBase64(p: number, end: number, o: number, outLimit: number): number {
    const size = end - p;
    if (size === 0) return o;
    if (size % 4 !== 0) return -1;
    if (o + (size / 4) * 3 > outLimit) return -2;
    const padding = memory[end - 1] !== PADDING ? 0 : memory[end - 2] !== PADDING ? 1 : 2;
    const digits = end - padding;
    let wrong = 0;
    for (let at = p; at < end; at += 4, o += 3) {
      const a = BASE64_VALUES[memory[at]!]!;
      const b = BASE64_VALUES[memory[at + 1]!]!;
      const c = at + 2 < digits ? BASE64_VALUES[memory[at + 2]!]! : 0;
      const d = at + 3 < digits ? BASE64_VALUES[memory[at + 3]!]! : 0;
      wrong |= a | b | c | d;
      memory[o] = (a << 2) | (b >> 4);
      memory[o + 1] = (b << 4) | (c >> 2);
      memory[o + 2] = (c << 6) | d;
    }
    o -= padding;
    return wrong >= NO_DIGIT || (padding > 0 && memory[o] !== 0) ? -1 : o;
  }

  function writeId(id: number, o: number): void {
    for (let i = 0; i < 16; i++) {
      if (i === 4 || i === 6 || i === 8 || i === 10) memory[o++] = HYPHEN;
      const byte = memory[id + i]!;
      memory[o++] = DIGITS[byte >> 4]!;
      memory[o++] = DIGITS[byte & 15]!;
    }
  }

  const convert = [toJson, fromJson, asTheyAre, toBase64, fromBase64] as const;

  return function text(mode: number, count: number, slots: number, out: number, outLimit: number): number {
    const outBase = words[CFG.outBase]!;
    const before = words[CFG.before]!;
    const beforeLength = words[CFG.beforeLength]!;
    const after = words[CFG.after]!;
    const afterLength = words[CFG.afterLength]!;
    const ids = words[CFG.ids]!;
    const idAt = words[CFG.idAt]!;
    const textLimit = outLimit - afterLength;
    let refused = 0;
    const stride = SLOT_STRIDE / 4;
    let status: number = STATUS.inputUsed;
    let o = out;
    let i = 0;
    for (let at = slots / 4; i < count; i++, at++) {
      const p = words[at]!;
      const end = words[at + stride]!;
      let next = -2;
      const start = o + beforeLength;
      if (start + afterLength <= outLimit) {
        memory.copyWithin(o, before, before + beforeLength);
        if (ids !== 0) writeId(ids + 16 * i, o + idAt);
        next = convert[mode as 0 | 1 | 2 | 3 | 4](p, end, start, textLimit);
      }
      if (next === -2) {
        status = STATUS.outputFull;
        break;
      }
      words[at + 2 * stride] = next < 0 ? REFUSED : start - outBase;
      words[at + 3 * stride] = next < 0 ? REFUSED : next - outBase;
      if (next < 0) {
        refused++;
        continue;
      }
      memory.copyWithin(next, after, after + afterLength);
      o = next + afterLength;
    }
    words[RES.written] = o - out;
    words[RES.status] = status;
    words[RES.refused] = refused;
    return i;
  };
}
