import { describe, expect, it } from "vitest";
import { CsvToJson } from "../src/csv-to-json.ts";
import { escapeJsonStrings } from "../src/json-strings.ts";
import { bytes, ENGINES, readAll, recordsOf, texts } from "./drive.ts";

const MIB = 1024 * 1024;

describe.each(ENGINES)("CSV in chunks (%s)", (engine) => {
  const text = 'id,note\r\n1,"a ""b""\r\n,c"\r\n\r\n2,\r\n3,é\r\n';
  const lines = ['{"id":"1","note":"a \\"b\\"\\r\\n,c"}', '{"id":"2","note":""}', '{"id":"3","note":"é"}'];

  it("gives the same wherever it is cut", () => {
    const all = Buffer.from(text);
    for (let at = 0; at <= all.length; at++) {
      const pieces = [all.subarray(0, at), all.subarray(at)].map((piece) => Buffer.from(piece));
      expect(readAll(new CsvToJson({ engine }), pieces).slabs.flatMap(recordsOf)).toEqual(lines);
    }
  });

  it("takes at most as many as asked for and fills slabs across pieces of a chunk", () => {
    const rows = Array.from({ length: 20_000 }, (_, i) => `${i},some text to make the row longer`).join("\n");
    const { slabs } = readAll(new CsvToJson({ engine }), [bytes(`id,text\n${rows}\n`)], 1000);
    expect(slabs.map((slab) => slab.count)).toEqual(Array.from({ length: 20 }, () => 1000));
    expect(slabs.every((slab) => slab.contiguous)).toBe(true);
  });

  it("tells the offset behind each record, from which reading goes on alike", () => {
    const all = Buffer.from(text);
    const slab = readAll(new CsvToJson({ engine }), [Buffer.from(all)]).slabs[0]!;
    expect(slab.offset).toBe(slab.offsetAfter(2));
    for (let i = 0; i < slab.count; i++) {
      const offset = slab.offsetAfter(i);
      const rest = new CsvToJson({ engine, offset, header: false, columns: ["id", "note"] });
      const more = readAll(rest, [Buffer.from(all.subarray(offset))]).slabs;
      expect(more.flatMap(recordsOf)).toEqual(lines.slice(i + 1));
      expect(more.at(-1)?.offset ?? offset).toBe(all.length);
    }
    expect(() => slab.offsetAfter(3)).toThrow(RangeError);
  });

  it("waits with part of a record and tells how much it holds back", () => {
    const reader = new CsvToJson({ engine, header: false, columns: ["a"] });
    reader.feed(bytes("1\n2"));
    expect(recordsOf(reader.take(10)!)).toEqual(['{"a":"1"}']);
    expect(reader.take(10)).toBeUndefined();
    expect([reader.pending, reader.offset]).toEqual([1, 2]);
    reader.feed(bytes("3\n"));
    expect(recordsOf(reader.take(10)!)).toEqual(['{"a":"23"}']);
    expect(reader.take(10)).toBeUndefined();
    expect([reader.pending, reader.offset]).toEqual([0, 5]);
  });

  it("reads a part of the buffer that it is given", () => {
    const reader = new CsvToJson({ engine });
    reader.feed(bytes("XXa\n1\nXX"), 2, 6);
    expect(recordsOf(reader.take(10)!)).toEqual(['{"a":"1"}']);
    expect(reader.take(10)).toBeUndefined();
    expect(reader.offset).toBe(4);
  });

  it("refuses a chunk before the last one is used up, and after the end", () => {
    const reader = new CsvToJson({ engine });
    reader.feed(bytes("a\n1\n"));
    expect(() => reader.feed(bytes("2\n"))).toThrow(TypeError);
    reader.end();
    while (reader.take(10) !== undefined);
    expect(() => reader.feed(bytes("2\n"))).toThrow(TypeError);
  });

  it("puts together records larger than the kernel's areas, among small ones", () => {
    const large = "x,é".repeat(MIB / 3);
    const all = Buffer.from(`a,b\n1,2\n"${large}","${"\x01".repeat(MIB / 8)}"\n\n3,4\n"${large}",5`);
    const pieces: Buffer[] = [];
    for (let at = 0; at < all.length; at += 300_001) pieces.push(Buffer.from(all.subarray(at, at + 300_001)));
    const { slabs } = readAll(new CsvToJson({ engine }), pieces);
    const rows = slabs.flatMap(recordsOf).map((line) => JSON.parse(line) as { a: string; b: string });
    expect(rows.map(({ a, b }) => [a.length, b.length])).toEqual([
      [1, 1],
      [large.length, MIB / 8],
      [1, 1],
      [large.length, 1],
    ]);
    expect(rows[1]).toEqual({ a: large, b: "\x01".repeat(MIB / 8) });
    expect(slabs.at(-1)!.offset).toBe(all.length);
  });

  it("lets several readers and other loops use the kernel in turn", () => {
    const readers = [0, 1, 2].map(() => new CsvToJson({ engine }));
    const got: string[][] = [[], [], []];
    const rows = Array.from({ length: 3000 }, (_, i) => `${i},"text, ${i}"`);
    const all = readers.map((_, which) => bytes(`id,r${which}\n${rows.join("\n")}\n`));
    for (let step = 0; step < 10; step++) {
      readers.forEach((reader, which) => {
        const size = Math.ceil(all[which]!.length / 10);
        reader.feed(Buffer.from(all[which]!.subarray(step * size, (step + 1) * size)));
      });
      let busy = true;
      while (busy) {
        busy = false;
        readers.forEach((reader, which) => {
          const slab = reader.take(7);
          escapeJsonStrings(texts("something else"), { engine });
          if (slab === undefined) return;
          busy = true;
          got[which]!.push(...recordsOf(slab));
        });
      }
    }
    got.forEach((lines, which) => {
      expect(lines).toEqual(rows.map((_, i) => JSON.stringify({ id: `${i}`, [`r${which}`]: `text, ${i}` })));
    });
  });

  it("gives slabs that nothing writes to afterwards", () => {
    const reader = new CsvToJson({ engine });
    reader.feed(bytes(`a\n${"1\n".repeat(10)}`));
    const first = reader.take(5)!;
    const before = recordsOf(first);
    reader.take(5);
    expect(recordsOf(first)).toEqual(before);
  });

  it("takes its buffers from the caller when asked to", () => {
    const sizes: number[] = [];
    const allocate = (size: number): Buffer => {
      sizes.push(size);
      return Buffer.alloc(size);
    };
    const { slabs } = readAll(new CsvToJson({ engine, allocate }), [bytes("a\n1\n2\n")]);
    expect(sizes).toEqual([slabs[0]!.bytes.length]);
  });
});
