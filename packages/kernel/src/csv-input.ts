import type { Arena } from "./arena.ts";
import { Carry } from "./carry.ts";

/** Input is copied into the arena in pieces of this size: they stay in the processor's cache. */
const WINDOW = 256 * 1024;

/**
 * The input of one reader that has not been consumed: bytes carried over, then the present chunk. A prefix of it may be
 * loaded in an arena at `[from, to)`; whether it still is, the arena's `owner` tells.
 */
export class CsvInput {
  readonly #carry = new Carry();
  #chunk: Buffer | undefined;
  #at = 0;
  #end = 0;
  ended = false;
  /** Absolute offset of the first byte that is not consumed. */
  offset: number;
  /** Its line number, from 1, when known. */
  line: number | undefined;
  from = 0;
  to = 0;

  constructor(offset: number, line: number | undefined) {
    this.offset = offset;
    this.line = line;
  }

  get pending(): number {
    return this.#carry.length + (this.#end - this.#at);
  }

  feed(bytes: Buffer, start: number, end: number): void {
    if (this.#chunk !== undefined) throw new TypeError("feed: the chunk before is not used up; call take first");
    if (this.ended) throw new TypeError("feed: the input has ended");
    this.#chunk = bytes;
    this.#at = start;
    this.#end = end;
  }

  /** Everything that is not consumed, in one piece. Ends the present chunk. Valid until more is gathered. */
  gather(limit?: number): Buffer {
    if (this.#chunk !== undefined) {
      this.#carry.append(this.#chunk, this.#at, this.#end, limit);
      this.#chunk = undefined;
      this.#at = 0;
      this.#end = 0;
    }
    return this.#carry.bytes;
  }

  consume(count: number, lines: number): void {
    this.offset += count;
    if (this.line !== undefined) this.line += lines;
    const carried = Math.min(count, this.#carry.length);
    if (carried > 0) this.#carry.drop(carried);
    this.#at += count - carried;
  }

  /** Whether the arena holds all there is. */
  loadedAll(): boolean {
    return this.to - this.from === this.pending;
  }

  /** Nothing of the input is taken to be in the arena any more. */
  unload(arena: Arena): void {
    this.from = arena.layout.input;
    this.to = this.from;
  }

  /** Brings the next piece into the arena, behind what is loaded. False when the input area is full. */
  load(arena: Arena): boolean {
    const { memory, layout } = arena;
    const loaded = this.to - this.from;
    const size = Math.min(WINDOW, this.pending - loaded, layout.inputSize - loaded);
    if (this.to + size > layout.input + layout.inputSize) {
      memory.copyWithin(layout.input, this.from, this.to);
      this.from = layout.input;
      this.to = layout.input + loaded;
    }
    let behind = loaded;
    let left = size;
    if (behind < this.#carry.length) {
      const part = Math.min(left, this.#carry.length - behind);
      this.#carry.bytes.copy(memory, this.to, behind, behind + part);
      this.to += part;
      behind += part;
      left -= part;
    }
    if (left > 0) {
      const at = this.#at + behind - this.#carry.length;
      this.#chunk!.copy(memory, this.to, at, at + left);
      this.to += left;
    }
    return size > 0;
  }
}
