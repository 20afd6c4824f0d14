import { describe, expect, it } from "vitest";
import { CsvToJson } from "../src/csv-to-json.ts";
import { bytes, csvLines, ENGINES, readAll, recordsOf } from "./drive.ts";

describe.each(ENGINES)("rows with too few or too many fields (%s)", (engine) => {
  const text = "a,b,c\n1\n1,2,3\n1,2,3,4,5\n";

  it("read missing fields as empty and drop surplus ones", () => {
    expect(csvLines(text, { engine })).toEqual([
      '{"a":"1","b":"","c":""}',
      '{"a":"1","b":"2","c":"3"}',
      '{"a":"1","b":"2","c":"3"}',
    ]);
  });

  it("leave missing fields out with shortRows: omit", () => {
    expect(csvLines(text, { engine, shortRows: "omit" })[0]).toBe('{"a":"1"}');
  });

  it("are counted", () => {
    const { slabs } = readAll(new CsvToJson({ engine }), [bytes(text)]);
    expect(slabs.map(({ short, long, ragged }) => ({ short, long, ragged }))).toEqual([
      { short: 1, long: 1, ragged: [] },
    ]);
  });

  it("are listed with line, byte offset, number of fields and raw text", () => {
    const input = bytes('a;b\n\nx;"line\nbreak"\r\n1;2;3\r\n ok ; y\n"4\n"\r\n');
    const { slabs } = readAll(new CsvToJson({ engine, separator: 59, listRagged: true }), [input]);
    expect(slabs[0]!.ragged).toEqual([
      { index: 1, fields: 3, offset: 21, line: 5, raw: bytes("1;2;3") },
      { index: 3, fields: 1, offset: 36, line: 7, raw: bytes('"4\n"') },
    ]);
    expect(recordsOf(slabs[0]!)[2]).toBe('{"a":" ok ","b":" y"}');
  });

  it("have no line when reading began in the middle, and one when it was given", () => {
    const options = { engine, header: false, columns: ["a", "b"], offset: 1000, listRagged: true };
    const row = (more: object) => readAll(new CsvToJson({ ...options, ...more }), [bytes("1\n")]).slabs[0]!.ragged[0];
    expect(row({})).toMatchObject({ offset: 1000, line: undefined });
    expect(row({ line: 7 })).toMatchObject({ offset: 1000, line: 7 });
  });

  it("are all listed when there are more than the list holds", () => {
    const rows = Array.from({ length: 10_000 }, (_, i) => `${i}`);
    const { slabs } = readAll(
      new CsvToJson({ engine, listRagged: true }),
      [bytes(`a,b\n${rows.join("\n")}\n`)],
      65_536,
    );
    expect(slabs.flatMap((slab) => slab.ragged.map((row) => row.raw.toString()))).toEqual(rows);
    expect(slabs.flatMap(recordsOf)).toHaveLength(rows.length);
  });
});
