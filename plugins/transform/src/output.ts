import type { ByteSink } from "@mqb/core/plugin";

const SHORT = 40;
const LEAST = 1024;

/** Bytes that are written one after another into a buffer that grows. */
export class Output implements ByteSink {
  length = 0;
  #bytes: Buffer;

  constructor(capacity: number) {
    this.#bytes = Buffer.allocUnsafeSlow(Math.max(capacity, LEAST));
  }

  /** What was written; valid until the next write. */
  get bytes(): Buffer {
    return this.#bytes;
  }

  byte(byte: number): void {
    if (this.length === this.#bytes.length) this.#grow(1);
    this.#bytes[this.length++] = byte;
  }

  put(bytes: Uint8Array): void {
    this.copy(bytes, 0, bytes.length);
  }

  /** Appends `source[from .. to)`. */
  copy(source: Uint8Array, from: number, to: number): void {
    const size = to - from;
    if (this.length + size > this.#bytes.length) this.#grow(size);
    if (size > SHORT) this.#bytes.set(source.subarray(from, to), this.length);
    else {
      const into = this.#bytes;
      let at = this.length;
      for (let i = from; i < to; i++) into[at++] = source[i]!;
    }
    this.length += size;
  }

  /** Appends ASCII text. */
  ascii(text: string): void {
    if (this.length + text.length > this.#bytes.length) this.#grow(text.length);
    for (let i = 0; i < text.length; i++) this.#bytes[this.length++] = text.charCodeAt(i);
  }

  /** What was written since `from`, as a copy that nothing writes over. */
  since(from: number): Buffer {
    return Buffer.from(this.#bytes.subarray(from, this.length));
  }

  #grow(room: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(2 * this.#bytes.length, this.length + room));
    this.#bytes.copy(larger, 0, 0, this.length);
    this.#bytes = larger;
  }
}
