import type { OutputPool } from "./output-pool.ts";

/** How every envelope begins. */
export const HEAD = Buffer.from('{"message_id":"');

/** Records that are put together piece by piece, in a buffer that grows. */
export class Output {
  at = 0;
  private readonly pool: OutputPool;
  private bytes: Buffer;

  constructor(size: number, pool: OutputPool) {
    this.pool = pool;
    this.bytes = pool.take(size);
  }

  reserve(size: number): void {
    if (this.at + size <= this.bytes.length) return;
    const larger = this.pool.take(Math.max(this.bytes.length * 2, this.at + size));
    this.bytes.copy(larger, 0, 0, this.at);
    this.pool.release([this.bytes]);
    this.bytes = larger;
  }

  head(id: string, label: Buffer): void {
    const { bytes } = this;
    let at = this.at;
    for (let i = 0; i < HEAD.length; i++) bytes[at++] = HEAD[i]!;
    for (let i = 0; i < id.length; i++) bytes[at++] = id.charCodeAt(i);
    for (let i = 0; i < label.length; i++) bytes[at++] = label[i]!;
    this.at = at;
  }

  quoted(from: Buffer, start: number, end: number): void {
    this.bytes[this.at++] = 34;
    this.copy(from, start, end);
    this.bytes[this.at++] = 34;
  }

  copy(from: Buffer, start: number, end: number): void {
    this.at += from.copy(this.bytes, this.at, start, end);
  }

  put(bytes: Buffer): void {
    const out = this.bytes;
    if (bytes.length > 64) this.copy(bytes, 0, bytes.length);
    else for (let i = 0; i < bytes.length; i++) out[this.at++] = bytes[i]!;
  }

  written(start: number, end: number): Buffer {
    return this.bytes.subarray(start, end);
  }

  /** Puts other bytes in the place of everything from `start` on. */
  replace(start: number, bytes: Buffer, delimiter: Buffer): void {
    if (bytes.buffer === this.bytes.buffer && bytes.byteOffset === this.bytes.byteOffset + start) return;
    this.at = start;
    this.reserve(bytes.length + delimiter.length);
    this.put(bytes);
    this.put(delimiter);
  }

  all(): Buffer {
    return this.bytes.subarray(0, this.at);
  }
}
