import { isUtf8 } from "node:buffer";
import { scanJsonString, skipJsonBlank } from "@mqb/kernel";
import { jsonErrors } from "./errors.ts";
import { JsonNumber } from "./number.ts";
import { readNumberText, readString } from "./read.ts";
import type { JsonValue } from "./value.ts";

export interface ParseOptions {
  /** Levels of arrays and objects; default 512. */
  readonly maxDepth?: number;
  /** Default: no limit besides that of the payload. */
  readonly maxBytes?: number;
  /** What counts of a key that is there twice; default `last`, as the original and JavaScript have it. */
  readonly duplicateKeys?: "last" | "first" | "refuse";
}

const DEFAULT_DEPTH = 512;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Parses one JSON document (RFC 8259) to values that keep every digit. A byte order mark is refused. Throws `permanent`
 * errors with the offset, never a part of the text.
 */
export function parseJson(bytes: Uint8Array, options: ParseOptions = {}): JsonValue {
  const { maxBytes = Number.POSITIVE_INFINITY } = options;
  if (bytes.length > maxBytes) throw jsonErrors.TOO_LARGE({ size: bytes.length, limit: maxBytes });
  if (!isUtf8(bytes)) throw jsonErrors.ILL_FORMED_UTF8({});
  return new Parser(bytes, options).document();
}

class Parser {
  private readonly bytes: Uint8Array;
  private readonly end: number;
  private readonly maxDepth: number;
  private readonly duplicates: "last" | "first" | "refuse";
  private at = 0;

  constructor(bytes: Uint8Array, { maxDepth = DEFAULT_DEPTH, duplicateKeys = "last" }: ParseOptions) {
    this.bytes = bytes;
    this.end = bytes.length;
    this.maxDepth = maxDepth;
    this.duplicates = duplicateKeys;
  }

  document(): JsonValue {
    this.blank();
    const value = this.value(0);
    this.blank();
    if (this.at < this.end) throw this.expected("the end");
    return value;
  }

  private value(depth: number): JsonValue {
    switch (this.bytes[this.at]) {
      case QUOTE:
        return this.text();
      case OPEN_OBJECT:
        return this.object(depth + 1);
      case OPEN_ARRAY:
        return this.array(depth + 1);
      case 0x74:
        return this.literal("true", true);
      case 0x66:
        return this.literal("false", false);
      case 0x6e:
        return this.literal("null", null);
      default:
        return this.number();
    }
  }

  private object(depth: number): JsonValue {
    this.descend(depth);
    const members = new Map<string, JsonValue>();
    if (this.takes(CLOSE_OBJECT)) return members;
    for (;;) {
      const offset = this.at;
      if (this.bytes[offset] !== QUOTE) throw this.expected("a key");
      const key = this.text();
      this.blank();
      if (!this.takes(COLON)) throw this.expected("a colon");
      const value = this.value(depth);
      const known = members.has(key);
      if (known && this.duplicates === "refuse") throw jsonErrors.DUPLICATE_KEY({ offset });
      if (!known || this.duplicates === "last") members.set(key, value);
      this.blank();
      if (this.bytes[this.at] === CLOSE_OBJECT) break;
      if (!this.takes(COMMA)) throw this.expected("a comma or }");
    }
    this.at++;
    return members;
  }

  private array(depth: number): JsonValue {
    this.descend(depth);
    const items: JsonValue[] = [];
    if (this.takes(CLOSE_ARRAY)) return items;
    for (;;) {
      items.push(this.value(depth));
      this.blank();
      if (this.bytes[this.at] === CLOSE_ARRAY) break;
      if (!this.takes(COMMA)) throw this.expected("a comma or ]");
    }
    this.at++;
    return items;
  }

  private descend(depth: number): void {
    if (depth > this.maxDepth) throw jsonErrors.TOO_DEEP({ offset: this.at, limit: this.maxDepth });
    this.at++;
    this.blank();
  }

  private text(): string {
    const close = scanJsonString(this.bytes, this.at + 1, this.end);
    if (close < 0) throw this.expected("a well-made string");
    const text = readString(this.bytes, this.at, close + 1);
    this.at = close + 1;
    return text;
  }

  private number(): JsonNumber {
    const text = readNumberText(this.bytes, this.at, this.end);
    if (text === undefined) throw this.expected("a value");
    this.at += text.length;
    return new JsonNumber(text);
  }

  private literal<T>(word: string, value: T): T {
    for (let i = 1; i < word.length; i++) {
      if (this.bytes[this.at + i] !== word.charCodeAt(i)) throw this.expected("a value");
    }
    this.at += word.length;
    return value;
  }

  /** Takes one byte, and the blanks behind it, when it is there. */
  private takes(byte: number): boolean {
    if (this.bytes[this.at] !== byte) return false;
    this.at++;
    if (byte === COMMA || byte === COLON) this.blank();
    return true;
  }

  private blank(): void {
    this.at = skipJsonBlank(this.bytes, this.at, this.end);
  }

  private expected(expected: string): Error {
    return jsonErrors.MALFORMED({ offset: this.at, expected });
  }
}
