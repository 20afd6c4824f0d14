import { describe, expect, it } from "vitest";
import { CsvToJson } from "../src/csv-to-json.ts";
import { bytes, csvLines, ENGINES, readAll, recordsOf } from "./drive.ts";

describe.each(ENGINES)("ill-formed UTF-8 in CSV (%s)", (engine) => {
  it("is replaced, a maximal cut sequence by one U+FFFD", () => {
    expect(csvLines(bytes("a,b\n\xff,\xe4x\n\xe4\xb8,\xed\xa0\x80\n"), { engine })).toEqual([
      '{"a":"\ufffd","b":"\ufffdx"}',
      '{"a":"\ufffd","b":"\ufffd\ufffd\ufffd"}',
    ]);
  });

  it("is judged as the bytes stand in the file: no character reaches across a quote", () => {
    expect(csvLines(bytes('a,b\n"\xc3"\xa9,\xc3\xa9\n'), { engine })).toEqual(['{"a":"\ufffd\ufffd","b":"é"}']);
  });

  it("leaves offsets, counts and other records as they are", () => {
    const text = bytes("a,b\nok,1\n\xff\xff,2,3\n\nok,4\n\xff\nok,5\n");
    const { slabs } = readAll(new CsvToJson({ engine, listRagged: true }), [text]);
    const slab = slabs[0]!;
    expect(recordsOf(slab)).toEqual([
      '{"a":"ok","b":"1"}',
      '{"a":"\ufffd\ufffd","b":"2"}',
      '{"a":"ok","b":"4"}',
      '{"a":"\ufffd","b":""}',
      '{"a":"ok","b":"5"}',
    ]);
    expect([0, 1, 2, 3, 4].map((i) => slab.offsetAfter(i))).toEqual([9, 16, 22, 24, 29]);
    expect(slab.ragged.map(({ raw }) => raw)).toEqual([bytes("\xff\xff,2,3"), bytes("\xff")]);
  });

  it("may be everywhere in a large input", () => {
    const rows = Array.from({ length: 60_000 }, (_, i) => `M\xfcller ${i},\xdf`);
    const { slabs } = readAll(new CsvToJson({ engine }), [bytes(`name,x\n${rows.join("\n")}\n`)]);
    const lines = slabs.flatMap(recordsOf);
    expect(lines).toHaveLength(60_000);
    expect(lines[59_999]).toBe('{"name":"M\ufffdller 59999","x":"\ufffd"}');
  });

  it("does not confuse line numbers when repaired records do not all fit", () => {
    const row = `${"\xff".repeat(40)},x\n\n`;
    const { slabs } = readAll(
      new CsvToJson({ engine, listRagged: true }),
      [bytes(`a,b\n${row.repeat(40_000)}end\n`)],
      65_536,
    );
    expect(slabs.length).toBeGreaterThan(1);
    expect(slabs.at(-1)!.ragged).toMatchObject([{ line: 80_002, raw: bytes("end") }]);
  });

  it("may fill a record so that it outgrows the kernel's input", () => {
    const text = bytes(`a,b\nx,1\n${"\xff".repeat(600_000)},2\ny,3\n`);
    expect(csvLines(text, { engine })).toEqual([
      '{"a":"x","b":"1"}',
      `{"a":"${"\ufffd".repeat(600_000)}","b":"2"}`,
      '{"a":"y","b":"3"}',
    ]);
  });

  it("is not seen in a character that two chunks share", () => {
    const text = Buffer.from("a\né漢😀\n");
    for (let at = 0; at <= text.length; at++) {
      const pieces = [text.subarray(0, at), text.subarray(at)].map((piece) => Buffer.from(piece));
      expect(readAll(new CsvToJson({ engine }), pieces).slabs.flatMap(recordsOf)).toEqual(['{"a":"é漢😀"}']);
    }
  });
});
