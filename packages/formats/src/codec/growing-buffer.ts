const LEAST = 1024;

/** Bytes that are appended to a buffer, which moves when it has to grow. */
export class GrowingBuffer {
  /** What lies behind `length` is anything. */
  bytes: Buffer;
  length = 0;

  constructor(capacity: number) {
    this.bytes = Buffer.allocUnsafeSlow(Math.max(capacity, LEAST));
  }

  /** Makes room for so many more bytes. */
  reserve(size: number): void {
    if (this.length + size <= this.bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(2 * this.bytes.length, this.length + size));
    this.bytes.copy(larger, 0, 0, this.length);
    this.bytes = larger;
  }

  append(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  written(): Buffer {
    return this.bytes.subarray(0, this.length);
  }
}
