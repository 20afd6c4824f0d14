import type { Arena } from "./arena.ts";
import { CFG } from "./layout.ts";

/** Column names as the pieces of JSON text that stand before each value: `{"a":"`, then `","b":"`. */
export class CsvKeys {
  readonly #pieces: readonly Buffer[];
  readonly count: number;
  /** Bytes the table and the pieces take in an arena. */
  readonly size: number;
  /** What has to stay free behind the place where a field begins, so that no bounds are checked while a piece is written. */
  readonly slack: number;

  constructor(columns: readonly string[]) {
    this.#pieces = columns.map((name, index) => Buffer.from(`${index === 0 ? "{" : '",'}${JSON.stringify(name)}:"`));
    this.count = columns.length;
    let size = columns.length * 8;
    let longest = 0;
    for (const piece of this.#pieces) {
      size = align(size) + piece.length;
      longest = Math.max(longest, piece.length);
    }
    this.size = align(size);
    this.slack = 64 + 2 * align(longest);
  }

  /** Writes table and pieces at the arena's key area and points the configuration at them. */
  load(arena: Arena): void {
    const { memory, words, layout } = arena;
    words[CFG.keys] = layout.keys;
    words[CFG.keyCount] = this.#pieces.length;
    let address = align(layout.keys + this.#pieces.length * 8);
    this.#pieces.forEach((piece, index) => {
      words[layout.keys / 4 + index * 2] = address;
      words[layout.keys / 4 + index * 2 + 1] = piece.length;
      piece.copy(memory, address);
      address = align(address + piece.length);
    });
  }
}

function align(size: number): number {
  return Math.ceil(size / 16) * 16;
}
