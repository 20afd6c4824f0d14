import { describe, expect, it } from "vitest";
import { transformed } from "./transforming.ts";

const object = (properties: Record<string, unknown>, more: object = {}) => ({ type: "object", properties, ...more });

describe("schema", () => {
  it("leaves every byte of what it does not name", async () => {
    const text = '{"id":1,"x":1e400,"long":123456789012345678901,"t":"\\u00fc\\/","o":{ "a" : [ 1 ,2.0 ] },"o":1}';
    expect(await transformed({ schema: object({ id: { type: "integer" } }) }, [text])).toEqual([text]);
  });

  it("drops the blanks between what it names", async () => {
    const schema = object({ v: object({ k: { type: "integer" } }), l: { type: "array", items: { type: "integer" } } });
    expect(
      await transformed({ schema }, [
        ' { "v" : { "k": "1" , "z": [1 , 2] } ,\n"w":{ "q" : 1 }, "l": [ "1" , 2 ], "e":[ ] } ',
      ]),
    ).toEqual(['{"v":{"k":1,"z":[1 , 2]},"w":{ "q" : 1 },"l":[1,2],"e":[ ]}']);
  });

  it("takes the last one of repeated fields, at the place of the first", async () => {
    const schema = object({ v: object({ k: { type: "integer" } }), id: { type: "integer" } }, { required: ["id"] });
    expect(
      await transformed({ schema }, ['{"id":"x","b":1,"\\u0069d":"2"}', '{"id":1,"v":{"k":"x","k":"3","k":4,"q":5}}']),
    ).toEqual(['{"id":2,"b":1}', '{"id":1,"v":{"k":4,"q":5}}']);
  });

  it("knows keys that are written with escapes", async () => {
    const schema = object({ "ü/": { type: "integer" } });
    expect(await transformed({ schema }, ['{"\\u00fc\\/":"5"}', '{"ü/":"5"}'])).toEqual([
      '{"\\u00fc\\/":5}',
      '{"ü/":5}',
    ]);
  });

  it("adds defaults at the end, sorted, made to fit", async () => {
    const schema = object({
      z: { type: "string", default: 5 },
      a: object({ k: { type: "integer" }, l: { default: 7 } }, { default: { k: "1" } }),
      n: { type: "integer", nullable: true, default: 3 },
      v: { default: true },
    });
    expect(await transformed({ schema }, ["{}", '{ "q":1 }', '{"a":null,"n":null,"v":null,"z":null}'])).toEqual([
      '{"a":{"k":1,"l":7},"n":3,"v":true,"z":"5"}',
      '{"q":1,"a":{"k":1,"l":7},"n":3,"v":true,"z":"5"}',
      '{"a":{"k":1,"l":7},"n":null,"v":true,"z":"5"}',
    ]);
  });

  it("adds no default inside of an object that is absent", async () => {
    expect(await transformed({ schema: object({ o: object({ k: { default: 1 } }) }) }, ["{}", '{"o":{}}'])).toEqual([
      "{}",
      '{"o":{"k":1}}',
    ]);
  });

  it("says that a field is missing before it says that another is wrong", async () => {
    const schema = object({ v: { type: "integer" }, o: object({}, { required: ["k"] }) }, { required: ["w"] });
    const missing = "[missing_required]: required field is missing and no default is defined";
    expect(await transformed({ schema }, ['{"v":"x"}', '{"o":{},"w":1}', '{"o":{}}', '{"v":"x","w":1}'])).toEqual([
      `$.w ${missing}`,
      `$.o.k ${missing}`,
      `$.w ${missing}`,
      "$.v [coercion]: cannot coerce string to integer",
    ]);
  });

  it("names fields so that they can be told from paths", async () => {
    const names = { "a-b": ".a-b", ü: ".ü", "a b": ".a b", 0: ".0", "price.usd": "['price.usd']", "a[0": "['a[0']" };
    const odd = { "": "['']", "a]": "['a]']", "it's": "['it\\'s']" };
    for (const [key, shown] of Object.entries({ ...names, ...odd })) {
      const schema = object({ [key]: { type: "array", items: object({ [key]: { type: "integer" } }) } });
      const text = JSON.stringify({ [key]: [{}, { [key]: "x" }] });
      expect(await transformed({ schema }, [text])).toEqual([
        `$${shown}[1]${shown} [coercion]: cannot coerce string to integer`,
      ]);
    }
  });

  it("compares with the values of an enum, after it has converted", async () => {
    const schema = object({
      v: { enum: [1, "a", null, { x: [1], y: 2 }] },
      w: { type: "string", nullable: true, enum: ["a"] },
      x: { type: "integer", enum: [1, 2] },
    });
    const fine = ['{"v":1.0}', '{"v":"\\u0061"}', '{"v":null}', '{"v":{"y":2,"x":[ 1 ]}}', '{"w":null}', '{"x":2}'];
    expect(await transformed({ schema }, fine)).toEqual(fine);
    expect(await transformed({ schema }, ['{"x":"2"}', '{"v":"b"}', '{"w":"b"}', '{"x":"3"}'])).toEqual([
      '{"x":2}',
      '$.v [enum]: value is not one of [1,"a",null,{"x":[1],"y":2}]',
      '$.w [enum]: value is not one of ["a"]',
      "$.x [enum]: value is not one of [1,2]",
    ]);
  });

  it("reads empty strings as null only where it looks, with coerce_empty_as_null", async () => {
    const schema = object({
      note: { type: "string", nullable: true },
      tier: { type: "string", default: "standard" },
      any: {},
      must: { type: "string" },
      list: { type: "array", items: { type: "integer", nullable: true } },
    });
    const config = { schema, coerce_empty_as_null: true };
    expect(
      await transformed(config, [
        '{"note":"","tier":"","any":"","free":"","list":["",null]}',
        '{"must":""}',
        '{"must":" "}',
      ]),
    ).toEqual([
      '{"note":null,"tier":"standard","any":null,"free":"","list":[null,null]}',
      "$.must [type_mismatch]: field is an empty string, read as null by coerce_empty_as_null, but is not nullable and has no default",
      '{"must":" ","tier":"standard"}',
    ]);
  });

  it("looks at any root", async () => {
    expect(
      await transformed({ schema: { items: { type: "integer" } } }, ['[ "5", 6 ]', '{"a":1}', "null", " 7 "]),
    ).toEqual(["[5,6]", '{"a":1}', "null", "7"]);
    expect(await transformed({ schema: { type: "object" } }, ["[1]", "null"])).toEqual([
      "$ [coercion]: cannot coerce array to object",
      "$ [type_mismatch]: field is null but is not nullable and has no default",
    ]);
  });

  it("says that a payload is no JSON, wherever it stops being that", async () => {
    const schema = object({ v: { type: "integer" } }, { required: ["w"] });
    const broken = [
      '{"v":"x", oops',
      '{"v":1} x',
      "",
      " ",
      '{"v":1',
      '{"v"',
      '{"v":01}',
      '{"a":1,}',
      "[1",
      '{"v":"a',
      "\ufeff{}",
    ];
    for (const result of await transformed({ schema }, broken)) {
      expect(result).toMatch(/^\$ \[parse\]: payload is not valid JSON: .*byte \d+$/);
    }
  });
});

describe("embedded JSON", () => {
  const json = { type: "string", contentMediaType: "application/json" };

  it("takes the place of the string, made to fit contentSchema", async () => {
    const schema = object({ doc: { ...json, contentSchema: object({ n: { type: "integer" } }, { required: ["n"] }) } });
    expect(
      await transformed({ schema }, [
        '{"doc":"{\\"n\\": \\"5\\", \\"x\\":1.0}","z":[ 1 ]}',
        '{"doc":"{}"}',
        '{"doc":"{\\"n\\":\\"x\\"}"}',
        '{"doc":"{\\"n\\":\\"x\\""}',
        '{"doc":{"n":1}}',
      ]),
    ).toEqual([
      '{"doc":{"n":5,"x":1.0},"z":[ 1 ]}',
      "$.doc.n [missing_required]: required field is missing and no default is defined",
      "$.doc.n [coercion]: cannot coerce string to integer",
      expect.stringMatching(/^\$\.doc \[content\]: contentMediaType is JSON but the string does not parse: /),
      "$.doc [coercion]: cannot coerce object to string",
    ]);
  });

  it("is read for every JSON media type, and left for others", async () => {
    const media = ["application/json; charset=utf-8", "text/json", "application/vnd.x+JSON", "text/plain", "json"];
    const types = media.map((contentMediaType) => ({ type: "string", contentMediaType }));
    for (const [index, v] of [...types, { ...json, contentEncoding: "base64" }].entries()) {
      expect(await transformed({ schema: object({ v }) }, ['{"v":"1"}'])).toEqual([
        index < 3 ? '{"v":1}' : '{"v":"1"}',
      ]);
    }
  });

  it("breaks no line, however it is written inside", async () => {
    const text = JSON.stringify({ v: '{\n "a" : [1.0,\r\n 2],\n "b":"\\n"}' });
    const [result] = await transformed({ schema: object({ v: json }) }, [text]);
    expect(result).toBe('{"v":{"a":[1.0,2],"b":"\\n"}}');
  });

  it("can be the whole payload", async () => {
    const schema = { ...json, contentSchema: object({ a: { type: "integer" } }) };
    expect(await transformed({ schema }, ['"{\\"a\\":\\"5\\"}"', '"{\\"a\\":\\"x\\"}"', '" 1 2"'])).toEqual([
      '{"a":5}',
      "$.a [coercion]: cannot coerce string to integer",
      expect.stringMatching(/^\$ \[content\]: /),
    ]);
  });
});
