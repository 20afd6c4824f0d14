import type { ByteSink } from "@mqb/core/plugin";

/** Above this the system copies faster than a loop of words. */
const SHORT = 256;
const WORD = 4;
const LEAST = 1024;

/** Bytes that are written one after another into a buffer that grows. */
export class Output implements ByteSink {
  length = 0;
  #bytes: Buffer;
  #view: DataView;
  /** What was copied from last, which is mostly what is copied from next. */
  #source: Uint8Array | undefined;
  #sourceView: DataView;

  constructor(capacity: number) {
    this.#bytes = Buffer.allocUnsafeSlow(Math.max(capacity, LEAST) + WORD);
    this.#view = viewOf(this.#bytes);
    this.#sourceView = this.#view;
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
    const size = bytes.length;
    if (this.length + size > this.#bytes.length) this.#grow(size);
    if (size > SHORT) this.#bytes.set(bytes, this.length);
    else {
      const into = this.#bytes;
      const at = this.length;
      for (let i = 0; i < size; i++) into[at + i] = bytes[i]!;
    }
    this.length += size;
  }

  constant(bytes: Uint8Array): void {
    this.put(bytes);
  }

  /** Appends `source[from .. to)`. */
  copy(source: Uint8Array, from: number, to: number): void {
    if (source !== this.#source) {
      this.#source = source;
      this.#sourceView = viewOf(source);
    }
    this.#copyWords(this.#sourceView, from, to);
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

  /** Words at a time, which is several times as fast as bytes. */
  #copyWords(source: DataView, from: number, to: number): void {
    const size = to - from;
    if (this.length + size + WORD > this.#bytes.length) this.#grow(size + WORD);
    let at = this.length;
    this.length += size;
    if (size > SHORT) {
      this.#bytes.set(new Uint8Array(source.buffer, source.byteOffset + from, size), at);
      return;
    }
    const into = this.#view;
    // The last word may reach beyond; what it writes there is written over.
    const whole = Math.min(to, source.byteLength - WORD + 1);
    let i = from;
    for (; i < whole; i += WORD, at += WORD) into.setUint32(at, source.getUint32(i, true), true);
    for (; i < to; i++, at++) into.setUint8(at, source.getUint8(i));
  }

  #grow(room: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(2 * this.#bytes.length, this.length + room));
    this.#bytes.copy(larger, 0, 0, this.length);
    this.#bytes = larger;
    this.#view = viewOf(larger);
  }
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
