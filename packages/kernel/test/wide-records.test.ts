import { describe, expect, it } from "vitest";
import { resolveDialect } from "../src/csv-dialect.ts";
import { FirstRecord, SeparatorScan } from "../src/csv-header.ts";
import { JsonToCsv } from "../src/json-to-csv.ts";

/** The same object, with a count of how often an element of it was read. */
function counting<T extends object>(target: T): { readonly seen: T; reads: number } {
  const counter = { seen: target, reads: 0 };
  counter.seen = new Proxy(target, {
    get(whole, key) {
      if (typeof key === "string" && /^\d+$/.test(key)) counter.reads++;
      const value: unknown = Reflect.get(whole, key, whole);
      // The methods that are used give the bytes themselves, where they begin at 0.
      return key === "subarray" ? () => counter.seen : value;
    },
  });
  return counter;
}

describe("a first record that arrives in many pieces", () => {
  const text = Buffer.from(`${Array.from({ length: 2000 }, (_, i) => `column ${i}`).join(";")}\n`);
  const dialect = resolveDialect({ separator: 59 });

  /** Reads in all calls when the bytes come in pieces of this size. */
  function readsOf(scan: (bytes: Buffer) => unknown, piece: number): number {
    let reads = 0;
    for (let end = piece; ; end += piece) {
      const bytes = counting(text.subarray(0, Math.min(end, text.length)));
      const found = scan(bytes.seen);
      reads += bytes.reads;
      if (found !== undefined) return reads;
    }
  }

  it("is looked at once for its end", () => {
    const first = new FirstRecord(dialect, { maxFieldBytes: 100, maxRecordBytes: 1 << 20 });
    const reads = readsOf((bytes) => first.find(bytes, false), 64);
    expect(reads).toBeGreaterThan(text.length);
    expect(reads).toBeLessThan(2 * text.length);
  });

  it("is looked at once for its separator", () => {
    const separator = new SeparatorScan(dialect);
    const reads = readsOf((bytes) => separator.scan(bytes, false), 64);
    expect(reads).toBeGreaterThan(text.length);
    expect(reads).toBeLessThan(2 * text.length);
  });
});

describe("an object for many columns", () => {
  const names = Array.from({ length: 3000 }, (_, i) => `column ${i}`);
  const object = (keys: readonly string[]): Buffer =>
    Buffer.from(`{${keys.map((key) => `${JSON.stringify(key)}:1`).join(",")}}`);

  it.each([
    ["lacks one", names.slice(1), undefined],
    ["has another key behind them", [...names, "other"], "other"],
  ] as const)("that %s is compared with each of them a few times at most", (_, keys, unknown) => {
    for (const mismatch of ["write", "refuse"] as const) {
      const columns = counting(names);
      const writer = new JsonToCsv({ columns: columns.seen, mismatch });
      const bytes = object(keys);
      columns.reads = 0;
      const rows = writer.encode({ bytes, starts: Uint32Array.of(0), ends: Uint32Array.of(bytes.length), count: 1 });
      expect(rows.firstMismatch?.key ?? rows.refused[0]?.key).toBe(unknown);
      expect(columns.reads).toBeLessThan(5 * names.length);
    }
  });
});
