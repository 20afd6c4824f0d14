import type { UserType } from "../../user-types.ts";
import { writeArray } from "./array.ts";
import { StreamFault } from "./fault.ts";

/** How the text of a value becomes JSON. */
export const KIND = { text: 0, int: 1, float: 2, bool: 3, json: 4, bytes: 5, numeric: 6, array: 7 } as const;
export type ValueKind = (typeof KIND)[keyof typeof KIND];

export interface Column {
  readonly name: string;
  readonly kind: ValueKind;
  /** Of the elements, where it is an array. */
  readonly element: ValueKind;
  /** What separates them: a comma, of boxes a semicolon. */
  readonly delimiter: number;
  readonly isKey: boolean;
  /** `,"name":` */
  readonly label: Buffer;
}

/** Built-in types by their numbers, which never change. */
const SCALARS: ReadonlyMap<number, ValueKind> = new Map<number, ValueKind>([
  [16, KIND.bool],
  [17, KIND.bytes],
  [20, KIND.int],
  [21, KIND.int],
  [23, KIND.int],
  [114, KIND.json],
  [3802, KIND.json],
  [700, KIND.float],
  [701, KIND.float],
]);

/** The arrays among them. */
const ARRAYS =
  "143 199 210 270 271 272 273 629 651 719 775 791 1000 1001 1002 1003 1005 1006 1007 1008 1009 1010 1011 1012 1013 1014 1015 1016 1017 1018 1019 1020 1021 1022 1027 1028 1034 1040 1041 1115 1182 1183 1185 1187 1231 1263 1270 1561 1563 2201 2207 2208 2209 2210 2211 2949 2951 3221 3643 3644 3645 3735 3770 3807 3905 3907 3909 3911 3913 3927 4073 4090 4097 4192 5039 6150 6151 6152 6153 6155 6157";

const ELEMENTS: ReadonlyMap<number, ValueKind> = new Map<number, ValueKind>([
  ...ARRAYS.split(" ").map((oid): [number, ValueKind] => [Number(oid), KIND.text]),
  [1000, KIND.bool],
  [1005, KIND.int],
  [1007, KIND.int],
  [1016, KIND.int],
  [199, KIND.json],
  [3807, KIND.json],
  [1021, KIND.float],
  [1022, KIND.float],
  [1231, KIND.numeric],
]);

const BOX_ARRAY = 1020;
const NUMERIC = 1700;
const [COMMA, SEMICOLON, QUOTE, BACKSLASH, MINUS, DOT] = [44, 59, 34, 92, 45, 46];

/** `user`: what a type is that is not built in. */
export function columnOf(name: string, type: number, isKey: boolean, user?: UserType): Column {
  return { name, ...formOf(type, user), isKey, label: Buffer.from(`,${JSON.stringify(name)}:`) };
}

function formOf(type: number, user: UserType | undefined): Pick<Column, "kind" | "element" | "delimiter"> {
  if (user?.kind === "array") {
    const element = user.element === NUMERIC ? KIND.numeric : (SCALARS.get(user.element) ?? KIND.text);
    return { kind: KIND.array, element, delimiter: user.delimiter.charCodeAt(0) };
  }
  if (user?.kind === "json") return { kind: KIND.json, element: KIND.text, delimiter: COMMA };
  const element = ELEMENTS.get(type);
  return {
    kind: element === undefined ? (SCALARS.get(type) ?? KIND.text) : KIND.array,
    element: element ?? KIND.text,
    delimiter: type === BOX_ARRAY ? SEMICOLON : COMMA,
  };
}

/**
 * Writes the text of a value as JSON: integers, reals, truth values and JSON itself as such, arrays as arrays, bytes as
 * hex, everything else as a string. No digit changes. Gives where it ends; `out` has room for six times the text.
 */
export function writeValue(column: Column, bytes: Buffer, from: number, to: number, out: Buffer, at: number): number {
  if (column.kind === KIND.array) return writeArray(column, bytes, from, to, out, at);
  return writeScalar(column.kind, bytes, from, to, out, at);
}

export function writeScalar(kind: ValueKind, bytes: Buffer, from: number, to: number, out: Buffer, at: number): number {
  switch (kind) {
    case KIND.int:
      return writeInteger(bytes, from, to, out, at);
    case KIND.float:
      return writeReal(bytes, from, to, out, at, true);
    case KIND.numeric:
      return writeReal(bytes, from, to, out, at, false);
    case KIND.bool:
      return writeWord(bytes[from] === 116 ? TRUE : FALSE, out, at);
    case KIND.json:
      return writeJson(bytes, from, to, out, at);
    case KIND.bytes:
      return writeBytes(bytes, from, to, out, at);
    default:
      return writeString(bytes, from, to, out, at);
  }
}

const TRUE = Buffer.from("true");
const FALSE = Buffer.from("false");
const NULL = Buffer.from("null");

export function writeNull(out: Buffer, at: number): number {
  return writeWord(NULL, out, at);
}

export function writeWord(word: Buffer, out: Buffer, at: number): number {
  for (let i = 0; i < word.length; i++) out[at++] = word[i]!;
  return at;
}

function writeInteger(bytes: Buffer, from: number, to: number, out: Buffer, at: number): number {
  if (from === to) throw new StreamFault("an integer without digits");
  for (let i = from; i < to; i++) {
    const byte = bytes[i]!;
    if (byte - 48 > 9 || (byte < 48 && (byte !== MINUS || i > from))) throw new StreamFault("an integer that is none");
    out[at++] = byte;
  }
  return at;
}

/** NaN and the infinities are strings. A real keeps a point or an exponent. */
function writeReal(bytes: Buffer, from: number, to: number, out: Buffer, at: number, isReal: boolean): number {
  const last = bytes[to - 1]!;
  // `NaN`, `Infinity`, `-Infinity`; digits otherwise.
  if (from === to || last < 48 || last > 57) return writeString(bytes, from, to, out, at);
  let isWhole = isReal;
  for (let i = from; i < to; i++) {
    const byte = bytes[i]!;
    if (byte < 48 || byte > 57) isWhole &&= byte === MINUS && i === from;
    out[at++] = byte;
  }
  if (!isWhole) return at;
  out[at++] = DOT;
  out[at++] = 48;
  return at;
}

/** As the server prints it; line breaks stand only between values, and would end the record. */
function writeJson(bytes: Buffer, from: number, to: number, out: Buffer, at: number): number {
  for (let i = from; i < to; i++) {
    const byte = bytes[i]!;
    out[at++] = byte === 10 || byte === 13 ? 32 : byte;
  }
  return at;
}

/** `\x00ff` without the sign before it, as sources of bytes write them. */
function writeBytes(bytes: Buffer, from: number, to: number, out: Buffer, at: number): number {
  const isHex = bytes[from] === BACKSLASH && bytes[from + 1] === 120;
  return writeString(bytes, isHex ? from + 2 : from, to, out, at);
}

/** How a byte stands in a JSON string: 0 = as it is, 1 = as `\u00XX`, else the letter behind the backslash. */
const ESCAPES = new Uint8Array(256);
ESCAPES.fill(1, 0, 32);
for (const [byte, letter] of [
  [8, 98],
  [9, 116],
  [10, 110],
  [12, 102],
  [13, 114],
  [QUOTE, QUOTE],
  [BACKSLASH, BACKSLASH],
] as const) {
  ESCAPES[byte] = letter;
}
const HEX = Buffer.from("0123456789abcdef");
/** From here on a copy that the engine makes is sooner done than a loop. */
const LONG = 192;

export function writeString(bytes: Buffer, from: number, to: number, out: Buffer, at: number): number {
  out[at++] = QUOTE;
  at = to - from > LONG ? writeRuns(bytes, from, to, out, at) : writeBytewise(bytes, from, to, out, at);
  out[at++] = QUOTE;
  return at;
}

function writeBytewise(bytes: Buffer, from: number, to: number, out: Buffer, at: number): number {
  for (let i = from; i < to; i++) {
    const byte = bytes[i]!;
    const letter = ESCAPES[byte]!;
    if (letter === 0) out[at++] = byte;
    else at = writeEscape(byte, letter, out, at);
  }
  return at;
}

function writeRuns(bytes: Buffer, from: number, to: number, out: Buffer, at: number): number {
  let start = from;
  for (let i = from; i < to; i++) {
    const letter = ESCAPES[bytes[i]!]!;
    if (letter === 0) continue;
    at = copy(bytes, start, i, out, at);
    at = writeEscape(bytes[i]!, letter, out, at);
    start = i + 1;
  }
  return copy(bytes, start, to, out, at);
}

/** One byte of a string that is unescaped elsewhere. */
export function writeByte(byte: number, out: Buffer, at: number): number {
  const letter = ESCAPES[byte]!;
  if (letter !== 0) return writeEscape(byte, letter, out, at);
  out[at] = byte;
  return at + 1;
}

function writeEscape(byte: number, letter: number, out: Buffer, at: number): number {
  out[at++] = BACKSLASH;
  if (letter !== 1) {
    out[at++] = letter;
    return at;
  }
  out[at++] = 117;
  out[at++] = 48;
  out[at++] = 48;
  out[at++] = HEX[byte >> 4]!;
  out[at++] = HEX[byte & 15]!;
  return at;
}

function copy(bytes: Buffer, from: number, to: number, out: Buffer, at: number): number {
  if (to - from > LONG) {
    bytes.copy(out, at, from, to);
    return at + to - from;
  }
  for (let i = from; i < to; i++) out[at++] = bytes[i]!;
  return at;
}

/** How many bytes stand as something longer in a string. */
export function countEscapes(bytes: Buffer, from: number, to: number): number {
  let count = 0;
  for (let i = from; i < to; i++) if (ESCAPES[bytes[i]!] !== 0) count++;
  return count;
}
