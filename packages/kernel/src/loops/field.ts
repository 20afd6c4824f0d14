import { SLOT_STRIDE } from "../layout.ts";

/** The object ends without the field. */
export const ABSENT = 0xffff_ffff;
/** Malformed, not an object, or an escape in a key: the caller parses that one. */
export const UNDECIDED = 0xffff_fffe;

const QUOTE = 34;
const BACKSLASH = 92;

function skipBlank(bytes: Uint8Array, p: number, end: number): number {
  while (p < end) {
    const c = bytes[p]!;
    if (c !== 32 && c !== 10 && c !== 13 && c !== 9) break;
    p++;
  }
  return p;
}

/** `p`: first byte inside a string. Position of its closing quote, or `end` when there is none. */
function stringEnd(bytes: Uint8Array, p: number, end: number): number {
  while (p < end) {
    const c = bytes[p]!;
    if (c === QUOTE) return p;
    p += c === BACKSLASH ? 2 : 1;
  }
  return end;
}

/** `p`: first byte of a value. Position behind it, or beyond `end` when it is not whole. */
function valueEnd(bytes: Uint8Array, p: number, end: number): number {
  const first = bytes[p]!;
  if (first === QUOTE) return stringEnd(bytes, p + 1, end) + 1;
  if (first !== 123 && first !== 91) {
    const start = p;
    for (; p < end; p++) {
      const c = bytes[p]!;
      if (c === 44 || c === 125 || c === 93 || c <= 32) break;
    }
    return p > start ? p : end + 1;
  }
  for (let depth = 0; p < end; p++) {
    const c = bytes[p]!;
    if (c === QUOTE) p = stringEnd(bytes, p + 1, end);
    else if (c === 123 || c === 91) depth++;
    else if ((c === 125 || c === 93) && --depth === 0) return p + 1;
  }
  return end + 1;
}

/** Finds the field in objects `index` to `to - 1`; returns how many were found. Reads the bytes in place. */
export function findField(
  bytes: Uint8Array,
  starts: Uint32Array,
  ends: Uint32Array,
  index: number,
  to: number,
  key: Uint8Array,
  outStarts: Uint32Array,
  outEnds: Uint32Array,
): number {
  let found = 0;
  for (let i = index; i < to; i++) {
    const end = ends[i]!;
    let result = UNDECIDED;
    let p = skipBlank(bytes, starts[i]!, end);
    let next = p < end && bytes[p] === 123 ? skipBlank(bytes, p + 1, end) : end;
    if (next < end && bytes[next] === 125) result = ABSENT;
    while (result === UNDECIDED && next < end && bytes[next] === QUOTE) {
      const keyStart = next + 1;
      p = keyStart;
      while (p < end && bytes[p] !== QUOTE && bytes[p] !== BACKSLASH) p++;
      if (p >= end || bytes[p] === BACKSLASH) break;
      const hit = p - keyStart === key.length && same(bytes, keyStart, key);
      p = skipBlank(bytes, p + 1, end);
      if (p >= end || bytes[p] !== 58) break;
      p = skipBlank(bytes, p + 1, end);
      if (p >= end) break;
      const valueStart = p;
      p = valueEnd(bytes, p, end);
      if (p > end) break;
      if (hit) {
        result = valueStart;
        outEnds[i] = p;
        found++;
        break;
      }
      p = skipBlank(bytes, p, end);
      if (p >= end) break;
      if (bytes[p] === 125) result = ABSENT;
      else if (bytes[p] !== 44) break;
      else next = skipBlank(bytes, p + 1, end);
    }
    outStarts[i] = result;
    if (result >= UNDECIDED) outEnds[i] = result;
  }
  return found;
}

function same(bytes: Uint8Array, at: number, key: Uint8Array): boolean {
  for (let i = 0; i < key.length; i++) if (bytes[at + i] !== key[i]) return false;
  return true;
}

/**
 * One top-level field in many objects. In: object i from `slots[i]` to `slots[i + STRIDE]`, addresses; 32 more bytes may
 * be read behind each. Out: its value's addresses at `slots[i + 2 STRIDE]` and `slots[i + 3 STRIDE]`, or ABSENT or
 * UNDECIDED in both. Returns how many were found.
 */
export function createFieldLoop(memory: Buffer, words: Uint32Array) {
  return function field(count: number, slots: number, key: number, keyLength: number): number {
    const array = (index: number): Uint32Array => {
      const from = (slots + index * SLOT_STRIDE) / 4;
      return words.subarray(from, from + count);
    };
    const name = memory.subarray(key, key + keyLength);
    return findField(memory, array(0), array(1), 0, count, name, array(2), array(3));
  };
}
