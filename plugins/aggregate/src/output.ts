const SHORT = 48;
const LEAST = 1024;

/** Bytes that are written one after another into a buffer that grows. */
export class Output {
  length = 0;
  #bytes: Buffer;

  constructor(capacity: number) {
    this.#bytes = Buffer.allocUnsafeSlow(Math.max(capacity, LEAST));
  }

  /** What was written. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.length);
  }

  byte(byte: number): void {
    if (this.length === this.#bytes.length) this.#grow(1);
    this.#bytes[this.length++] = byte;
  }

  /** Appends `source[from .. to)`. */
  copy(source: Uint8Array, from: number, to: number): void {
    const size = to - from;
    if (this.length + size > this.#bytes.length) this.#grow(size);
    this.#bytes.set(source.subarray(from, to), this.length);
    this.length += size;
  }

  text(text: string): void {
    const most = 3 * text.length;
    if (this.length + most > this.#bytes.length) this.#grow(most);
    if (text.length > SHORT) {
      this.length += this.#bytes.write(text, this.length);
      return;
    }
    const start = this.length;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code > 0x7f) {
        this.length = start + this.#bytes.write(text, start);
        return;
      }
      this.#bytes[this.length++] = code;
    }
  }

  #grow(room: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(2 * this.#bytes.length, this.length + room));
    this.#bytes.copy(larger, 0, 0, this.length);
    this.#bytes = larger;
  }
}
