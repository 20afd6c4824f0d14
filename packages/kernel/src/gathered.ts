import type { Arena } from "./arena.ts";

/** Gives a buffer of exactly `size` bytes, which then belongs to the slab's reader. */
export type Allocate = (size: number) => Buffer;

const EMPTY = Buffer.alloc(0);

/** Output of one or more runs, copied out of the arena once; only output of several runs is copied a second time. */
export class Gathered {
  readonly #allocate: Allocate;
  readonly #parts: Buffer[] = [];
  size = 0;

  constructor(allocate: Allocate) {
    this.#allocate = allocate;
  }

  /** Copies what the last run has written at the arena's output area. */
  add(arena: Arena, written: number): void {
    if (written === 0) return;
    const { memory, layout } = arena;
    const part = this.#allocate(written);
    memory.copy(part, 0, layout.output, layout.output + written);
    this.#parts.push(part);
    this.size += written;
  }

  get bytes(): Buffer {
    if (this.#parts.length <= 1) return this.#parts[0] ?? EMPTY;
    const bytes = this.#allocate(this.size);
    let at = 0;
    for (const part of this.#parts) at += part.copy(bytes, at);
    return bytes;
  }
}
