import { describe, expect, it } from "vitest";
import { CsvToJson, type CsvToJsonOptions } from "../src/csv-to-json.ts";
import { bytes, ENGINES, readAll, recordsOf } from "./drive.ts";

const MIB = 1024 * 1024;

function read(pieces: readonly Buffer[], options: CsvToJsonOptions) {
  const { slabs, fault } = readAll(new CsvToJson(options), pieces);
  return { lines: slabs.flatMap(recordsOf), fault };
}

describe.each(ENGINES)("CSV that cannot be read on (%s)", (engine) => {
  it("hands out what came before an unterminated quote, then says where that opened", () => {
    const { lines, fault } = read([bytes('a,b\nx,y\n1,"un\nterminated,v\n1,2\n')], { engine });
    expect(lines).toEqual(['{"a":"x","b":"y"}']);
    expect(fault).toMatchObject({ kind: "unterminated_quote", offset: 10, line: 3 });
    expect(fault?.message).toBe("The quote opened at line 3 (byte 10) is never closed");
  });

  it("throws the same fault again", () => {
    const reader = new CsvToJson({ engine, header: false, columns: ["a"] });
    reader.feed(bytes('"x'));
    reader.end();
    const fault = (() => {
      try {
        reader.take(1);
      } catch (error) {
        return error;
      }
      return undefined;
    })();
    expect(fault).toBeDefined();
    expect(() => reader.take(1)).toThrow(fault as Error);
  });

  it("finds one unclosed quote in a large file after the field limit, not at its end", () => {
    const row = "1,a row of a file with a million of them\n";
    const head = bytes(`id,note\n${row.repeat(8)}9,"open\n`);
    const filler = bytes(row.repeat(Math.ceil((MIB / 4 + 1) / row.length)));
    const reader = new CsvToJson({ engine, maxFieldBytes: MIB });
    let fed = 0;
    const feed = (piece: Buffer): void => {
      reader.feed(piece);
      fed += piece.length;
      while (reader.take(1024) !== undefined);
    };
    feed(head);
    expect(() => {
      for (let i = 0; i < 100; i++) feed(Buffer.from(filler));
    }).toThrow(
      "The quoted field that opens at line 10 (byte 338) is longer than 1048576 bytes; is its closing quote missing?",
    );
    expect(fed).toBeLessThan(1.6 * MIB);
  });

  it.each([
    ["at the end of a field", "a,b\n1,12345678901,3\n"],
    ["while the field is not whole yet", "a,b\n1,12345678901"],
  ])("refuses a long field %s", (_, text) => {
    const { fault } = read([bytes(text)], { engine, maxFieldBytes: 10 });
    expect(fault).toMatchObject({ kind: "field_too_long", offset: 6, line: 2, limit: 10, quoted: false });
  });

  it("allows a field and a record of exactly the limit, whatever ends them and wherever the input is cut", () => {
    for (const end of ["\n", "\r\n", ""]) {
      const text = `a,b\n1,1234567890${end}`;
      for (let at = 0; at <= text.length; at++) {
        const pieces = [bytes(text.slice(0, at)), bytes(text.slice(at))];
        expect(read(pieces, { engine, maxFieldBytes: 10, maxRecordBytes: 12 }).lines).toHaveLength(1);
        expect(read(pieces, { engine, maxFieldBytes: 9 }).fault?.kind).toBe("field_too_long");
        expect(read(pieces, { engine, maxRecordBytes: 11 }).fault?.kind).toBe("record_too_long");
      }
    }
  });

  it("refuses a long record made of short fields", () => {
    const { lines, fault } = read([bytes("a,b\n1,2\n1,2,3,4,5,6\n")], { engine, maxRecordBytes: 10 });
    expect(lines).toHaveLength(1);
    expect(fault).toMatchObject({ kind: "record_too_long", offset: 8, line: 3, limit: 10 });
  });

  it("holds a record larger than the kernel's areas to the limits too", () => {
    const wide = bytes(`a\n${"x,".repeat(MIB)}\n`);
    expect(read([wide], { engine, maxRecordBytes: 1.5 * MIB }).fault).toMatchObject({
      kind: "record_too_long",
      offset: 2,
      line: 2,
    });
    const open = bytes(`a\n1\n"${"x".repeat(2 * MIB)}`);
    expect(read([open], { engine }).fault).toMatchObject({ kind: "unterminated_quote", offset: 4, line: 3 });
    expect(read([open], { engine, maxFieldBytes: 1.5 * MIB }).fault).toMatchObject({
      kind: "field_too_long",
      offset: 4,
      quoted: true,
    });
  });

  it("holds the header to the limits", () => {
    expect(read([bytes('a,"b\n1,2\n')], { engine }).fault).toMatchObject({
      kind: "unterminated_quote",
      offset: 2,
      line: 1,
    });
    expect(read([bytes("\nabcdefghijk,b\n")], { engine, maxFieldBytes: 10 }).fault).toMatchObject({
      offset: 1,
      line: 2,
    });
    const auto = { engine, maxFieldBytes: 10, separator: "auto" } as const;
    expect(read([bytes("abcdefghijk")], auto).fault).toMatchObject({ kind: "field_too_long", offset: 0 });
  });
});
