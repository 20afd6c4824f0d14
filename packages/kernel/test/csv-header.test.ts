import { describe, expect, it } from "vitest";
import { detectSeparator, parseCsvHeader, uniqueNames } from "../src/csv-header.ts";
import { CsvToJson } from "../src/csv-to-json.ts";
import { bytes, csvLines, ENGINES, readAll, recordsOf } from "./drive.ts";

describe("column names", () => {
  it("makes repeated names unique with the first number that no other column has", () => {
    expect(uniqueNames(["a", "a", "", "b"])).toEqual(["a", "a_2", "", "b"]);
    expect(uniqueNames(["a", "a", "a"])).toEqual(["a", "a_2", "a_3"]);
    expect(uniqueNames(["a", "a", "a_2"])).toEqual(["a", "a_3", "a_2"]);
    expect(uniqueNames(["", "", "x"])).toEqual(["", "_2", "x"]);
    expect(uniqueNames(["a", " a", "a "])).toEqual(["a", " a", "a "]);
  });

  it("are read with quotes, without a byte-order mark, and with ill-formed UTF-8 replaced", () => {
    const header = parseCsvHeader(bytes('\xef\xbb\xbf\n"a,""x","b\nc",\xff\r\nrest'), {}, false);
    expect(header).toEqual({ columns: ['a,"x', "b\nc", "\ufffd"], written: ['a,"x', "b\nc", "\ufffd"], end: 21 });
  });

  it("are not there while the header record is incomplete", () => {
    expect(parseCsvHeader(bytes('a,"b\n'), {}, false)).toBeUndefined();
    expect(parseCsvHeader(bytes("a,b"), {}, false)).toBeUndefined();
    expect(parseCsvHeader(bytes("a,b"), {}, true)?.columns).toEqual(["a", "b"]);
    expect(parseCsvHeader(bytes("\n\r\n"), {}, true)).toBeUndefined();
  });

  it("says where in the bytes a quote of the header is never closed", () => {
    expect(() => parseCsvHeader(bytes('\na,"b'), {}, true)).toThrow(/byte 3/);
  });
});

describe("separator detection", () => {
  const detect = (text: string, quote?: number | null) =>
    detectSeparator(Buffer.from(text), quote === undefined ? {} : { quote }, false);

  it.each([
    ["a;b,c;d\n", ";"],
    ["a\tb|c\td\n", "\t"],
    ["a|b\n", "|"],
    ["a,b;c\n", ","],
    ["a;b\tc\n", ";"],
    ["a\n", ","],
    ['"a,b,c";d\n', ";"],
    ['"a\n,,,";b\n', ";"],
    ['a; "b,c,d,e"\n', ","],
    ["\n\r\na;b\n", ";"],
    ['"a"",,,";b\n', ";"],
  ])("finds in %j the separator %j", (text, separator) => {
    expect(detect(text)).toBe(separator.charCodeAt(0));
  });

  it("counts inside quotes when there are none, and minds another quote byte", () => {
    expect(detect('"a,b,c";d\n', null)).toBe(44);
    expect(detect("'a,b,c';d\n", 39)).toBe(59);
  });

  it("waits for the whole first record", () => {
    expect(detect("a;b")).toBeUndefined();
    expect(detectSeparator(Buffer.from("a;b"), {}, true)).toBe(59);
  });
});

describe.each(ENGINES)("the header of a CSV input (%s)", (engine) => {
  it("keeps both of two equal names and an empty one", () => {
    expect(csvLines("a,a,,b\n1,2,3,4\n", { engine })).toEqual(['{"a":"1","a_2":"2","":"3","b":"4"}']);
  });

  it("makes ordinary keys of names that mean something in JavaScript", () => {
    const text = "id,__proto__,__proto__,constructor,a.__proto__.polluted,toString\n1,2,3,4,5,6\n";
    expect(csvLines(text, { engine })).toEqual([
      '{"id":"1","__proto__":"2","__proto___2":"3","constructor":"4","a.__proto__.polluted":"5","toString":"6"}',
    ]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("is replaced by columns that were given, and read over", () => {
    expect(csvLines("h1,h2\n1,x\n", { engine, columns: ["id", "name"] })).toEqual(['{"id":"1","name":"x"}']);
  });

  it("is not looked for with header: false", () => {
    expect(csvLines("\ufeff1,x\n2,y\n", { engine, header: false, columns: ["id", "name"] })).toEqual([
      '{"id":"1","name":"x"}',
      '{"id":"2","name":"y"}',
    ]);
    expect(() => new CsvToJson({ engine, header: false })).toThrow(RangeError);
  });

  it("settles the separator, also without a header", () => {
    expect(csvLines("a;b,c;d\n1;2;3\n", { engine, separator: "auto" })).toEqual(['{"a":"1","b,c":"2","d":"3"}']);
    expect(csvLines("1;2\n", { engine, separator: "auto", header: false, columns: ["a", "b"] })).toEqual([
      '{"a":"1","b":"2"}',
    ]);
  });

  it("tells columns and separator once they are settled", () => {
    const reader = new CsvToJson({ engine, separator: "auto" });
    reader.feed(bytes("a;"));
    expect(reader.take(1)).toBeUndefined();
    expect([reader.columns, reader.separator]).toEqual([undefined, undefined]);
    reader.feed(bytes("b\n"));
    expect(reader.take(1)).toBeUndefined();
    expect([reader.columns, reader.separator]).toEqual([["a", "b"], 59]);
    expect(reader.offset).toBe(4);
  });

  it("refuses UTF-16 at once", () => {
    for (const mark of ["\xff\xfea\0", "\xfe\xff\0a"]) {
      const { slabs, fault } = readAll(new CsvToJson({ engine }), [bytes(`${mark}\t\0b\0\n\0`)]);
      expect(slabs).toEqual([]);
      expect(fault).toMatchObject({ kind: "utf16", offset: 0 });
      expect(fault?.message).toMatch(/UTF-8/);
    }
  });

  it("drops a byte-order mark that comes in pieces, only at offset 0", () => {
    const pieces = ["\xef", "\xbb", "\xbfa\n1\n"].map(bytes);
    expect(readAll(new CsvToJson({ engine }), pieces).slabs.flatMap(recordsOf)).toEqual(['{"a":"1"}']);
    const later = new CsvToJson({ engine, offset: 100, header: false, columns: ["a"] });
    expect(readAll(later, [bytes("\xef\xbb\xbf1\n")]).slabs.flatMap(recordsOf)).toEqual(['{"a":"\ufeff1"}']);
  });

  it("may repeat one name very often", () => {
    const columns = parseCsvHeader(bytes(`${"a,".repeat(40_000)}a_7\n`), {}, true)!.columns;
    expect([columns[1], columns[6], columns.at(-2), new Set(columns).size]).toEqual(["a_2", "a_8", "a_40001", 40_001]);
  });

  it("may be wider than the shared arena's room for keys", () => {
    const names = Array.from({ length: 3000 }, (_, i) => `a column with a rather long name: number ${i}`);
    const values = names.map((_, i) => String(i));
    const [line] = csvLines(`${names.join(",")}\n${values.join(",")}\n`, { engine });
    expect(line).toBe(JSON.stringify(Object.fromEntries(names.map((name, i) => [name, values[i]]))));
  });
});
