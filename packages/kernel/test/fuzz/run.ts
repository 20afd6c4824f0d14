import type { Arenas } from "./arenas.ts";
import { fuzzCsv } from "./csv-fuzz.ts";
import { fuzzField } from "./field-fuzz.ts";
import { Random } from "./random.ts";
import { fuzzRows } from "./rows-fuzz.ts";
import { fuzzSplit } from "./split-fuzz.ts";
import { fuzzText } from "./text-fuzz.ts";

/** Runs `inputs` random inputs, shared out among the loops; throws at the first that differs from its reference. */
export function runFuzz(inputs: number, seed: number, arenas: Arenas) {
  const random = new Random(seed);
  const engines = arenas.hasSimd ? (["simd", "js"] as const) : (["js"] as const);
  const csv = { inputs: 0, records: 0, ragged: 0, repaired: 0, unterminated: 0, tooLong: 0 };
  const split = { inputs: 0, records: 0, oversize: 0 };
  const text = { inputs: 0, texts: 0, refused: 0 };
  const rows = { inputs: 0, rows: 0, refused: 0 };
  const field = { inputs: 0, objects: 0, found: 0, odd: 0 };
  for (let i = 0; i < inputs; i++) {
    const turn = i % 10;
    if (turn < 4) fuzzCsv(random, arenas, csv);
    else if (turn < 6) fuzzSplit(random, arenas, split);
    else if (turn < 7) fuzzText(random, engines, text);
    else if (turn < 9) fuzzRows(random, engines, rows);
    else fuzzField(random, engines, field);
  }
  return { csv, split, text, rows, field };
}
