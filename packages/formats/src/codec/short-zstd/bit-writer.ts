/** Bits one after another, the lowest of each byte first; what is read last to first of it is what a zstd bitstream is. */
export class BitWriter {
  bytes: Uint8Array;
  /** Where the next whole byte goes. */
  at = 0;
  private held = 0;
  private count = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  start(at: number): void {
    this.at = at;
    this.held = 0;
    this.count = 0;
  }

  /** Appends the lowest `bits` (at most 24) of a value that has no others. */
  add(value: number, bits: number): void {
    let held = this.held | (value << this.count);
    let count = this.count + bits;
    while (count >= 8) {
      this.bytes[this.at++] = held & 255;
      held >>>= 8;
      count -= 8;
    }
    this.held = held;
    this.count = count;
  }

  /** Fills the last byte up with zeros. Returns the end. */
  pad(): number {
    if (this.count > 0) this.bytes[this.at++] = this.held;
    this.held = 0;
    this.count = 0;
    return this.at;
  }

  /** Ends a bitstream: a one marks where it ends. Returns the end. */
  close(): number {
    this.add(1, 1);
    return this.pad();
  }
}
