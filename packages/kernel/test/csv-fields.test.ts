import { describe, expect, it } from "vitest";
import { csvLines, ENGINES } from "./drive.ts";

describe.each(ENGINES)("CSV fields become JSON strings (%s)", (engine) => {
  it("keeps keys in column order and every value a string", () => {
    expect(csvLines('id,name,empty\n1,a,\n2,"b, c","say ""hi"""\n', { engine })).toEqual([
      '{"id":"1","name":"a","empty":""}',
      '{"id":"2","name":"b, c","empty":"say \\"hi\\""}',
    ]);
  });

  it("reads line breaks inside quotes as part of the field", () => {
    expect(csvLines('id,name\r\n1,a\r\n2,"b\r\nc"\r\n3,"d\ne"\r\n', { engine })).toEqual([
      '{"id":"1","name":"a"}',
      '{"id":"2","name":"b\\r\\nc"}',
      '{"id":"3","name":"d\\ne"}',
    ]);
  });

  it("takes a quote as special only at the start of a field and appends what follows the closing one", () => {
    expect(csvLines('a,b\nx"y,z\n"q"r,s\n "t",u\n', { engine })).toEqual([
      '{"a":"x\\"y","b":"z"}',
      '{"a":"qr","b":"s"}',
      '{"a":" \\"t\\"","b":"u"}',
    ]);
  });

  it("reads quotes as text when there is no quote byte", () => {
    expect(csvLines('a,b\n"1,2"\n', { engine, quote: null })).toEqual(['{"a":"\\"1","b":"2\\""}']);
  });

  it("reads another quote byte, and the usual one as text", () => {
    expect(csvLines("a,b\n'it''s, ok',\"x\"\n", { engine, quote: 39 })).toEqual(['{"a":"it\'s, ok","b":"\\"x\\""}']);
  });

  it.each([
    [";", 'a;b\n1,5;"x;y"\n', '{"a":"1,5","b":"x;y"}'],
    ["\t", "a\tb\n1\t2 3\n", '{"a":"1","b":"2 3"}'],
    ["\x1f", "a\x1fb\n1\x1f2\n", '{"a":"1","b":"2"}'],
  ])("separates by %j", (separator, text, line) => {
    expect(csvLines(text, { engine, separator: separator.charCodeAt(0) })).toEqual([line]);
  });

  it("escapes what JSON.stringify escapes, and nothing else", () => {
    const value = 'tab\t bs\b ff\f nul\0 esc\x1b del\x7f \\ / " é 漢 😀 \u2028';
    expect(csvLines(`v\n"${value.replaceAll('"', '""')}"\n`, { engine })).toEqual([JSON.stringify({ v: value })]);
  });

  it("keeps blanks around values", () => {
    expect(csvLines("a,b\n 1 , 2 \n", { engine })).toEqual(['{"a":" 1 ","b":" 2 "}']);
  });

  it("passes over blank lines, drops one CR at a line's end and keeps a CR elsewhere", () => {
    expect(csvLines("\n\r\na,b\n\n1,2\r\n\r\nx\ry,z\r\nq,r\r", { engine })).toEqual([
      '{"a":"1","b":"2"}',
      '{"a":"x\\ry","b":"z"}',
      '{"a":"q","b":"r"}',
    ]);
  });

  it("reads the last record without a line end", () => {
    expect(csvLines("a,b\n1,2", { engine })).toEqual(['{"a":"1","b":"2"}']);
  });

  it("gives nothing for an empty input, a header alone, and blank lines", () => {
    for (const text of ["", "a,b", "a,b\n", "\n\r\n\n", "\ufeff"]) expect(csvLines(text, { engine })).toEqual([]);
  });
});

describe.each(ENGINES)("CSV with a record delimiter of its own (%s)", (engine) => {
  it("matches several bytes, and only outside quotes", () => {
    const delimiter = Buffer.from("##");
    expect(csvLines('a,b##1,2\n##"3##4",5#6##', { engine, delimiter })).toEqual([
      '{"a":"1","b":"2\\n"}',
      '{"a":"3##4","b":"5#6"}',
    ]);
  });

  it("takes LF as data when the delimiter is CR LF", () => {
    const delimiter = Buffer.from("\r\n");
    expect(csvLines("a,b\r\n1,2\n3\r\n4,5\r\n", { engine, delimiter })).toEqual([
      '{"a":"1","b":"2\\n3"}',
      '{"a":"4","b":"5"}',
    ]);
  });

  it("refuses a delimiter that holds the separator or the quote", () => {
    expect(() => csvLines("", { engine, delimiter: Buffer.from(",\n") })).toThrow(RangeError);
    expect(() => csvLines("", { engine, delimiter: Buffer.from('"') })).toThrow(RangeError);
  });
});

describe.each(ENGINES)("CSV with an escape byte (%s)", (engine) => {
  const dialect = { engine, escape: 92 };

  it("takes the byte behind it literally inside quotes", () => {
    expect(csvLines('a,b\n"he said \\"hi\\"","back\\\\slash"\n"x\\\ny","p""q"\n', dialect)).toEqual([
      '{"a":"he said \\"hi\\"","b":"back\\\\slash"}',
      '{"a":"x\\ny","b":"p\\"q"}',
    ]);
  });

  it("is text outside quotes", () => {
    expect(csvLines("a,b\nx\\,y\n", dialect)).toEqual(['{"a":"x\\\\","b":"y"}']);
  });
});
