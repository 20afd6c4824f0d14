/** A buffer that a key is put together in; grows to the longest key. */
export class Scratch {
  bytes: Buffer = Buffer.allocUnsafeSlow(256);
  length = 0;

  reset(): void {
    this.length = 0;
  }

  add(from: Uint8Array, start: number, end: number): void {
    const size = end - start;
    this.room(size);
    const { bytes, length } = this;
    // Keys are short: a loop beats a call.
    if (size <= 64) for (let i = 0; i < size; i++) bytes[length + i] = from[start + i]!;
    else bytes.set(from.subarray(start, end), length);
    this.length += size;
  }

  text(text: string): void {
    this.room(3 * text.length);
    this.length += this.bytes.write(text, this.length);
  }

  /** Makes room for `size` more bytes. */
  room(size: number): void {
    if (this.length + size <= this.bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(2 * (this.length + size));
    grown.set(this.bytes.subarray(0, this.length));
    this.bytes = grown;
  }
}
