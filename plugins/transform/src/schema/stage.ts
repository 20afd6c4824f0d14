import type { ByteSink, MessageBatch } from "@mqb/core/plugin";
import { type JsonObject, jsonEquals, numberText, parseJson, readString, writeJson } from "@mqb/json";
import { MAX_JSON_DEPTH, scanJsonString, scanJsonValue, skipJsonBlank } from "@mqb/kernel";
import { type Failure, parseFailure, type Reason, whyNotJson } from "../failure.ts";
import { Output } from "../output.ts";
import { trimBlanks } from "./blanks.ts";
import { FlatSchema } from "./flat.ts";
import type { Members } from "./members.ts";
import { ANYTHING, type Content, type EnumValues, type SchemaNode } from "./node.ts";
import { integerOfText, isInteger, isPlainInteger, numberOfText, plainNumberEnd, textOfNumber } from "./number-text.ts";
import { withoutRepeats } from "./repeats.ts";

export interface SchemaOptions {
  readonly coerce: boolean;
  readonly applyDefaults: boolean;
  readonly emptyAsNull: boolean;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const FAILED = -1;
const NULL = Buffer.from("null");

/**
 * Makes documents fit a schema in one pass over their bytes. What the schema does not change is copied as it stands, in
 * pieces as large as possible; only blanks between the members and items that it looks at are left out.
 */
export class SchemaStage {
  failure: Failure | undefined;
  private readonly root: SchemaNode;
  /** For documents that need little; undefined where the schema asks for more. */
  private readonly flat: FlatSchema | undefined;
  private readonly options: SchemaOptions;
  private readonly stack = new Uint8Array(MAX_JSON_DEPTH);
  private readonly scratch = new Output(0);
  private bytes: Uint8Array = NULL;
  private end = 0;
  private out!: Output;
  /** Everything before is written, or left out. */
  private from = 0;
  /** From the field that failed outwards. */
  private trail = "";
  private reason: Reason = "parse";
  private text = "";

  constructor(root: SchemaNode, options: SchemaOptions) {
    this.root = root;
    this.flat = FlatSchema.of(root, options);
    this.options = options;
  }

  /** Turns to a batch, for `applyTo`. */
  begin(batch: MessageBatch): void {
    this.flat?.begin(batch);
  }

  /** `apply` for a message of the batch, which lies in `bytes[start .. end)`. */
  applyTo(index: number, bytes: Uint8Array, start: number, end: number, out: ByteSink): boolean {
    return this.flat?.apply(index, bytes, start, end, out) || this.applyAlone(bytes, start, end, out);
  }

  /** Appends the document `bytes[start .. end)` as the schema has it. False when it cannot; `failure` says why then. */
  applyAlone(bytes: Uint8Array, start: number, end: number, out: ByteSink): boolean {
    const { scratch } = this;
    scratch.length = 0;
    if (!this.apply(bytes, start, end, scratch)) return false;
    out.copy(scratch.bytes, 0, scratch.length);
    return true;
  }

  /** The same to bytes that can be looked at again. */
  apply(bytes: Uint8Array, start: number, end: number, out: Output): boolean {
    this.bytes = bytes;
    this.end = end;
    this.out = out;
    if (this.document(this.root, start)) return true;
    this.failure = parseFailure(bytes.subarray(start, end)) ?? {
      path: `$${this.trail}`,
      reason: this.reason,
      text: this.text,
    };
    return false;
  }

  private document(node: SchemaNode, start: number): boolean {
    const first = skipJsonBlank(this.bytes, start, this.end);
    this.from = first;
    const behind = this.value(node, first);
    if (behind < 0) return false;
    this.flush(behind);
    if (skipJsonBlank(this.bytes, behind, this.end) === this.end) return true;
    this.malformed();
    return false;
  }

  /** Each of these takes the position of a value and returns the one behind it, or FAILED. */
  private value(node: SchemaNode, at: number): number {
    if (node.enum === undefined) return this.shaped(node, at);
    this.flush(at);
    const mark = this.out.length;
    const behind = this.shaped(node, at);
    if (behind < 0) return behind;
    this.flush(behind);
    return this.isListed(node, node.enum, mark) ? behind : this.fail("enum", `value is not one of ${node.enum.text}`);
  }

  private isListed({ nullable }: SchemaNode, { written, values }: EnumValues, mark: number): boolean {
    const value = this.out.bytes.subarray(mark, this.out.length);
    if (written.some((one) => one.equals(value))) return true;
    if (nullable && NULL.equals(value)) return true;
    const whole = parseJson(value, { maxDepth: MAX_JSON_DEPTH });
    return values.some((one) => jsonEquals(one, whole));
  }

  private shaped(node: SchemaNode, at: number): number {
    const { type } = node;
    const first = at < this.end ? this.bytes[at]! : 0;
    switch (first) {
      case QUOTE:
        return this.string(node, at);
      case OPEN_OBJECT:
        if (type !== undefined && type !== "object") return this.mismatch(node, "object");
        return node.members ? this.object(node.members, at) : this.skip(at);
      case OPEN_ARRAY:
        if (type !== undefined && type !== "array") return this.mismatch(node, "array");
        return node.items ? this.array(node.items, at) : this.skip(at);
      case 0x74:
      case 0x66:
        if (type !== undefined && type !== "boolean") return this.mismatch(node, "boolean");
        return this.skip(at);
      case 0x6e: {
        const behind = this.skip(at);
        return behind < 0 ? behind : this.nothing(node, at, behind, false);
      }
      default:
        return this.number(node, at);
    }
  }

  /** A null, or an empty string that stands for one. */
  private nothing(node: SchemaNode, at: number, behind: number, empty: boolean): number {
    const fallback = this.options.applyDefaults ? node.default : undefined;
    if (!node.nullable && fallback) return this.replace(at, behind, fallback);
    if (node.nullable || node.type === undefined) return empty ? this.replace(at, behind, NULL) : behind;
    const what = empty ? "an empty string, read as null by coerce_empty_as_null," : "null";
    const lacks = node.default ? "apply_defaults is off" : "has no default";
    return this.fail("type_mismatch", `field is ${what} but is not nullable and ${lacks}`);
  }

  private string(node: SchemaNode, at: number): number {
    const { bytes } = this;
    const close = scanJsonString(bytes, at + 1, this.end);
    if (close < 0) return this.malformed();
    const behind = close + 1;
    if (close === at + 1 && this.options.emptyAsNull) return this.nothing(node, at, behind, true);
    const { type } = node;
    if (type === undefined || type === "string") {
      return node.content ? this.content(node.content, at, behind, undefined) : behind;
    }
    if (!this.options.coerce) return this.mismatch(node, "string");
    if (type === "integer") {
      if (isPlainInteger(bytes, at + 1, close)) return this.unquote(at, close, behind);
      return this.replaceText(node, at, behind, integerOfText(readString(bytes, at, behind)));
    }
    if (type === "number") {
      const end = plainNumberEnd(bytes, at + 1, close);
      if (end >= 0) return this.unquote(at, end, behind);
      return this.replaceText(node, at, behind, numberOfText(readString(bytes, at, behind)));
    }
    if (type !== "boolean") return this.mismatch(node, "string");
    const text = trimBlanks(readString(bytes, at, behind));
    const truth = text === "true" || text === "1" ? "true" : text === "false" || text === "0" ? "false" : undefined;
    return this.replaceText(node, at, behind, truth);
  }

  private number(node: SchemaNode, at: number): number {
    const behind = this.skip(at);
    if (behind < 0) return behind;
    const { type } = node;
    if (type === undefined || type === "number") return behind;
    if (type === "string" && this.options.coerce) {
      const text = textOfNumber(numberText(this.bytes, at, behind));
      if (node.content) return this.content(node.content, at, behind, text);
      return this.replaceText(node, at, behind, `"${text}"`);
    }
    const whole = isInteger(this.bytes, at, behind);
    if (whole && type === "integer") return behind;
    return this.mismatch(node, whole ? "integer" : "number");
  }

  private object(members: Members, open: number): number {
    const { bytes, end, from, out } = this;
    const mark = out.length;
    members.begin();
    let at = this.blank(open + 1);
    let count = 0;
    if (at < end && bytes[at] === CLOSE_OBJECT) return this.complete(members, at, 0);
    for (;;) {
      const close = at < end && bytes[at] === QUOTE ? scanJsonString(bytes, at + 1, end) : -1;
      if (close < 0) return this.malformed();
      const index = members.find(bytes, at, close);
      at = this.blank(close + 1);
      if (at >= end || bytes[at] !== COLON) return this.malformed();
      at = this.blank(at + 1);
      if (index < 0) at = this.skip(at);
      else if (members.see(index)) {
        const node = members.nodes[index];
        at = node ? this.value(node, at) : this.skip(at);
        if (at < 0) return this.inside(members, index, open, mark, from);
      } else return this.repeating(members, open, mark, from);
      if (at < 0) return at;
      count++;
      at = this.blank(at);
      if (at >= end) return this.malformed();
      if (bytes[at] === CLOSE_OBJECT) return this.complete(members, at, count);
      if (bytes[at] !== COMMA) return this.malformed();
      at = this.blank(at + 1);
    }
  }

  /** Adds what the object lacks, before its closing brace. */
  private complete(members: Members, close: number, count: number): number {
    const { expected } = members;
    for (let i = 0; i < expected.length; i++) {
      const index = expected[i]!;
      if (members.has(index)) continue;
      const fallback = this.options.applyDefaults ? members.nodes[index]?.default : undefined;
      if (fallback) {
        this.flush(close);
        if (count++ > 0) this.out.byte(COMMA);
        this.out.put(members.labels[index]!);
        this.out.put(fallback);
      } else if (members.required[index]) return this.missing(members, index);
    }
    return close + 1;
  }

  private missing(members: Members, index: number): number {
    const why = members.nodes[index]?.default ? "apply_defaults is off" : "no default is defined";
    this.fail("missing_required", `required field is missing and ${why}`);
    this.trail = members.segments[index]!;
    return FAILED;
  }

  /** A field of the object failed. It may come again; and that a required one is missing is said first. */
  private inside(members: Members, index: number, open: number, mark: number, from: number): number {
    this.trail = members.segments[index]! + this.trail;
    const behind = scanJsonValue(this.bytes, open, this.end, this.stack);
    if (behind < 0) return FAILED;
    const text = this.bytes.subarray(open, behind);
    if (withoutRepeats(text)) return this.repeating(members, open, mark, from);
    const object = parseJson(text, { maxDepth: MAX_JSON_DEPTH }) as JsonObject;
    const missing = members.missingIn(object, this.options.applyDefaults);
    return missing < 0 ? FAILED : this.missing(members, missing);
  }

  private array(items: SchemaNode, open: number): number {
    const { bytes, end } = this;
    let at = this.blank(open + 1);
    if (at < end && bytes[at] === CLOSE_ARRAY) return at + 1;
    for (let position = 0; ; position++) {
      at = this.value(items, at);
      if (at < 0) {
        this.trail = `[${position}]${this.trail}`;
        return at;
      }
      at = this.blank(at);
      if (at >= end) return this.malformed();
      if (bytes[at] === CLOSE_ARRAY) return at + 1;
      if (bytes[at] !== COMMA) return this.malformed();
      at = this.blank(at + 1);
    }
  }

  /** The object has a field twice, so it is done again without the earlier ones: the last one counts. */
  private repeating(members: Members, open: number, mark: number, from: number): number {
    const behind = this.skip(open);
    if (behind < 0) return behind;
    this.out.length = mark;
    this.from = from;
    return this.instead(open, behind, withoutRepeats(this.bytes.subarray(open, behind))!, () => {
      const end = this.object(members, 0);
      if (end >= 0) this.flush(end);
      return end >= 0;
    });
  }

  /** A string that holds a document. Line breaks between its values would break up records of lines. */
  private content(content: Content, at: number, behind: number, text: string | undefined): number {
    let inner: Buffer = Buffer.from(text ?? readString(this.bytes, at, behind));
    const broken = inner.includes(10) || inner.includes(13);
    if (broken && whyNotJson(inner) === undefined) inner = writeJson(parseJson(inner, { maxDepth: MAX_JSON_DEPTH }));
    return this.instead(at, behind, inner, () => {
      if (this.document(content.schema ?? ANYTHING, 0)) return true;
      const why = whyNotJson(inner);
      if (why !== undefined) this.fail("content", `contentMediaType is JSON but the string does not parse: ${why}`);
      return false;
    });
  }

  /** Writes something else in the place of `[at .. behind)`: what `write` makes of `bytes`. */
  private instead(at: number, behind: number, bytes: Buffer, write: () => boolean): number {
    this.flush(at);
    const outer = { bytes: this.bytes, end: this.end };
    this.bytes = bytes;
    this.end = bytes.length;
    this.from = 0;
    const written = write();
    this.bytes = outer.bytes;
    this.end = outer.end;
    this.from = behind;
    return written ? behind : FAILED;
  }

  private unquote(at: number, end: number, behind: number): number {
    this.flush(at);
    this.from = at + 1;
    this.flush(end);
    this.from = behind;
    return behind;
  }

  private replace(at: number, behind: number, value: Uint8Array): number {
    this.flush(at);
    this.out.put(value);
    this.from = behind;
    return behind;
  }

  private replaceText(node: SchemaNode, at: number, behind: number, value: string | undefined): number {
    if (value === undefined) return this.mismatch(node, "string");
    this.flush(at);
    this.out.ascii(value);
    this.from = behind;
    return behind;
  }

  private flush(at: number): void {
    if (at > this.from) this.out.copy(this.bytes, this.from, at);
    this.from = at;
  }

  private skip(at: number): number {
    const behind = scanJsonValue(this.bytes, at, this.end, this.stack);
    return behind < 0 ? this.malformed() : behind;
  }

  /** Leaves out blanks. */
  private blank(at: number): number {
    if (at >= this.end || this.bytes[at]! > 0x20) return at;
    const behind = skipJsonBlank(this.bytes, at, this.end);
    if (behind > at) {
      this.flush(at);
      this.from = behind;
    }
    return behind;
  }

  private mismatch({ type }: SchemaNode, found: string): number {
    if (this.options.coerce) return this.fail("coercion", `cannot coerce ${found} to ${type}`);
    return this.fail("type_mismatch", `expected ${type}, found ${found}`);
  }

  /** What exactly is wrong is found out by whoever reports it. */
  private malformed(): number {
    return this.fail("parse", "");
  }

  private fail(reason: Reason, text: string): number {
    this.trail = "";
    this.reason = reason;
    this.text = text;
    return FAILED;
  }
}
