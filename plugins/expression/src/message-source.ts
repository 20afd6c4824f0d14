import { isUtf8 } from "node:buffer";
import type { MessageBatch } from "@mqb/core/plugin";
import {
  type BatchFields,
  compileBatchFields,
  FieldKind,
  isJsonObject,
  type JsonObject,
  numberText,
  parseJson,
  plainNumber,
  readString,
} from "@mqb/json";
import type { Fields } from "./compile/fields.ts";
import type { Source } from "./compile/frame.ts";
import { expressionErrors } from "./errors.ts";
import { readNumberText } from "./number/text.ts";
import { fromJson, type Value } from "./value.ts";

const BACKSLASH = 0x5c;

/** Whether a string is written just so; undefined when it has escapes, with which the same text can be written. */
export function isQuoted(bytes: Uint8Array, start: number, end: number, quoted: Buffer): boolean | undefined {
  const length = end - start;
  for (let at = 0; at < length; at++) {
    const byte = bytes[start + at]!;
    if (byte === BACKSLASH) return undefined;
    if (byte !== quoted[at]) return false;
  }
  return length === quoted.length;
}

/**
 * The values of one message of a batch, read from its bytes when the expression asks for them. An expression that
 * names no field of the payload never looks at it.
 */
export class MessageSource implements Source {
  /** Where the fields of the batch lie. */
  readonly found: BatchFields;
  readonly #reads: boolean;
  /** By slot: its place among the values that are read as numbers, or -1. */
  readonly #columns: readonly number[];
  #batch!: MessageBatch;
  #index = 0;
  #isReadable: boolean | undefined;
  #root: Value | undefined;
  /** Lists and objects of this message that were asked for, by slot. */
  readonly #parsed: Value[] = [];

  constructor(fields: Fields) {
    this.found = compileBatchFields(fields.paths, { numbers: fields.numbers });
    this.#columns = fields.paths.map((_, slot) => fields.numbers.indexOf(slot));
    this.#reads = fields.paths.length > 0 || fields.whole;
  }

  /** Turns to a batch, before its messages. */
  begin(batch: MessageBatch): void {
    this.#batch = batch;
    this.#isReadable = undefined;
    if (this.#reads) this.found.begin(batch);
  }

  /** Turns to a message. Throws a `permanent` error when the expression reads the payload and it is no JSON object. */
  turnTo(index: number): void {
    this.#index = index;
    this.#root = undefined;
    if (this.#parsed.length > 0) this.#parsed.length = 0;
    if (!this.#reads) return;
    if (this.found.root(index) !== FieldKind.object) throw expressionErrors.NOT_AN_OBJECT({});
    this.found.at(index);
  }

  /** All payloads of the batch are UTF-8; looked at when first asked for. False where that would be much to look at. */
  get isReadable(): boolean {
    this.#isReadable ??= isReadable(this.#batch);
    return this.#isReadable;
  }

  /** No string of the message that the expression reads has an escape in it; false where nobody has looked. */
  get isPlain(): boolean {
    return this.found.isPlain(this.#index);
  }

  /** A message that `turnTo` does not refuse. */
  isObject(index: number): boolean {
    return !this.#reads || this.found.root(index) === FieldKind.object;
  }

  /** `turnTo` refuses no message of the batch. False where nobody has looked. */
  get areObjects(): boolean {
    return !this.#reads || this.found.areObjects;
  }

  /** What kind of value a field has in the message; the answer costs nothing. */
  kind(slot: number): number {
    return this.found.kinds[this.found.base + slot]!;
  }

  field(slot: number): Value {
    const { bytes, starts, ends, base } = this.found;
    const start = starts[base + slot]!;
    const end = ends[base + slot]!;
    switch (this.kind(slot)) {
      case FieldKind.number:
        return this.plainNumber(slot) ?? readNumberText(numberText(bytes, start, end));
      case FieldKind.string:
        return readString(bytes, start, end);
      case FieldKind.true:
        return true;
      case FieldKind.false:
        return false;
      case FieldKind.object:
      case FieldKind.array:
        // A loop may ask for it once for each of its elements.
        return (this.#parsed[slot] ??= fromJson(parseJson(bytes.subarray(start, end))));
      default:
        return null;
    }
  }

  plainNumber(slot: number): number | undefined {
    const { bytes, starts, ends, base, numbers, numberWidth } = this.found;
    const column = this.#columns[slot]!;
    if (column >= 0) {
      const known = numbers[this.#index * numberWidth + column]!;
      return Number.isNaN(known) ? undefined : known;
    }
    const kind = this.kind(slot);
    if (kind !== FieldKind.number && kind !== FieldKind.string) return undefined;
    const quote = kind === FieldKind.string ? 1 : 0;
    const number = plainNumber(bytes, starts[base + slot]! + quote, ends[base + slot]! - quote);
    return Number.isNaN(number) ? undefined : number;
  }

  isText(slot: number, text: string, quoted: Buffer): boolean {
    if (this.kind(slot) !== FieldKind.string) return false;
    const { bytes, starts, ends, base } = this.found;
    const start = starts[base + slot]!;
    const same = isQuoted(bytes, start, ends[base + slot]!, quoted);
    return same === undefined ? this.field(slot) === text : same;
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

/** In one piece: what lies between the payloads of a batch is little, and is text where they are. */
function isReadable({ slab }: MessageBatch): boolean {
  if (!slab || slab.starts.length === 0) return false;
  let first = slab.starts[0]!;
  let last = 0;
  for (let i = 0; i < slab.starts.length; i++) {
    first = Math.min(first, slab.starts[i]!);
    last = Math.max(last, slab.ends[i]!);
  }
  return isUtf8(slab.bytes.subarray(first, last));
}
