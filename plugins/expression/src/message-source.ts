import { isUtf8 } from "node:buffer";
import type { MessageBatch } from "@mqb/core/plugin";
import {
  compileFields,
  type FieldFinder,
  FieldKind,
  isJsonObject,
  type JsonObject,
  numberText,
  parseJson,
  readString,
} from "@mqb/json";
import type { Fields } from "./compile/fields.ts";
import type { Source } from "./compile/frame.ts";
import { expressionErrors } from "./errors.ts";
import { readNumberText } from "./number/text.ts";
import { fromJson, type Value } from "./value.ts";

const BACKSLASH = 0x5c;

/**
 * The values of one message of a batch, read from its bytes when the expression asks for them. An expression that
 * names no field of the payload never looks at it.
 */
export class MessageSource implements Source {
  readonly #finder: FieldFinder;
  readonly #reads: boolean;
  #batch!: MessageBatch;
  #index = 0;
  #payload!: Uint8Array;
  #root: Value | undefined;
  /** Lists and objects of this message that were asked for, by slot. */
  readonly #parsed: Value[] = [];

  constructor(fields: Fields) {
    this.#finder = compileFields(fields.paths);
    this.#reads = fields.paths.length > 0 || fields.whole;
  }

  /** Turns to a message. Throws a `permanent` error when the expression reads the payload and it is no JSON object. */
  turnTo(batch: MessageBatch, index: number): void {
    this.#batch = batch;
    this.#index = index;
    this.#root = undefined;
    this.#parsed.length = 0;
    if (!this.#reads) return;
    const { slab } = batch;
    if (slab) this.#find(slab.bytes, slab.starts[index]!, slab.ends[index]!);
    else this.#find(batch.payload(index), 0, batch.payload(index).length);
  }

  #find(bytes: Uint8Array, start: number, end: number): void {
    this.#payload = bytes;
    if (this.#finder.find(bytes, start, end) && this.#finder.root === FieldKind.object) return;
    throw expressionErrors.NOT_AN_OBJECT({});
  }

  /** What kind of value a field has in the message; the answer costs nothing. */
  kind(slot: number): number {
    return this.#finder.kinds[slot]!;
  }

  field(slot: number): Value {
    const start = this.#finder.starts[slot]!;
    const end = this.#finder.ends[slot]!;
    switch (this.#finder.kinds[slot]) {
      case FieldKind.number:
        return readNumberText(numberText(this.#payload, start, end));
      case FieldKind.string:
        return readString(this.#payload, start, end);
      case FieldKind.true:
        return true;
      case FieldKind.false:
        return false;
      case FieldKind.object:
      case FieldKind.array:
        // A loop may ask for it once for each of its elements.
        return (this.#parsed[slot] ??= fromJson(parseJson(this.#payload.subarray(start, end))));
      default:
        return null;
    }
  }

  isText(slot: number, text: string, quoted: Buffer): boolean {
    if (this.#finder.kinds[slot] !== FieldKind.string) return false;
    const start = this.#finder.starts[slot]!;
    const length = this.#finder.ends[slot]! - start;
    const bytes = this.#payload;
    for (let at = 0; at < length; at++) {
      const byte = bytes[start + at]!;
      // The same text can be written with escapes.
      if (byte === BACKSLASH) return this.field(slot) === text;
      if (byte !== quoted[at]) return false;
    }
    return length === quoted.length;
  }

  meta(key: string): Value {
    return this.#batch.metadata(this.#index).get(key) ?? null;
  }

  wholeMeta(): Value {
    return new Map(this.#batch.metadata(this.#index));
  }

  root(): Value {
    this.#root ??= fromJson(parseObject(this.#batch.payload(this.#index)));
    return this.#root;
  }
}

function parseObject(payload: Uint8Array): JsonObject {
  const value = isUtf8(payload) ? parseJson(payload) : undefined;
  if (isJsonObject(value)) return value;
  throw expressionErrors.NOT_AN_OBJECT({});
}
