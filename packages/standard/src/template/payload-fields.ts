import { isUtf8 } from "node:buffer";
import { asBuffer, type MessageBatch } from "@mqb/core/plugin";
import { type BatchFields, compileBatchFields, FieldKind, type JsonPath, readString } from "@mqb/json";

/**
 * Finds fields of payloads by paths of keys and array positions, all of them in one pass over the bytes. No value is parsed,
 * so no digit of a number changes. Of a key that is there twice the last one counts.
 */
export class PayloadFields {
  private readonly found: BatchFields | undefined;
  /** For each field the paths that it may mean, of which at most one is there. */
  private readonly meanings: readonly (readonly number[])[];
  private bytes: Buffer | undefined;

  constructor(fields: readonly (readonly string[])[]) {
    const paths: JsonPath[] = [];
    this.meanings = fields.map((steps) => meaningsOf(steps).map((path) => paths.push(path) - 1));
    this.found = paths.length > 0 ? compileBatchFields(paths) : undefined;
  }

  /** Looks into a message, and at the first of a batch into all of them; `text` answers about that one until the next call. */
  look(batch: MessageBatch, index: number): void {
    const { found } = this;
    this.bytes = undefined;
    if (!found) return;
    found.begin(batch);
    if (found.root(index) === FieldKind.absent) return;
    found.at(index);
    this.bytes = asBuffer(found.bytes);
  }

  /** Of the last `look`. There are none where no field was asked for. */
  get places(): Pick<BatchFields, "kinds" | "starts" | "ends"> | undefined {
    return this.found;
  }

  /** Whether `text` is a text. */
  has(field: number): boolean {
    const { bytes } = this;
    const at = bytes ? this.placeOf(field) : -1;
    if (at < 0) return false;
    const { kinds, starts, ends } = this.found!;
    return kinds[at] !== FieldKind.null && isText(bytes!, starts[at]!, ends[at]!);
  }

  /**
   * A string without quotes and escapes, everything else as written. Undefined when the field is not there, the payload is
   * no JSON, or the value no UTF-8.
   */
  text(field: number): string | null | undefined {
    const { bytes } = this;
    if (!bytes) return undefined;
    const { kinds, starts, ends } = this.found!;
    const at = this.placeOf(field);
    if (at < 0) return undefined;
    const kind = kinds[at];
    if (kind === FieldKind.null) return null;
    const start = starts[at]!;
    const end = ends[at]!;
    if (!isText(bytes, start, end)) return undefined;
    return kind === FieldKind.string ? readString(bytes, start, end) : bytes.toString("utf8", start, end);
  }

  /** The bytes that the last `look` found JSON in; undefined where it found none. */
  get json(): Buffer | undefined {
    return this.bytes;
  }

  /** Where `kinds`, `starts` and `ends` of `places` tell of the field's value; -1 = it is not there. */
  placeOf(field: number): number {
    const { kinds, base } = this.found!;
    const meanings = this.meanings[field]!;
    for (let i = 0; i < meanings.length; i++) {
      const at = base + meanings[i]!;
      if (kinds[at] !== FieldKind.absent) return at;
    }
    return -1;
  }
}

function isText(bytes: Uint8Array, start: number, end: number): boolean {
  return isAscii(bytes, start, end) || isUtf8(bytes.subarray(start, end));
}

/** Mostly so, and told sooner than by a call for bytes that are few. */
function isAscii(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (bytes[at]! > 0x7f) return false;
  return true;
}

/** Digits are the key of an object or a position in an array, as the document has it. */
function meaningsOf(steps: readonly string[]): JsonPath[] {
  let paths: (string | number)[][] = [[]];
  for (const step of steps) {
    const here = /^\d{1,9}$/.test(step) ? [step, Number(step)] : [step];
    paths = paths.flatMap((path) => here.map((one) => [...path, one]));
  }
  return paths;
}
