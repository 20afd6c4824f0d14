const SHORT = 40;

/** Bytes that are written one after another into a buffer that grows. */
export class Output {
  length = 0;
  private buffer: Buffer;

  constructor(capacity: number) {
    this.buffer = Buffer.allocUnsafeSlow(Math.max(capacity, 1024));
  }

  /** Everything that was written; valid until the next write. */
  get bytes(): Buffer {
    return this.buffer.subarray(0, this.length);
  }

  byte(byte: number): void {
    if (this.length === this.buffer.length) this.grow(1);
    this.buffer[this.length++] = byte;
  }

  put(bytes: Uint8Array): void {
    this.copy(bytes, 0, bytes.length);
  }

  /** Appends `source[from .. to)`. */
  copy(source: Uint8Array, from: number, to: number): void {
    const size = to - from;
    if (this.length + size > this.buffer.length) this.grow(size);
    if (size > SHORT) this.buffer.set(source.subarray(from, to), this.length);
    else for (let i = from, at = this.length; i < to; i++) this.buffer[at++] = source[i]!;
    this.length += size;
  }

  private grow(room: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(2 * this.buffer.length, this.length + room));
    this.buffer.copy(larger, 0, 0, this.length);
    this.buffer = larger;
  }
}
