const KEPT_BYTES = 16 * 1024 * 1024;

/**
 * Buffers for what is made of a batch. One that was written goes back and is used again: otherwise each batch would leave one
 * behind, and collecting them costs more than filling them.
 */
export class OutputPool {
  private readonly free: Buffer[] = [];
  /** Memory that was given out, so that nothing else is ever taken back. */
  private readonly given = new WeakSet<ArrayBufferLike>();
  /** At most this many lie here unused. */
  private readonly kept: number;

  constructor(kept = 2) {
    this.kept = kept;
  }

  /** A buffer of exactly this size, with anything in it. */
  readonly take = (size: number): Buffer => {
    const at = this.free.findIndex((buffer) => buffer.length >= size);
    const whole = at < 0 ? Buffer.allocUnsafeSlow(roundUp(size)) : this.free.splice(at, 1)[0]!;
    this.given.add(whole.buffer);
    return whole.subarray(0, size);
  };

  /** Takes back what `take` has given, once nobody looks at it any more; other buffers are none of its business. */
  release(chunks: readonly Buffer[]): void {
    for (const { buffer } of chunks) {
      if (!this.given.delete(buffer) || buffer.byteLength > KEPT_BYTES) continue;
      if (this.free.length >= this.kept) this.free.shift();
      this.free.push(Buffer.from(buffer));
    }
  }
}

/** So that the batches of a stream, which are of similar size, fit each other's buffers. */
function roundUp(size: number): number {
  return size <= 4096 ? 4096 : 2 ** Math.ceil(Math.log2(size));
}
