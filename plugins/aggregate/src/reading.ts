import { isUtf8 } from "node:buffer";
import type { MessageBatch, Slab } from "@mqb/core/plugin";
import {
  type BatchFields,
  compileBatchFields,
  FieldKind,
  JsonNumber,
  numberText,
  parseJson,
  readString,
  writeJson,
} from "@mqb/json";
import { type Exact, readExact } from "./number/exact.ts";
import type { Paths } from "./paths.ts";
import { readTime } from "./time.ts";

/** As deep as the search for fields goes. */
const MAX_DEPTH = 1024;
const OVERWRITE = "mqb.aggregate.overwrite";
const MINUS = 45;
const POINT = 46;
const ZERO = 48;
const NINE = 57;

/** One message of a batch at a time: the fields that the aggregate needs, found in its bytes. */
export class Reading {
  batch!: MessageBatch;
  index = 0;
  /** The payload is a JSON object. */
  isObject = false;
  bytes!: Uint8Array;
  start = 0;
  end = 0;
  readonly #found: BatchFields;
  readonly #paths: Paths;
  readonly #numbers: (Exact | undefined)[];
  /** The turn in which a number was read: several fields may ask for the same one. */
  readonly #read: Uint32Array;
  #turn = 0;
  #readable = false;

  /** All slots must have been given out. */
  constructor(paths: Paths) {
    this.#paths = paths;
    this.#found = compileBatchFields(paths.list);
    this.#numbers = new Array<Exact | undefined>(paths.list.length);
    this.#read = new Uint32Array(paths.list.length);
  }

  /** Before the first `turnTo` of a batch. */
  begin(batch: MessageBatch): void {
    this.batch = batch;
    this.#readable = batch.slab !== undefined && isReadable(batch.slab);
    this.#found.begin(batch);
  }

  turnTo(index: number): void {
    const { slab } = this.batch;
    this.#turn = (this.#turn + 1) >>> 0 || 1;
    this.index = index;
    this.bytes = slab ? slab.bytes : this.batch.payload(index);
    this.start = slab ? slab.starts[index]! : 0;
    this.end = slab ? slab.ends[index]! : this.bytes.length;
    const found = this.#found;
    found.at(index);
    const readable = this.#readable || isUtf8(this.bytes.subarray(this.start, this.end));
    this.isObject = readable && found.root(index) === FieldKind.object;
  }

  kind(slot: number): number {
    return this.#found.kinds[this.#found.base + slot]!;
  }

  #start(slot: number): number {
    return this.#found.starts[this.#found.base + slot]!;
  }

  #end(slot: number): number {
    return this.#found.ends[this.#found.base + slot]!;
  }

  /** The number at a field, also one that is written as a text; undefined = none. */
  number(slot: number): Exact | undefined {
    if (this.#read[slot] === this.#turn) return this.#numbers[slot];
    const number = this.#number(slot);
    this.#read[slot] = this.#turn;
    this.#numbers[slot] = number;
    return number;
  }

  #number(slot: number): Exact | undefined {
    const start = this.#start(slot);
    const end = this.#end(slot);
    switch (this.kind(slot)) {
      case FieldKind.number: {
        const plain = plainNumber(this.bytes, start, end);
        return Number.isNaN(plain) ? readExact(numberText(this.bytes, start, end)) : plain;
      }
      case FieldKind.string:
        return readExact(readString(this.bytes, start, end).trim());
      default:
        return undefined;
    }
  }

  /** Unix seconds of the time at a field; undefined = none. */
  time(slot: number): number | undefined {
    const kind = this.kind(slot);
    if (kind !== FieldKind.number && kind !== FieldKind.string) return undefined;
    const start = this.#start(slot);
    const end = this.#end(slot);
    return readTime(
      kind === FieldKind.number ? numberText(this.bytes, start, end) : readString(this.bytes, start, end),
    );
  }

  /** A value as a part of a key: equal numbers have one text; null is no value. */
  keyText(slot: number): string | undefined {
    const start = this.#start(slot);
    const end = this.#end(slot);
    switch (this.kind(slot)) {
      case FieldKind.absent:
      case FieldKind.null:
        return undefined;
      case FieldKind.string:
        return readString(this.bytes, start, end);
      case FieldKind.number:
        return keyNumber(numberText(this.bytes, start, end));
      default:
        return writeJson(parseJson(this.bytes.subarray(start, end), { maxDepth: MAX_DEPTH })).toString();
    }
  }

  /** As `keyText`, as JSON: a text is never taken for a number, and null is a value. */
  keyJson(slot: number): string | undefined {
    const kind = this.kind(slot);
    if (kind === FieldKind.null) return "null";
    const text = this.keyText(slot);
    return kind === FieldKind.string ? JSON.stringify(text) : text;
  }

  /** The message is to be taken for the newest one of its key. */
  overwrites(): boolean {
    return this.batch.metadata(this.index).get(OVERWRITE) === "true";
  }

  /** What a field is called in errors. */
  name(slot: number): string {
    return this.#paths.name(slot);
  }
}

/** Powers of ten that are exact as doubles. */
const POWERS = Float64Array.from({ length: 16 }, (_, power) => 10 ** power);

/** A number of up to 15 digits, with a sign and a point perhaps, without an exponent; NaN for another one. */
function plainNumber(bytes: Uint8Array, start: number, end: number): number {
  const negative = bytes[start] === MINUS;
  const first = negative ? start + 1 : start;
  if (end - first > 15) return Number.NaN;
  let digits = 0;
  let point = -1;
  for (let at = first; at < end; at++) {
    const byte = bytes[at]!;
    if (byte === POINT) point = at;
    else if (byte >= ZERO && byte <= NINE) digits = digits * 10 + (byte - ZERO);
    else return Number.NaN;
  }
  // Both are exact, so that the quotient is the nearest double.
  const size = point < 0 ? digits : digits / POWERS[end - 1 - point]!;
  return negative ? -size : size;
}

/** Whole numbers stay as they are; `7.0`, `7e0` and `-0` are `7` and `0`. */
function keyNumber(text: string): string {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 48 || code > 57) return at === 0 && /^-[1-9]\d*$/.test(text) ? text : new JsonNumber(text).canonical();
  }
  return text;
}

/** Whether all payloads are UTF-8, looked at in one piece. */
function isReadable({ bytes, starts, ends }: Slab): boolean {
  if (starts.length === 0) return true;
  let first = starts[0]!;
  let last = 0;
  let size = 0;
  for (let i = 0; i < starts.length; i++) {
    first = Math.min(first, starts[i]!);
    last = Math.max(last, ends[i]!);
    size += ends[i]! - starts[i]!;
  }
  return last - first <= 2 * size + 1024 && isUtf8(bytes.subarray(first, last));
}
