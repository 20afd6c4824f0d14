import { isUtf8 } from "node:buffer";
import { asBuffer, type MessageBatch } from "@mqb/core/plugin";
import { compileFields, type FieldFinder, FieldKind, type JsonPath, readString } from "@mqb/json";

/**
 * Finds fields of payloads by paths of keys and array positions, all of them in one pass over the bytes. No value is parsed,
 * so no digit of a number changes. Of a key that is there twice the last one counts.
 */
export class PayloadFields {
  private readonly finder: FieldFinder | undefined;
  /** For each field the paths that it may mean, of which at most one is there. */
  private readonly meanings: readonly (readonly number[])[];
  private bytes: Buffer | undefined;

  constructor(fields: readonly (readonly string[])[]) {
    const paths: JsonPath[] = [];
    this.meanings = fields.map((steps) => meaningsOf(steps).map((path) => paths.push(path) - 1));
    this.finder = paths.length > 0 ? compileFields(paths) : undefined;
  }

  /** Looks into a message; `text` answers about that one until the next call. */
  look(batch: MessageBatch, index: number): void {
    const { slab } = batch;
    const payload = slab ? slab.bytes : batch.payload(index);
    const start = slab ? slab.starts[index]! : 0;
    const end = slab ? slab.ends[index]! : payload.length;
    const isJson = this.finder?.find(payload, start, end) ?? false;
    this.bytes = isJson ? asBuffer(payload) : undefined;
  }

  /**
   * A string without quotes and escapes, everything else as written. Undefined when the field is not there, the payload is
   * no JSON, or the value no UTF-8.
   */
  text(field: number): string | null | undefined {
    const { bytes } = this;
    if (!bytes) return undefined;
    const { kinds, starts, ends } = this.finder!;
    const found = this.meanings[field]!.find((path) => kinds[path] !== FieldKind.absent);
    if (found === undefined) return undefined;
    const kind = kinds[found];
    if (kind === FieldKind.null) return null;
    const start = starts[found]!;
    const end = ends[found]!;
    if (isAscii(bytes, start, end)) {
      return kind === FieldKind.string ? readString(bytes, start, end) : bytes.toString("latin1", start, end);
    }
    if (!isUtf8(bytes.subarray(start, end))) return undefined;
    return kind === FieldKind.string ? readString(bytes, start, end) : bytes.toString("utf8", start, end);
  }
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
