import { batchOf, Message } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { CsvEncoder, csvSettings } from "../src/index.ts";
import { decodeAll, payloads, written } from "./support.ts";

const read = (text: string) => payloads(decodeAll(text, { format: "csv" }));

function write(...records: string[]): string {
  const encoder = new CsvEncoder({ csv: csvSettings(undefined), delimiter: Buffer.from("\n"), onMismatch: () => {} });
  return written(encoder.encode(batchOf(records.map((one) => new Message(one))), { columns: undefined, empty: true }));
}

describe("CSV has no types", () => {
  it("a column of 4999 numbers may hold text in row 5000: every value is read as text", () => {
    const rows = Array.from({ length: 5000 }, (_, i) => (i === 4999 ? "A7" : `${i}`));
    expect(read(`k\n${rows.join("\n")}\n`)).toEqual(rows.map((value) => `{"k":"${value}"}`));
  });

  it("null is written as the word, the empty string as nothing, so that they stay different", () => {
    const text = write('{"a":"","b":null,"c":1}');
    expect(text).toBe("a,b,c\n,null,1\n");
    expect(read(text)).toEqual(['{"a":"","b":"null","c":"1"}']);
  });
});

describe("column names", () => {
  it("that differ by blanks only are different columns", () => {
    expect(read("id, id,id \n1,2,3\n")).toEqual(['{"id":"1"," id":"2","id ":"3"}']);
  });

  it("that mean something in JavaScript go there and back, and change no object", () => {
    const text = "id,__proto__,constructor,a.__proto__.polluted,toString\n1,2,3,4,5\n";
    const [record] = read(text);
    expect(write(record!)).toBe(text);
    expect(write('{"id":1,"a":{"__proto__":{"polluted":2}}}')).toBe("id,a.__proto__.polluted\n1,2\n");
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});
