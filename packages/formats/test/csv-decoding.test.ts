import { describe, expect, it } from "vitest";
import { readStreamHeader } from "../src/decode/csv.ts";
import { csvSettings } from "../src/index.ts";
import { decodeAll, decoder, type Options, payloads } from "./support.ts";

const csv = (input: string, options: Options = {}) => payloads(decodeAll(input, { format: "csv", ...options }));

describe("CSV rows", () => {
  it("become objects of strings under the header's names", () => {
    expect(csv('id,name\n1,"a, ""b"""\n')).toEqual(['{"id":"1","name":"a, \\"b\\""}']);
  });

  it("may span lines and chunks", () => {
    const input = 'id,name\r\n1,"two\r\nlines"\r\n2,x\r\n';
    for (let size = 1; size < input.length; size++) {
      expect(payloads(decodeAll(input, { format: "csv" }, size)), `${size}`).toEqual([
        '{"id":"1","name":"two\\r\\nlines"}',
        '{"id":"2","name":"x"}',
      ]);
    }
  });

  it("keep their blanks", () => {
    expect(csv("a,b\n x , y\n")).toEqual(['{"a":" x ","b":" y"}']);
  });

  it("take columns that are called like properties of objects as ordinary ones", () => {
    expect(csv("id,__proto__,__proto__,constructor,toString\n1,a,b,c,d\n")).toEqual([
      '{"id":"1","__proto__":"a","__proto___2":"b","constructor":"c","toString":"d"}',
    ]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("make equal names unique", () => {
    expect(csv("id,amount,amount\n1,10,20\n")).toEqual(['{"id":"1","amount":"10","amount_2":"20"}']);
    expect(csv("id,,\n1,a,b\n")).toEqual(['{"id":"1","":"a","_2":"b"}']);
  });

  it("take a backslash as escape when that is set", () => {
    expect(csv('a\n"he said \\"hi\\""\n', { csv: { escape: "\\" } })).toEqual(['{"a":"he said \\"hi\\""}']);
  });

  it("with too few or too many fields are told of once per kind", () => {
    const told: string[] = [];
    const rows = csv("a;b\n1\n2\n3;4;5\n", { csv: { separator: ";" }, onRagged: ({ kind }) => told.push(kind) });
    expect(rows).toEqual(['{"a":"1","b":""}', '{"a":"2","b":""}', '{"a":"3","b":"4"}']);
    expect(told).toEqual(["short", "long"]);
  });

  it("with too many fields end the stream when that is asked for, after the rows before", () => {
    const reader = decoder({ format: "csv", csv: { on_ragged: "fail" } });
    reader.feed(Buffer.from("a,b\n1,2\n3,4\n5,6,7\n8,9\n"));
    expect(reader.take(10)!.batch.length).toBe(2);
    expect(() => reader.take(10)).toThrow("in.dat, byte 12 (line 4): the row has 3 fields, the header 2");
  });

  it("ending in an open quote end the stream with the place of the quote", () => {
    expect(() => csv('a,b\n1,2\n"open,x\n')).toThrow("in.dat, byte 8 (line 3): a quoted field begins here");
  });

  it("with a field beyond the limit end the stream with the line, without reading on", () => {
    const reader = decoder({ format: "csv", csv: { max_field_bytes: 100 } });
    reader.feed(Buffer.from(`a,b\n1,2\n"never closed,${"x".repeat(200)}`));
    expect(reader.take(10)!.batch.length).toBe(1);
    expect(() => reader.take(10)).toThrow(/line 3\): the quoted field that opens here is longer than 100 bytes/);
  });

  it("in UTF-16 are refused", () => {
    const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("a\tb\n", "utf16le")]);
    expect(() => decodeAll(utf16, { format: "csv" })).toThrow(expect.objectContaining({ code: "MQB_FORMATS_UTF16" }));
  });

  it("are taken up behind the header with what the header said", () => {
    const input = "id;name\n1;a\n2;b\n";
    const settings = csvSettings({ separator: "auto" });
    const header = readStreamHeader(settings, Buffer.from("\n"), Buffer.from(input.slice(0, 12)), false)!;
    expect(header).toEqual({ columns: ["id", "name"], separator: 59 });
    expect(csv(input.slice(12), { csv: { separator: "auto" }, header, offset: 12 })).toEqual(['{"id":"2","name":"b"}']);
  });

  it("lie behind each other as a sink of lines writes them", () => {
    const [decoded] = decodeAll("a\n1\n2\n", { format: "csv" });
    const { bytes, starts, ends, terminator } = decoded!.batch.slab!;
    expect(bytes.subarray(starts[0], ends[1]! + terminator!.length).toString()).toBe('{"a":"1"}\n{"a":"2"}\n');
  });
});
