import { describe, expect, it } from "vitest";
import { Arenas } from "./fuzz/arenas.ts";
import { runFuzz } from "./fuzz/run.ts";

describe("both twins", () => {
  it("say the same as the slow references for random inputs in random pieces", () => {
    const { csv, split, text, rows, field } = runFuzz(1500, 20_261_130, new Arenas());
    // The inputs reach what they are there for.
    expect(csv.records).toBeGreaterThan(900);
    expect(Math.min(csv.ragged, csv.repaired, csv.unterminated)).toBeGreaterThan(40);
    expect(Math.min(split.records, split.oversize)).toBeGreaterThan(200);
    expect(Math.min(text.texts, text.refused)).toBeGreaterThan(100);
    expect(Math.min(rows.rows, rows.refused)).toBeGreaterThan(200);
    expect(Math.min(field.found, field.undecided)).toBeGreaterThan(20);
  });
});
