import { isUtf8 } from "node:buffer";
import { asBuffer } from "@mqb/core/plugin";
import { MAX_JSON_DEPTH, scanJsonString, scanJsonValue, skipJsonBlank } from "@mqb/kernel";

/** One value of a JSON document, as bytes. */
export interface JsonField {
  readonly type: "string" | "null" | "other";
  /** As written, quotes of a string included. */
  readonly bytes: Buffer;
}

/**
 * The value at a path of keys and array positions; undefined when there is none or the document is no JSON. The value is
 * not parsed, so no digit of a number changes. Of a key that is there twice the last one counts.
 */
export function findJsonField(document: Uint8Array, path: readonly string[]): JsonField | undefined {
  const walk = new Walk(asBuffer(document), path);
  if (!walk.document() || walk.from < 0) return undefined;
  const bytes = walk.bytes.subarray(walk.from, walk.to);
  if (!isUtf8(bytes)) return undefined;
  return { type: bytes[0] === QUOTE ? "string" : bytes[0] === LOWER_N ? "null" : "other", bytes };
}

/** The value as text: a string without quotes and escapes, null as nothing, everything else as written. */
export function fieldText({ type, bytes }: JsonField): string {
  if (type === "null") return "";
  if (type === "other") return bytes.toString("utf8");
  if (bytes.includes(BACKSLASH)) return JSON.parse(bytes.toString("utf8")) as string;
  return bytes.toString("utf8", 1, bytes.length - 1);
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const LOWER_N = 0x6e;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Walks over a document once. The methods take a position and return the one behind what stands there, or -1. */
class Walk {
  readonly bytes: Buffer;
  /** Where the found value lies; -1 = not found. */
  from = -1;
  to = -1;
  private readonly path: readonly string[];
  private readonly stack = new Uint8Array(MAX_JSON_DEPTH);

  constructor(bytes: Buffer, path: readonly string[]) {
    this.bytes = bytes;
    this.path = path;
  }

  /** Whether the whole is one JSON value. */
  document(): boolean {
    const end = this.value(this.blank(0), 0);
    return end >= 0 && this.blank(end) === this.bytes.length;
  }

  /** The value to which the first `level` steps of the path lead. */
  private value(at: number, level: number): number {
    const first = this.bytes[at];
    if (level < this.path.length) {
      if (first === OPEN_OBJECT) return this.members(at + 1, level);
      if (first === OPEN_ARRAY) return this.elements(at + 1, level);
      return this.other(at);
    }
    const end = this.other(at);
    this.from = at;
    this.to = end;
    return end;
  }

  private members(inside: number, level: number): number {
    let at = this.blank(inside);
    if (this.bytes[at] === CLOSE_OBJECT) return at + 1;
    for (;;) {
      const key = at;
      if (this.bytes[key] !== QUOTE) return -1;
      const quote = scanJsonString(this.bytes, key + 1, this.bytes.length);
      if (quote < 0) return -1;
      const colon = this.blank(quote + 1);
      if (this.bytes[colon] !== COLON) return -1;
      const wanted = fieldText({ type: "string", bytes: this.bytes.subarray(key, quote + 1) }) === this.path[level];
      at = this.member(this.blank(colon + 1), wanted, level);
      if (at < 0) return -1;
      if (this.bytes[at] === CLOSE_OBJECT) return at + 1;
      if (this.bytes[at] !== COMMA) return -1;
      at = this.blank(at + 1);
    }
  }

  private elements(inside: number, level: number): number {
    let at = this.blank(inside);
    if (this.bytes[at] === CLOSE_ARRAY) return at + 1;
    const step = this.path[level]!;
    const wanted = /^[0-9]+$/.test(step) ? Number(step) : -1;
    for (let i = 0; ; i++) {
      at = this.member(at, i === wanted, level);
      if (at < 0) return -1;
      if (this.bytes[at] === CLOSE_ARRAY) return at + 1;
      if (this.bytes[at] !== COMMA) return -1;
      at = this.blank(at + 1);
    }
  }

  /** A value and the blanks behind it. */
  private member(at: number, wanted: boolean, level: number): number {
    // The last one of several counts, also when it lacks the rest of the path.
    if (wanted) this.from = -1;
    const end = wanted ? this.value(at, level + 1) : this.other(at);
    return end < 0 ? -1 : this.blank(end);
  }

  private other(at: number): number {
    return scanJsonValue(this.bytes, at, this.bytes.length, this.stack);
  }

  private blank(at: number): number {
    return skipJsonBlank(this.bytes, at, this.bytes.length);
  }
}
