import { batchOf, Message } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { CsvEncoder, type CsvTarget, csvSettings } from "../src/index.ts";
import { written } from "./support.ts";

const RECORDS = ['{"id":1,"a":"x"}', '{"id":2,"b":"y"}', '{"id":3,"a":"z","b":"w"}'];

/** The file that batches of one size make, what was told of, and which records were refused. */
function write(size: number, onMismatch: "warn" | "fail") {
  const told: unknown[] = [];
  const encoder = new CsvEncoder({
    csv: csvSettings({ on_mismatch: onMismatch }),
    delimiter: Buffer.from("\n"),
    onMismatch: (mismatch) => told.push(mismatch),
  });
  let target: CsvTarget = { columns: undefined, empty: true };
  let text = "";
  const refused: number[] = [];
  for (let from = 0; from < RECORDS.length; from += size) {
    const batch = batchOf(RECORDS.slice(from, from + size).map((record) => new Message(record)));
    const encoded = encoder.encode(batch, target);
    text += written(encoded);
    refused.push(...encoded.refused.map(({ index }) => from + index));
    target = { columns: encoded.columns ?? target.columns, empty: false };
  }
  return { text, refused, told: told.length };
}

describe.each([1, 2, 100])("CSV of records with other fields, in batches of %i", (size) => {
  it("is the same file as in any other, and says that something did not fit", () => {
    expect(write(size, "warn")).toEqual({ text: "id,a\n1,x\n2,\n3,z\n", refused: [], told: 1 });
  });

  it("has the same records refused when that is asked for", () => {
    expect(write(size, "fail")).toEqual({ text: "id,a\n1,x\n", refused: [1, 2], told: 0 });
  });
});
