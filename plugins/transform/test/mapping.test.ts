import { describe, expect, it } from "vitest";
import { transformed } from "./transforming.ts";

describe("mapping", () => {
  it("copies values byte for byte, at any place of the payload", async () => {
    const long = '{"long":228930314431312345,"d":1.10,"e":1E5,"t":"\\u00fc\\/","list":[ 1 , {"k":null} ]}';
    expect(
      await transformed(
        { mapping: { a: "$.long", b: "d", c: "e", d: "t", e: "list", f: "list[1].k", g: "$.list[0]" } },
        [long],
      ),
    ).toEqual(['{"a":228930314431312345,"b":1.10,"c":1E5,"d":"\\u00fc\\/","e":[ 1 , {"k":null} ],"f":null,"g":1}']);
  });

  it("sorts the keys at each level and nests at dots", async () => {
    const mapping = { "b.z": "x", "a!b": "x", "a.b": "x", "b.a.c": "x", ü: "x", z: "x" };
    expect(await transformed({ mapping }, ['{"x":1}'])).toEqual([
      '{"a":{"b":1},"a!b":1,"b":{"a":{"c":1},"z":1},"z":1,"ü":1}',
    ]);
  });

  it("leaves out what is absent, and objects in which nothing is left", async () => {
    const mapping = { a: "x.y", "b.c": "x.z", "b.d": "x.z", e: "q" };
    expect(await transformed({ mapping }, ['{"q":1}', '{"x":{"z":null}}', "{}", "[1]", "5"])).toEqual([
      '{"e":1}',
      '{"b":{"c":null,"d":null}}',
      "{}",
      "{}",
      "{}",
    ]);
  });

  it("puts in defaults for what is absent, not for null", async () => {
    const mapping = { a: { path: "x", default: { k: [1, "ä"] }, required: true }, b: { path: "y", default: null } };
    expect(await transformed({ mapping }, ["{}", '{"x":null,"y":1}'])).toEqual([
      '{"a":{"k":[1,"ä"]},"b":null}',
      '{"a":null,"b":1}',
    ]);
  });

  it("refuses a message without a required field, with the path as written", async () => {
    const mapping = { "a.b": { path: "$.x.y", required: true } };
    expect(await transformed({ mapping }, ['{"x":{}}', '{"x":{"y":null}}', "not json"])).toEqual([
      "$.x.y [missing_required]: required source field is missing (mapped to 'a.b')",
      '{"a":{"b":null}}',
      expect.stringMatching(/^\$ \[parse\]: payload is not valid JSON: /),
    ]);
  });

  it("takes the last one of repeated keys", async () => {
    expect(await transformed({ mapping: { a: "x.y" } }, ['{"x":{"y":1},"x":{"y":2,"y":3}}'])).toEqual(['{"a":3}']);
  });

  it("swaps fields, since it describes the result", async () => {
    const mapping = { a: "b", b: "a", d: "c", e: "d" };
    expect(await transformed({ mapping }, ['{"a":1,"b":2,"c":3,"d":4}'])).toEqual(['{"a":2,"b":1,"d":3,"e":4}']);
  });

  it("sets fields inside of a copied object", async () => {
    const mapping = { a: "obj", "a.b": "x", "a.c.d": "x" };
    expect(
      await transformed({ mapping }, ['{"obj":{"q":1.0,"b":1},"x":2}', '{"x":2}', '{"obj":5}', '{"obj":null,"x":2}']),
    ).toEqual([
      '{"a":{"q":1.0,"b":2,"c":{"d":2}}}',
      '{"a":{"b":2,"c":{"d":2}}}',
      '{"a":5}',
      "$.a.b [type_mismatch]: cannot set 'b': parent is a null",
    ]);
  });

  it("runs before the expression, and that before the schema", async () => {
    const config = {
      mapping: { n: "$.a.n" },
      expression: "{ m: n + 1, k: meta.kind }",
      schema: { type: "object", properties: { m: { type: "string" } } },
    };
    expect(await transformed(config, ['{"a":{"n":4}}', '{"a":{"n":"x"}}', "[1]"])).toEqual([
      '{"k":null,"m":"5"}',
      expect.stringMatching(/^\$ \[expression\]: /),
      expect.stringMatching(/^\$ \[expression\]: /),
    ]);
  });
});
