import type { Loops } from "../arena.ts";
import { createCsvLoop } from "./csv.ts";
import { createRowsLoop } from "./rows.ts";
import { createSplitLoop } from "./split.ts";
import { createTextLoop } from "./text.ts";

/** The loops in JavaScript over one memory: the twins of assembly/. */
export function createJsLoops(memory: Buffer, words: Uint32Array): Loops {
  return {
    csv: createCsvLoop(memory, words),
    split: createSplitLoop(memory, words),
    text: createTextLoop(memory, words),
    rows: createRowsLoop(memory, words),
  };
}
