import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { compareFigures, compareRows, figuresOf } from "../demo/agree.mjs";
import { writeOrders } from "../demo/orders.mjs";
import { csvRecords, jsonLines, type Order, sorted } from "../demo/read.mjs";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mqb-demo-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const order: Order = {
  ...{ id: "9007199254740993", ordered_at: "2026-01-02", customer: "Li Na" },
  ...{ cents: 12990n, paid: true, coupon: null, note: "" },
};
const next: Order = { ...order, id: "9007199254740994" };

describe("the check of the demo", () => {
  it("takes what came back as it went in", () => {
    expect(() => compareRows([order, next], [{ ...order }, { ...next }])).not.toThrow();
    expect(() => compareFigures(figuresOf([order]), figuresOf([{ ...order }]), "it")).not.toThrow();
  });

  const wrong: Record<string, [Order[], RegExp]> = {
    "a row that is lost": [[order], /order 9007199254740994 did not come back/],
    "a row that came twice": [[order, next, next], /1 orders more/],
    "rows out of their order": [[next, order], /id was 9007199254740993, and came back as 9007199254740994/],
    "an id that was rounded": [[{ ...order, id: "9007199254740992" }, next], /id was/],
    "an amount that is a cent off": [[order, { ...next, cents: 12991n }], /cents was 12990, and came back as 12991/],
    "an empty text for null": [[order, { ...next, coupon: "" }], /coupon was null/],
    "null for an empty text": [[order, { ...next, note: null as unknown as string }], /note was/],
  };
  it.each(Object.entries(wrong))("finds %s", (_, [after, words]) => {
    expect(() => compareRows([order, next], after)).toThrow(words);
  });

  it("finds a figure of the table that is another one", () => {
    const figures = figuresOf([order, next]);
    expect(figures).toEqual({ rows: 2n, cents: 25980n, ids: 3n, noCoupon: 2n, emptyNotes: 2n });
    expect(() => compareFigures(figures, { ...figures, noCoupon: 1n }, "the table")).toThrow(
      "the table: noCoupon is 1, and should be 2",
    );
  });
});

describe("what the demo reads", () => {
  it("is the CSV file, with its quotes and line breaks", () => {
    writeFileSync(join(folder, "a.csv"), 'a,b,c\n1,"two ""2""\nlines, it is",\n,,"3"\n');
    expect([...csvRecords(join(folder, "a.csv"))]).toEqual([
      ["1", 'two "2"\nlines, it is', ""],
      ["", "", "3"],
    ]);
  });

  it("sorts each of its orders into one of three", () => {
    writeOrders(join(folder, "orders.csv"), 250);
    const { rows, filtered, refused, kept } = sorted(csvRecords(join(folder, "orders.csv")));
    expect({ rows, filtered, refused }).toEqual({ rows: 250, filtered: 5, refused: 8 });
    expect(kept).toHaveLength(250 - 5 - 8);
    expect(kept.some(({ note }) => note.includes("\n"))).toBe(true);
  });

  it("takes ids and amounts digit by digit", () => {
    const line =
      '{"id":9007199254740993,"ordered_at":"2026-01-02","customer":"Li Na","amount":129.9,"paid":1,"coupon":null,"note":""}';
    writeFileSync(join(folder, "a.jsonl"), `${line}\n`);
    expect(jsonLines(join(folder, "a.jsonl"))).toEqual([order]);
  });
});
