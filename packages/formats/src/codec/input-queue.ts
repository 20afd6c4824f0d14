/** Bytes that arrive in chunks and are looked at from the front. */
export class InputQueue {
  /** Offset in the whole input of the first byte held. */
  offset = 0;
  /** Bytes held. */
  length = 0;
  private chunks: Buffer[] = [];

  push(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.chunks.push(bytes);
    this.length += bytes.length;
  }

  /** The first `count` bytes without taking them; undefined when there are fewer. Valid until the next `push`. */
  peek(count: number): Buffer | undefined {
    if (this.length < count) return undefined;
    if (this.chunks[0] === undefined) return Buffer.alloc(0);
    if (this.chunks[0].length < count) this.gather(count);
    return this.chunks[0].subarray(0, count);
  }

  /** A copy of `count` bytes from `at` on, for small looks ahead; undefined when they are not there yet. */
  copyAt(at: number, count: number): Buffer | undefined {
    if (this.length < at + count) return undefined;
    const out = Buffer.allocUnsafe(count);
    let skip = at;
    let filled = 0;
    for (const chunk of this.chunks) {
      if (filled === count) break;
      if (skip >= chunk.length) skip -= chunk.length;
      else {
        filled += chunk.copy(out, filled, skip);
        skip = 0;
      }
    }
    return out;
  }

  /** Takes up to `count` bytes away; returns how many there were. */
  drop(count: number): number {
    let left = Math.min(count, this.length);
    const dropped = left;
    while (left > 0) {
      const first = this.chunks[0]!;
      if (first.length > left) {
        this.chunks[0] = first.subarray(left);
        break;
      }
      this.chunks.shift();
      left -= first.length;
    }
    this.length -= dropped;
    this.offset += dropped;
    return dropped;
  }

  /** Takes zero bytes at the front away: padding behind a member. Does nothing at the start of the input. */
  dropZeros(): void {
    if (this.offset === 0) return;
    for (;;) {
      const first = this.chunks[0];
      if (first === undefined) return;
      let zeros = 0;
      while (zeros < first.length && first[zeros] === 0) zeros++;
      this.drop(zeros);
      if (zeros < first.length) return;
    }
  }

  /** Joins just enough chunks that the first holds `count` bytes. */
  private gather(count: number): void {
    let size = 0;
    let used = 0;
    while (size < count) size += this.chunks[used++]!.length;
    this.chunks.splice(0, used, Buffer.concat(this.chunks.slice(0, used), size));
  }
}
