import { describe, expect, it } from "vitest";
import { faultsOf } from "../src/campaign.ts";
import { judge, KEYS, rowNumber, rowText } from "../src/ledger.ts";

const ROWS = 20;
const all = Array.from({ length: ROWS }, (_, n) => rowText(n));
const without = (n: number): string[] => all.toSpliced(n, 1);

describe("the ledger", () => {
  it("finds nothing where every row has come once, in its order", () => {
    const tally = judge(ROWS, all, "all");
    expect(tally).toEqual({ rows: ROWS, lost: 0, doubled: 0, foreign: 0, reordered: 0, examples: [] });
    expect(faultsOf(tally, 0)).toEqual([]);
  });

  it("finds a row that is lost, the last one too", () => {
    expect(judge(ROWS, without(4), "all")).toMatchObject({ lost: 1, examples: ["lost: 4"] });
    expect(judge(ROWS, without(ROWS - 1), "all")).toMatchObject({ lost: 1 });
    expect(faultsOf(judge(ROWS, without(4), "all"), 1000)).toEqual(["1 rows lost", "lost: 4"]);
  });

  it("counts each further time of a row, and takes as many as may be", () => {
    const tally = judge(ROWS, [...all, rowText(3), rowText(3), rowText(9)], "all");
    expect(tally).toMatchObject({ lost: 0, doubled: 3, reordered: 0 });
    expect(faultsOf(tally, 3)).toEqual([]);
    expect(faultsOf(tally, 2)).toEqual(["3 rows came twice, 2 may"]);
  });

  it.each([
    ["a line that nobody wrote", "hello"],
    ["a row of a number that was never given out", rowText(ROWS)],
    ["a row with a changed text", rowText(5).replace("abc", "abd")],
    ["a row that is cut off", rowText(5).slice(0, -1)],
    ["two rows in one line", rowText(5) + rowText(6)],
    ["an empty line", ""],
  ])("finds %s", (_, line) => {
    const tally = judge(ROWS, [...all, line], "none");
    expect(tally).toMatchObject({ foreign: 1, lost: 0, doubled: 0 });
    expect(faultsOf(tally, 1000)).toHaveLength(2);
  });

  it("finds a row that comes first behind a younger one", () => {
    const late = [...without(5), rowText(5)];
    expect(judge(ROWS, late, "all")).toMatchObject({ reordered: 1, lost: 0 });
    expect(judge(ROWS, late, "key")).toMatchObject({ reordered: 1 });
    expect(judge(ROWS, late, "none")).toMatchObject({ reordered: 0 });
    expect(faultsOf(judge(ROWS, late, "all"), 0)).toEqual(["1 rows out of their order", "reordered: 5 behind 19"]);
  });

  it("takes rows that come again behind younger ones for doubled, not for reordered", () => {
    expect(judge(ROWS, [...all.slice(0, 10), ...all.slice(5)], "all")).toMatchObject({ doubled: 5, reordered: 0 });
  });

  it("asks for order within a key only, where that is what is claimed", () => {
    const swapped = all.with(0, rowText(1)).with(1, rowText(0));
    expect(judge(ROWS, swapped, "all")).toMatchObject({ reordered: 1 });
    expect(judge(ROWS, swapped, "key")).toMatchObject({ reordered: 0 });
    const sameKey = all.with(0, rowText(KEYS)).with(KEYS, rowText(0));
    expect(judge(ROWS, sameKey, "key")).toMatchObject({ reordered: 1 });
  });

  it("makes rows of different lengths that it knows again", () => {
    expect(new Set(all.map((row) => row.length)).size).toBeGreaterThan(10);
    expect(all.map(rowNumber)).toEqual(all.map((_, n) => n));
  });
});
