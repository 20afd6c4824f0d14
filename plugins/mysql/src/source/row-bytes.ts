import type { Slab } from "@mqb/core/plugin";
import { doubleText } from "@mqb/json";
import type { RowSink } from "../client/raw-rows.ts";
import { writeEscaped } from "../json-text.ts";

/**
 * How a value is written: `digits` as they are, `plain` in quotes without a look at it, `text` escaped, `real` as a double,
 * `hex` for bytes, `characters` one for each byte.
 */
export type ValueForm = "digits" | "plain" | "text" | "real" | "hex" | "characters";

const NULL = Buffer.from("null");
const NEWLINE = Buffer.from("\n");
const QUOTE = 0x22;
/** Writes rows of the text protocol as lines of JSON, from bytes to bytes. */
export class RowBytes implements RowSink {
  private readonly keys: readonly Buffer[];
  private readonly forms: readonly ValueForm[];
  private out = Buffer.allocUnsafe(64 * 1024);
  private length = 0;
  private readonly starts: number[] = [];
  private readonly ends: number[] = [];

  constructor(names: readonly string[], forms: readonly ValueForm[]) {
    this.keys = names.map((name, i) => Buffer.from(`${i === 0 ? "{" : ","}${JSON.stringify(name)}:`));
    this.forms = forms;
  }

  row(bytes: Buffer, at: number, end: number): void {
    const { keys, forms } = this;
    this.starts.push(this.length);
    let from = at;
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i]!;
      const first = bytes[from]!;
      let size = first;
      from++;
      if (first === 0xfc) {
        size = bytes.readUInt16LE(from);
        from += 2;
      } else if (first === 0xfd) {
        size = bytes.readUIntLE(from, 3);
        from += 3;
      } else if (first === 0xfe) {
        size = Number(bytes.readBigUInt64LE(from));
        from += 8;
      }
      const isNull = first === 0xfb;
      // An escaped character is six bytes long.
      this.makeRoom(key.length + (isNull ? 4 : 6 * size + 32));
      this.copy(key, 0, key.length);
      if (isNull) this.copy(NULL, 0, 4);
      else {
        this.value(forms[i]!, bytes, from, from + size);
        from += size;
      }
    }
    if (from > end) throw new Error("a row is longer than its packet");
    this.makeRoom(2);
    this.out[this.length++] = 0x7d;
    this.ends.push(this.length);
    this.out[this.length++] = 0x0a;
  }

  slab(): Slab {
    return {
      bytes: this.out.subarray(0, this.length),
      starts: Uint32Array.from(this.starts),
      ends: Uint32Array.from(this.ends),
      terminator: NEWLINE,
    };
  }

  private value(form: ValueForm, bytes: Buffer, start: number, end: number): void {
    if (form === "digits") this.copy(bytes, start, end);
    else if (form === "real") this.ascii(realText(bytes.toString("latin1", start, end)));
    else {
      this.out[this.length++] = QUOTE;
      if (form === "plain") this.copy(bytes, start, end);
      else if (form === "text") this.text(bytes, start, end);
      else if (form === "hex") this.ascii(bytes.toString("hex", start, end));
      else {
        const text = Buffer.from(bytes.toString("latin1", start, end));
        this.text(text, 0, text.length);
      }
      this.out[this.length++] = QUOTE;
    }
  }

  private copy(bytes: Buffer, start: number, end: number): void {
    const { out } = this;
    let at = this.length;
    if (end - start < 24) for (let i = start; i < end; i++) out[at++] = bytes[i]!;
    else at += bytes.copy(out, at, start, end);
    this.length = at;
  }

  private text(bytes: Buffer, start: number, end: number): void {
    this.length = writeEscaped(bytes, start, end, this.out, this.length);
  }

  private ascii(text: string): void {
    this.length += this.out.write(text, this.length, "latin1");
  }

  private makeRoom(bytes: number): void {
    if (this.length + bytes <= this.out.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.out.length * 2, this.length + bytes));
    this.out.copy(larger, 0, 0, this.length);
    this.out = larger;
  }
}

/** With a point or an exponent, so that it stays a real. */
export function realText(text: string): string {
  const value = Number(text);
  return Number.isFinite(value) ? doubleText(value) : "null";
}
