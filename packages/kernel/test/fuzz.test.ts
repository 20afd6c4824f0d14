import { describe, expect, it } from "vitest";
import { Arenas } from "./fuzz/arenas.ts";
import { runFuzz } from "./fuzz/run.ts";

describe("both twins", () => {
  it("say the same as the slow references for random inputs in random pieces", () => {
    const { csv, split, text, rows, field } = runFuzz(600, 20_261_130, new Arenas());
    // The inputs reach what they are there for.
    expect(csv.records).toBeGreaterThan(300);
    expect(Math.min(csv.ragged, csv.repaired, csv.unterminated, csv.tooLong)).toBeGreaterThan(5);
    expect(Math.min(split.records, split.oversize)).toBeGreaterThan(60);
    expect(Math.min(text.texts, text.refused)).toBeGreaterThan(30);
    expect(Math.min(rows.rows, rows.refused)).toBeGreaterThan(60);
    expect(Math.min(field.found, field.odd)).toBeGreaterThan(10);
  }, 60_000);
});
