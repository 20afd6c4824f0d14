const SHORT = 48;
const LEAST = 1024;

/** Bytes that are written one after another into a buffer that grows. */
export class Output {
  length = 0;
  #bytes: Buffer;

  constructor(capacity: number) {
    this.#bytes = Buffer.allocUnsafeSlow(Math.max(capacity, LEAST));
  }

  /** The buffer, of which the first `length` bytes were written; another one after it has grown. */
  get bytes(): Buffer {
    return this.#bytes;
  }

  byte(byte: number): void {
    if (this.length === this.#bytes.length) this.#grow(1);
    this.#bytes[this.length++] = byte;
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

  /** Appends a whole number of at least 0 and below 2^31. */
  whole(value: number): void {
    let digits = 1;
    for (let limit = 10; limit <= value; limit *= 10) digits++;
    if (this.length + digits > this.#bytes.length) this.#grow(digits);
    let rest = value;
    for (let at = this.length + digits - 1; at >= this.length; at--) {
      const next = (rest / 10) | 0;
      this.#bytes[at] = 48 + rest - next * 10;
      rest = next;
    }
    this.length += digits;
  }

  #grow(room: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(2 * this.#bytes.length, this.length + room));
    this.#bytes.copy(larger, 0, 0, this.length);
    this.#bytes = larger;
  }
}
