import type { Slab } from "@mqb/core/plugin";
import { sqlErrors } from "@mqb/sql";
import type { RowTaker } from "./copy-out.ts";

/** How the text of a value becomes JSON. */
type How = "json" | "float" | "bool" | "hex" | "text";

export interface PageColumn {
  readonly name: string;
  /** What is selected. */
  readonly sql: string;
  readonly how: How;
}

/** Signs that hardly any text has: fields are rarely quoted. */
export const COPY_FORMAT = `(FORMAT csv, DELIMITER E'\\x02', QUOTE E'\\x01')`;
const QUOTE = 0x01;
const DELIMITER = 0x02;
const NEWLINE = Buffer.from("\n");
const NULL = Buffer.from("null");
const TRUE = Buffer.from("true");
const FALSE = Buffer.from("false");
const HEX = Buffer.from("0123456789abcdef");
/** Bytes that one byte of a text becomes at most. */
const GROWTH = 6;
/** Of a value beside its text: quotes, `.0`, null. */
const AROUND = 8;

/** For a byte of a text: 0 = as it is, 1 = as \u00XX, else the letter behind the backslash. */
const ESCAPES = new Uint8Array(256).fill(1, 0, 0x20);
for (const [byte, letter] of [
  [0x22, '"'],
  [0x5c, "\\"],
  [0x08, "b"],
  [0x0c, "f"],
  [0x0a, "n"],
  [0x0d, "r"],
  [0x09, "t"],
] as const)
  ESCAPES[byte] = letter.charCodeAt(0);

/** Rows of a COPY as JSON objects in one slab; no value is made. */
export class PageRows implements RowTaker {
  private readonly hows: readonly How[];
  /** What stands before each value: `{"id":`, `,"name":`. */
  private readonly keys: readonly Buffer[];
  private readonly fixed: number;
  private readonly target: string;
  private out: Buffer;
  private length = 0;
  private readonly starts: number[] = [];
  private readonly ends: number[] = [];

  /** Rows are written into `out` as long as they fit. */
  constructor(columns: readonly PageColumn[], target: string, out: Buffer = Buffer.allocUnsafe(64 * 1024)) {
    this.out = out;
    this.hows = columns.map(({ how }) => how);
    this.keys = columns.map(({ name }, i) => Buffer.from(`${i === 0 ? "{" : ","}${JSON.stringify(name)}:`));
    this.fixed = this.keys.reduce((sum, key) => sum + key.length + AROUND, 2);
    this.target = target;
  }

  row(bytes: Buffer, from: number, to: number): void {
    this.room((to - from) * GROWTH + this.fixed);
    this.starts.push(this.length);
    // The line break is no part of the last field.
    const end = to - 1;
    let at = from;
    for (let i = 0; i < this.keys.length; i++) {
      if (i > 0 && bytes[at++] !== DELIMITER) throw this.torn();
      this.put(this.keys[i]!);
      if (bytes[at] === QUOTE) at = this.quoted(bytes, at, end, this.hows[i]!);
      else if (at === end || bytes[at] === DELIMITER) this.put(NULL);
      else at = this.value(bytes, at, end, this.hows[i]!);
    }
    if (at !== end) throw this.torn();
    this.out[this.length++] = 0x7d;
    this.ends.push(this.length);
    this.out[this.length++] = 0x0a;
  }

  slab(): Slab {
    const { out, length, starts, ends } = this;
    return {
      bytes: out.subarray(0, length),
      starts: Uint32Array.from(starts),
      ends: Uint32Array.from(ends),
      terminator: NEWLINE,
    };
  }

  private room(size: number): void {
    if (this.length + size <= this.out.length) return;
    const grown = Buffer.allocUnsafe(Math.max(2 * this.out.length, this.length + size));
    this.out.copy(grown, 0, 0, this.length);
    this.out = grown;
  }

  private put(text: Buffer): void {
    const { out } = this;
    let { length } = this;
    for (let i = 0; i < text.length; i++) out[length++] = text[i]!;
    this.length = length;
  }

  /** Writes a value up to the next delimiter or the end, and gives where that is. */
  private value(bytes: Buffer, from: number, end: number, how: How): number {
    switch (how) {
      case "text":
        return this.text(bytes, from, end);
      case "bool": {
        this.put(bytes[from] === 0x74 ? TRUE : FALSE);
        return from + 1;
      }
      case "float":
        return this.float(bytes, from, end);
      case "hex": {
        this.out[this.length++] = 0x22;
        const stop = this.copy(bytes, from + 2, end);
        this.out[this.length++] = 0x22;
        return stop;
      }
      case "json":
        return this.copy(bytes, from, end);
    }
  }

  private copy(bytes: Buffer, from: number, end: number): number {
    const { out } = this;
    let { length } = this;
    let at = from;
    while (at < end) {
      const byte = bytes[at]!;
      if (byte === DELIMITER) break;
      out[length++] = byte;
      at++;
    }
    this.length = length;
    return at;
  }

  private text(bytes: Buffer, from: number, end: number): number {
    const { out } = this;
    let { length } = this;
    out[length++] = 0x22;
    let at = from;
    while (at < end) {
      const byte = bytes[at]!;
      if (byte === DELIMITER) break;
      const letter = ESCAPES[byte]!;
      if (letter === 0) out[length++] = byte;
      else length = escaped(out, length, byte, letter);
      at++;
    }
    out[length++] = 0x22;
    this.length = length;
    return at;
  }

  /** With a point or an exponent, so that it stays a real; what JSON does not have is null. */
  private float(bytes: Buffer, from: number, end: number): number {
    const mark = this.length;
    const stop = this.copy(bytes, from, end);
    const { out, length } = this;
    const first = out[mark] === 0x2d ? mark + 1 : mark;
    // NaN, Infinity
    if (out[first]! > 0x39) {
      this.length = mark;
      this.put(NULL);
      return stop;
    }
    let isWhole = true;
    for (let i = first; i < length && isWhole; i++) isWhole = out[i]! >= 0x30 && out[i]! <= 0x39;
    if (isWhole) {
      out[this.length++] = 0x2e;
      out[this.length++] = 0x30;
    }
    return stop;
  }

  /** A field in quotes holds one of our signs, a line break or nothing. It is taken out of them and read as any other. */
  private quoted(bytes: Buffer, from: number, end: number, how: How): number {
    const content: number[] = [];
    let at = from + 1;
    for (; ; at++) {
      if (at >= end) throw this.torn();
      if (bytes[at] === QUOTE && bytes[++at] !== QUOTE) break;
      content.push(bytes[at]!);
    }
    if (how !== "text") {
      const plain = Buffer.from(content);
      this.value(plain, 0, plain.length, how);
      return at;
    }
    const { out } = this;
    let { length } = this;
    out[length++] = 0x22;
    for (const byte of content) {
      const letter = ESCAPES[byte]!;
      if (letter === 0) out[length++] = byte;
      else length = escaped(out, length, byte, letter);
    }
    out[length++] = 0x22;
    this.length = length;
    return at;
  }

  private torn(): Error {
    return sqlErrors.ROW({ target: this.target, reason: "the server has sent another number of columns" });
  }
}

function escaped(out: Buffer, from: number, byte: number, letter: number): number {
  let length = from;
  out[length++] = 0x5c;
  if (letter !== 1) {
    out[length++] = letter;
    return length;
  }
  out[length++] = 0x75;
  out[length++] = 0x30;
  out[length++] = 0x30;
  out[length++] = HEX[byte >> 4]!;
  out[length++] = HEX[byte & 15]!;
  return length;
}
