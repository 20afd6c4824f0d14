import { isUtf8 } from "node:buffer";
import { asBuffer } from "@mqb/core/plugin";

/** Deeper documents count as no JSON. */
const MAX_DEPTH = 128;

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
  const reader = new Reader(asBuffer(document), path);
  if (!reader.document() || reader.from < 0) return undefined;
  const bytes = reader.bytes.subarray(reader.from, reader.to);
  if (!isUtf8(bytes)) return undefined;
  return { type: bytes[0] === QUOTE ? "string" : bytes[0] === LOWER_N ? "null" : "other", bytes };
}

/** The value as text: a string without quotes and escapes, null as nothing, everything else as written. */
export function fieldText({ type, bytes }: JsonField): string {
  if (type === "null") return "";
  if (type === "other") return bytes.toString("utf8");
  return bytes.includes(BACKSLASH)
    ? (JSON.parse(bytes.toString("utf8")) as string)
    : bytes.toString("utf8", 1, bytes.length - 1);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LOWER_N = 0x6e;
const COMMA = 0x2c;
const COLON = 0x3a;
const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;
const ESCAPE = /^\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/;

/** Walks over a document once. `level` is how many steps of the path lead to the current value, -1 when it is off the path. */
class Reader {
  readonly bytes: Buffer;
  /** Where the found value lies; -1 = not found. */
  from = -1;
  to = -1;
  private readonly path: readonly string[];
  private at = 0;

  constructor(bytes: Buffer, path: readonly string[]) {
    this.bytes = bytes;
    this.path = path;
  }

  document(): boolean {
    this.blanks();
    if (!this.value(0, 0)) return false;
    this.blanks();
    return this.at === this.bytes.length;
  }

  private value(level: number, depth: number): boolean {
    if (depth > MAX_DEPTH) return false;
    const from = this.at;
    const found = level === this.path.length;
    const inner = found ? -1 : level;
    const first = this.bytes[from];
    let ok: boolean;
    if (first === 0x7b) ok = this.members(0x7d, inner, depth, true);
    else if (first === 0x5b) ok = this.members(0x5d, inner, depth, false);
    else if (first === QUOTE) ok = this.text();
    else ok = this.word("true") || this.word("false") || this.word("null") || this.number();
    if (ok && found) {
      this.from = from;
      this.to = this.at;
    }
    return ok;
  }

  /** The members of an object or the elements of an array, up to `close`. */
  private members(close: number, level: number, depth: number, keyed: boolean): boolean {
    this.at++;
    this.blanks();
    if (this.bytes[this.at] === close) return this.skip();
    for (let i = 0; ; i++) {
      const wanted = keyed
        ? this.key(level)
        : level >= 0 && Number(this.path[level]) === i && isIndex(this.path[level]!);
      if (wanted === undefined) return false;
      // The last one of several counts, also when it lacks the rest of the path.
      if (wanted) this.from = -1;
      if (!this.value(wanted ? level + 1 : -1, depth + 1)) return false;
      this.blanks();
      const next = this.bytes[this.at];
      if (next === close) return this.skip();
      if (next !== COMMA) return false;
      this.at++;
      this.blanks();
    }
  }

  /** Whether the key that stands here is the one of the path; undefined when here is no key. */
  private key(level: number): boolean | undefined {
    const from = this.at;
    if (this.bytes[from] !== QUOTE || !this.text()) return undefined;
    const wanted = level >= 0 && this.isKey(from, this.at, this.path[level]!);
    this.blanks();
    if (this.bytes[this.at] !== COLON) return undefined;
    this.at++;
    this.blanks();
    return wanted;
  }

  private isKey(from: number, to: number, key: string): boolean {
    const quoted = this.bytes.subarray(from, to);
    return fieldText({ type: "string", bytes: quoted }) === key;
  }

  private text(): boolean {
    for (this.at++; ; ) {
      const byte = this.bytes[this.at];
      if (byte === QUOTE) return this.skip();
      if (byte === undefined || byte < 0x20) return false;
      if (byte !== BACKSLASH) {
        this.at++;
        continue;
      }
      const escaped = ESCAPE.exec(this.latin1(this.at, this.at + 6));
      if (!escaped) return false;
      this.at += escaped[0].length;
    }
  }

  private number(): boolean {
    const from = this.at;
    while (isNumeric(this.bytes[this.at])) this.at++;
    return NUMBER.test(this.latin1(from, this.at));
  }

  private word(word: string): boolean {
    if (this.bytes[this.at] !== word.charCodeAt(0) || this.latin1(this.at, this.at + word.length) !== word)
      return false;
    this.at += word.length;
    return true;
  }

  private latin1(from: number, to: number): string {
    return this.bytes.toString("latin1", from, to);
  }

  private skip(): true {
    this.at++;
    return true;
  }

  private blanks(): void {
    for (let byte = this.bytes[this.at]; byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09; ) {
      byte = this.bytes[++this.at];
    }
  }
}

function isIndex(step: string): boolean {
  return /^[0-9]+$/.test(step);
}

/** A byte that can be part of a number: digits and `+ - . E e`. */
function isNumeric(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  return (
    (byte >= 0x30 && byte <= 0x39) || byte === 0x2b || byte === 0x2d || byte === 0x2e || byte === 0x45 || byte === 0x65
  );
}
