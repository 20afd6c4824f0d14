import { describe, expect, it } from "vitest";
import { jsonColumns } from "../src/json-columns.ts";
import { csvHeaderRow, JsonToCsv, type JsonToCsvOptions } from "../src/json-to-csv.ts";
import { ENGINES, recordsOf, texts } from "./drive.ts";

const CRLF = Buffer.from("\r\n");

describe.each(ENGINES)("JSON objects to CSV rows (%s)", (engine) => {
  const rows = (options: JsonToCsvOptions, ...objects: readonly string[]) =>
    new JsonToCsv({ engine, ...options }).encode(texts(...objects));
  const csv = (options: JsonToCsvOptions, ...objects: readonly string[]) => rows(options, ...objects).bytes.toString();

  it("keeps the spelling of numbers, booleans and null", () => {
    expect(
      csv(
        { columns: ["id", "f", "t", "n", "e"] },
        '{"id":1,"f":1.0,"t":true,"n":null,"e":""}',
        '{"id":9007199254740993,"f":1e21,"t":false,"n":-0.0,"e":0.1e-7}',
        '{"id":123456789012345678901234567890,"f":1.10,"t":1E5,"n":1e400,"e":-0}',
      ),
    ).toBe(
      "1,1.0,true,null,\n9007199254740993,1e21,false,-0.0,0.1e-7\n123456789012345678901234567890,1.10,1E5,1e400,-0\n",
    );
  });

  it("quotes a field with the separator, the quote, CR or LF, and nothing else", () => {
    const object = JSON.stringify({ a: "x, y", b: 'q"q', c: "nl\nx", d: "cr\rx", e: " lead", f: "#x\t;'" });
    expect(csv({ columns: ["a", "b", "c", "d", "e", "f"] }, object)).toBe(
      '"x, y","q""q","nl\nx","cr\rx", lead,#x\t;\'\n',
    );
    expect(csv({ columns: ["a", "b"], separator: 9 }, '{"a":"x\\ty","b":"x,y"}')).toBe('"x\ty"\tx,y\n');
    expect(csv({ columns: ["a", "b", "c"], quote: 39 }, `{"a":"it's","b":"a,b","c":"d\\"q"}`)).toBe(
      "'it''s','a,b',d\"q\n",
    );
  });

  it("quotes a field that meets the delimiter", () => {
    const delimiter = Buffer.from("##");
    const objects = ['{"a":"x#y","b":"x##y"}', '{"a":"x#","b":"y"}', '{"a":"#x","b":"nl\\nz"}'];
    expect(csv({ columns: ["a", "b"], delimiter }, ...objects)).toBe('x#y,"x##y"##"x#",y###x,"nl\nz"##');
    expect(csv({ columns: ["a", "b"], delimiter: CRLF }, '{"a":1,"b":"x\\r\\ny"}')).toBe('1,"x\r\ny"\r\n');
  });

  it("unescapes text", () => {
    const value = 'é 漢 😀 \\ / \b\f\t \0 "';
    const escaped = '{"a":"\\u00e9 漢 \\uD83D\\ude00 \\\\ \\/ \\b\\f\\t \\u0000 \\""}';
    expect(csv({ columns: ["a"] }, escaped)).toBe(`"${value.replace('"', '""')}"\n`);
  });

  it("writes columns in their order, wherever the keys stand", () => {
    expect(csv({ columns: ["z", "a", "m"] }, '{"z":1,"a":2,"m":3}', ' {"a":5, "m" : 6 ,"z":4}\n')).toBe(
      "1,2,3\n4,5,6\n",
    );
  });

  it("writes an empty field that is the whole row as two quotes", () => {
    expect(csv({ columns: ["a"] }, '{"a":""}', '{"b":1}', '{"a":null}', '{"a":"x"}')).toBe('""\n""\nnull\nx\n');
    expect(csv({ columns: ["a"], quote: null }, '{"a":""}', '{"a":"z"}')).toBe("\nz\n");
    expect(csv({ columns: ["a", "b"] }, '{"a":"","b":""}')).toBe(",\n");
  });

  it("flattens nested objects, and writes arrays and empty objects as the text they have", () => {
    const columns = ["id", "o.x", "o.y.z", "arr", "eo", "ea"];
    expect(
      csv(
        { columns },
        '{"id":1,"o":{"x":1,"y":{"z":"q"}},"arr":[1,"a,b",null],"eo":{},"ea":[]}',
        '{"id":2,"o":{"x":3,"y":{"z":null}},"arr":[ ],"eo":{"k": 1.50},"ea":[1, 2]}',
      ),
    ).toBe('1,1,q,"[1,""a,b"",null]",{},[]\n2,3,null,[ ],"{""k"": 1.50}","[1, 2]"\n');
  });

  it("writes nested objects as JSON text with nested: json", () => {
    expect(csv({ columns: ["a", "c"], nested: "json" }, '{"a":{"b": null},"c":null}')).toBe('"{""b"": null}",null\n');
  });

  it("prefers a key that is spelled with dots, and otherwise the last of equal keys", () => {
    expect(csv({ columns: ["a.b"] }, '{"a.b":1,"a":{"b":2}}', '{"a":{"b":5},"a.b":6}')).toBe("1\n6\n");
    expect(csv({ columns: ["a", "b"] }, '{"a":1,"b":2,"a":3}')).toBe("3,2\n");
    expect(csv({ columns: ["a.", ".b"] }, '{"a":{"":1},"":{"b":2}}')).toBe("1,2\n");
  });

  it("knows keys however they are escaped, and those that mean something in JavaScript", () => {
    const columns = ['a"b', "é.x\ny", "__proto__.polluted", "constructor"];
    expect(csv({ columns }, '{"a\\"b":1,"\\u00e9":{"x\\ny":2},"__proto__":{"polluted":3},"constructor":4}')).toBe(
      "1,2,3,4\n",
    );
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("finds its columns among hundreds", () => {
    const columns = Array.from({ length: 700 }, (_, i) => `column ${(i * 7919) % 700}`);
    const object = Object.fromEntries(columns.toReversed().map((name) => [name, name.length]));
    expect(csv({ columns }, JSON.stringify(object))).toBe(`${columns.map((name) => name.length).join(",")}\n`);
  });

  it("writes what fits and counts what does not, by default", () => {
    const result = rows({ columns: ["a", "b"] }, '{"a":1,"b":2}', '{"a":3}', '{"b":4,"c":5}');
    expect(result.bytes.toString()).toBe("1,2\n3,\n,4\n");
    expect(result).toMatchObject({ missing: 2, unknown: 1, refused: [], firstMismatch: { index: 1, key: undefined } });
    expect(rows({ columns: ["a"] }, '{"a":1}', '{"a":1,"n":{"x":2}}').firstMismatch).toEqual({ index: 1, key: "n.x" });
  });

  it("refuses what does not match with mismatch: refuse, and says why", () => {
    const options = { columns: ["a", "b"], mismatch: "refuse" } as const;
    const result = rows(
      options,
      '{"a":1,"b":2}',
      '{"a":3}',
      '{"b":4,"a":5,"c":6}',
      '{"b":7,"a":8}',
      '{"a":1,"o":{"x":1}}',
    );
    expect(recordsOf(result as never)).toEqual(["1,2", "8,7"]);
    expect([...result.records!]).toEqual([0, 3]);
    expect(result.refused).toEqual([
      { index: 1, reason: "missing_column", present: 1 },
      { index: 2, reason: "unknown_key", key: "c" },
      { index: 4, reason: "unknown_key", key: "o.x" },
    ]);
  });

  it("refuses one object alone when it is broken", () => {
    const cases: [string, string][] = [
      ['{"a":01}', "not_json"],
      ['{"a":tru}', "not_json"],
      ['{"a":1}x', "not_json"],
      ['{"a":1,}', "not_json"],
      ['{"a":"\t"}', "not_json"],
      ['{"a":"\\x"}', "not_json"],
      ['{"a":[1,{"b":.5}]}', "not_json"],
      ['{"a"', "not_json"],
      ["[1]", "not_object"],
      ['"x"', "not_object"],
      ["", "not_object"],
      ["{ }", "empty_object"],
      ['{"a":"\\ud800"}', "lone_surrogate"],
      ['{"\\ude00":1}', "lone_surrogate"],
      [`{"a":${"[".repeat(2000)}${"]".repeat(2000)}}`, "too_deep"],
      [`{"${"k".repeat(5000)}":1}`, "too_deep"],
    ];
    const objects = cases.flatMap(([object]) => [object, '{"a":7}']);
    const result = rows({ columns: ["a"] }, ...objects);
    expect(result.refused).toEqual(cases.map(([, reason], i) => ({ index: 2 * i, reason })));
    expect(result.bytes.toString()).toBe("7\n".repeat(cases.length));
  });

  it("refuses ill-formed UTF-8", () => {
    const objects = texts('{"a":1}', '{"a":"?"}', '{"a":2}');
    objects.bytes[objects.bytes.indexOf("?")] = 0xff;
    const result = new JsonToCsv({ engine, columns: ["a"] }).encode(objects);
    expect(result.refused).toEqual([{ index: 1, reason: "ill_formed_utf8" }]);
    expect(result.bytes.toString()).toBe("1\n2\n");
  });

  it("refuses a field that needs a quote when there is none", () => {
    const result = rows(
      { columns: ["a", "b"], quote: null },
      '{"a":"x,y","b":1}',
      '{"a":"q\\"q","b":2}',
      '{"a":"n\\nl","b":3}',
    );
    expect(result.bytes.toString()).toBe('q"q,2\n');
    expect(result.refused.map(({ reason }) => reason)).toEqual(["unquotable", "unquotable"]);
  });

  it("writes objects and batches larger than the kernel's areas", () => {
    const large = `{"a":"${'x,\\"é'.repeat(250_000)}","b":1}`;
    const result = rows(
      { columns: ["a", "b"] },
      '{"a":1,"b":2}',
      large,
      ...Array.from({ length: 70_000 }, (_, i) => `{"b":${i}}`),
    );
    expect(result.count).toBe(70_002);
    expect(result.bytes.toString("utf8", result.starts[1], result.ends[1])).toBe(`"${'x,""é'.repeat(250_000)}",1`);
    expect(result.bytes.toString("utf8", result.starts[70_001], result.ends[70_001])).toBe(",69999");
  });
});

describe("the CSV header row", () => {
  it("quotes names like fields", () => {
    expect(csvHeaderRow(["a,b", 'q"q', "n\nl", "", " s", "ü"]).toString()).toBe('"a,b","q""q","n\nl",, s,ü\n');
    expect(csvHeaderRow([""]).toString()).toBe('""\n');
    expect(csvHeaderRow(["a", "b"], { separator: 9, delimiter: CRLF }).toString()).toBe("a\tb\r\n");
    expect(() => csvHeaderRow(["a,b"], { quote: null })).toThrow(RangeError);
  });
});

describe("the columns of a first record", () => {
  const columns = (text: string, nested: "flatten" | "json" = "flatten") => jsonColumns(Buffer.from(text), nested);

  it("are its keys in the order they are written", () => {
    expect(columns('{"z":1,"2":2,"1":3,"__proto__":4,"\\u00fc":5}')).toEqual(["z", "2", "1", "__proto__", "ü"]);
    expect(columns('{"a":1,"b":2,"a":3}')).toEqual(["a", "b"]);
  });

  it("are dotted for nested objects, unless nested: json", () => {
    const text = '{"id":1,"o":{"x":1,"y":{"z":"q"}},"arr":[{"k":1}],"eo":{ },"__proto__":{"x":1}}';
    expect(columns(text)).toEqual(["id", "o.x", "o.y.z", "arr", "eo", "__proto__.x"]);
    expect(columns(text, "json")).toEqual(["id", "o", "arr", "eo", "__proto__"]);
  });

  it("are not there for what is no JSON object with a key", () => {
    for (const text of ["", "[1]", "{}", '{"a":}', '{"a":1}x', '{"\\ud800":1}']) expect(columns(text)).toBeUndefined();
  });
});
