import { describe, expect, it } from "vitest";
import type { Arena } from "../src/arena.ts";
import { configureCsv } from "../src/csv-config.ts";
import { resolveDialect } from "../src/csv-dialect.ts";
import { CsvKeys } from "../src/csv-keys.ts";
import { CFG, RES, STATUS } from "../src/layout.ts";
import { Arenas } from "./fuzz/arenas.ts";
import { Random } from "./fuzz/random.ts";

const CANARY = 0xaa;

/** Runs a loop with a random room for output and looks that nothing is written before it or behind its slack. */
function guarded(arena: Arena, random: Random, slack: number, run: (out: number, outLimit: number) => void): number {
  const { memory, layout, words } = arena;
  const out = layout.output + 200 + random.below(16);
  const outLimit = out + random.below(300);
  const behind = outLimit + slack;
  memory.fill(CANARY, layout.output, layout.output + layout.outputSize);
  run(out, outLimit);
  expect(words[RES.written]).toBeLessThanOrEqual(behind - out);
  const outside = (from: number, to: number) => memory.subarray(from, to).findIndex((byte) => byte !== CANARY);
  expect([outside(layout.output, out), outside(behind, layout.output + layout.outputSize)]).toEqual([-1, -1]);
  return words[RES.status]!;
}

describe.each([
  ["simd", true],
  ["js", false],
])("the loops stay within their output (%s)", (_, simd) => {
  const arenas = new Arenas();
  const arena = arenas.get(simd, { output: 2048 });
  const { memory, words, layout, loops } = arena;
  const alphabet = [..."ab, \"\n\r\\\t\x01é'", "clean text of more than sixteen bytes", '""'];
  const text = (random: Random): Buffer =>
    Buffer.from(Array.from({ length: random.below(60) }, () => random.pick(alphabet)).join(""));

  it("from CSV", () => {
    const random = new Random(1);
    let full = 0;
    for (let i = 0; i < 1000; i++) {
      const keys = new CsvKeys(random.pick([["a"], ["a", "a name of a column that is longer than that", "c"]]));
      const limits = { maxFieldBytes: 1000, maxRecordBytes: 1000 };
      const dialect = resolveDialect(random.chance(0.5) ? {} : { delimiter: Buffer.from("b'"), escape: 92 });
      configureCsv(arena, { ...limits, dialect, keys, fillShort: random.chance(0.5), listRagged: false });
      words[CFG.ragged] = layout.ragged;
      const end = layout.input + text(random).copy(memory, layout.input);
      const status = guarded(arena, random, keys.slack, (out, outLimit) => {
        words[CFG.inBase] = layout.input;
        words[CFG.outBase] = out;
        loops.csv(layout.input, end, out, outLimit, layout.slots, 100, random.below(2));
      });
      if (status === STATUS.outputFull) full++;
    }
    expect(full).toBeGreaterThan(40);
  });

  it.each([
    ["escaping", 0],
    ["unescaping", 1],
  ])("from %s text", (__, mode) => {
    const random = new Random(2);
    let full = 0;
    for (let i = 0; i < 1000; i++) {
      const end =
        layout.input +
        (mode === 0 ? text(random) : Buffer.from(JSON.stringify(text(random).toString()).slice(1, -1))).copy(
          memory,
          layout.input,
        );
      words[layout.slots / 4] = layout.input;
      words[(layout.slots + 65_536 * 4 + 128) / 4] = end;
      const status = guarded(arena, random, 64, (out, outLimit) => {
        words[CFG.outBase] = out;
        loops.text(mode, 1, layout.slots, out, outLimit);
      });
      if (status === STATUS.outputFull) full++;
    }
    expect(full).toBeGreaterThan(40);
  });
});
