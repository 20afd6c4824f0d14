const EMPTY = Buffer.alloc(0);

/** Bytes held back between chunks: a queue in one buffer that grows by doubling. */
export class Carry {
  #buffer: Buffer = EMPTY;
  #start = 0;
  #end = 0;

  get length(): number {
    return this.#end - this.#start;
  }

  /** The held bytes; valid until the next `append`. */
  get bytes(): Buffer {
    return this.#buffer.subarray(this.#start, this.#end);
  }

  /** Appends a copy of `source[from .. to)`. `limit` is the most that will ever be held, so that doubling stops there. */
  append(source: Buffer, from: number, to: number, limit = Number.MAX_SAFE_INTEGER): void {
    const size = to - from;
    if (size === 0) return;
    if (this.#end + size > this.#buffer.length) this.#makeRoom(size, limit);
    source.copy(this.#buffer, this.#end, from, to);
    this.#end += size;
  }

  /** Drops the first `count` bytes. */
  drop(count: number): void {
    this.#start += count;
    if (this.#start === this.#end) this.clear();
  }

  /** Forgets everything; a buffer that was large is let go. */
  clear(): void {
    this.#start = 0;
    this.#end = 0;
    if (this.#buffer.length > 1 << 20) this.#buffer = EMPTY;
  }

  /** Hands the held bytes over to the caller and starts afresh. */
  release(): Buffer {
    const bytes = this.bytes;
    this.#buffer = EMPTY;
    this.#start = 0;
    this.#end = 0;
    return bytes;
  }

  #makeRoom(size: number, limit: number): void {
    const need = this.length + size;
    if (need <= this.#buffer.length / 2) {
      this.#buffer.copy(this.#buffer, 0, this.#start, this.#end);
    } else {
      const next = Buffer.allocUnsafeSlow(Math.max(need, Math.min(2 * need, limit), 1024));
      this.#buffer.copy(next, 0, this.#start, this.#end);
      this.#buffer = next;
    }
    this.#end -= this.#start;
    this.#start = 0;
  }
}
