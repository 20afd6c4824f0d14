import { describe, expect, it } from "vitest";
import { transformed } from "./transforming.ts";

const refused = (from: string, to: string): string => `$.v [coercion]: cannot coerce ${from} to ${to}`;

/** What is written in the document, and what comes out; asked of the original where it loses nothing. */
const TABLE: Readonly<Record<string, readonly (readonly [written: string, result: string])[]>> = {
  integer: [
    ["7", "7"],
    ["-7", "-7"],
    ["0", "0"],
    ["-0", refused("number", "integer")],
    ["7.0", refused("number", "integer")],
    ["1e3", refused("number", "integer")],
    ["18446744073709551615", "18446744073709551615"],
    ["18446744073709551616", refused("number", "integer")],
    ["-9223372036854775808", "-9223372036854775808"],
    ["-9223372036854775809", refused("number", "integer")],
    ['"7"', "7"],
    ['" +007\\t"', "7"],
    ['"-0"', "0"],
    ['"-007"', "-7"],
    ['"0"', "0"],
    ['"00"', "0"],
    ['"\\u0037"', "7"],
    ['"\u00a05\u3000"', "5"],
    ['"\ufeff5"', refused("string", "integer")],
    ['"9223372036854775808"', "9223372036854775808"],
    ['"18446744073709551616"', refused("string", "integer")],
    ['"-9223372036854775808"', "-9223372036854775808"],
    ['"-9223372036854775809"', refused("string", "integer")],
    ['"7.0"', refused("string", "integer")],
    ['"1e3"', refused("string", "integer")],
    ['"--5"', refused("string", "integer")],
    ['"\u0661"', refused("string", "integer")],
    ['""', refused("string", "integer")],
    ["true", refused("boolean", "integer")],
    ["[1]", refused("array", "integer")],
    ["{}", refused("object", "integer")],
  ],
  number: [
    ["7", "7"],
    ["7.50", "7.50"],
    ["1e400", "1e400"],
    ['"42"', "42"],
    ['"12.50"', "12.5"],
    ['"12.0"', "12.0"],
    ['"12.00"', "12.0"],
    ['"-0.5"', "-0.5"],
    ['"0.00"', "0.0"],
    ['"+.5e+3"', "500.0"],
    ['"5."', "5.0"],
    ['"007.50"', "7.5"],
    ['"-0"', "-0.0"],
    ['"-00"', "-0.0"],
    ['"1e15"', "1000000000000000.0"],
    ['"1e16"', "1e+16"],
    ['"0.00001"', "0.00001"],
    ['"0.000001"', "1e-6"],
    ['"0.01"', "0.01"],
    ['"1.5e-5"', "0.000015"],
    ['"9007199254740993"', "9007199254740993"],
    ['"123456789012345678901234567890"', "123456789012345678901234567890"],
    ['"0.1234567890123456789"', "0.1234567890123456789"],
    ['"1e-400"', "1e-400"],
    ['"1e400"', refused("string", "number")],
    ['"."', refused("string", "number")],
    ['"e5"', refused("string", "number")],
    ['"1e"', refused("string", "number")],
    ['"1_0"', refused("string", "number")],
    ['"0x10"', refused("string", "number")],
    ['"NaN"', refused("string", "number")],
    ['"infinity"', refused("string", "number")],
    ["true", refused("boolean", "number")],
  ],
  boolean: [
    ["true", "true"],
    ['"true"', "true"],
    ['"false"', "false"],
    ['"1"', "true"],
    ['"0"', "false"],
    ['"\\ttrue "', "true"],
    ['"TRUE"', refused("string", "boolean")],
    ['"yes"', refused("string", "boolean")],
    ['"01"', refused("string", "boolean")],
    ["1", refused("integer", "boolean")],
    ["1.0", refused("number", "boolean")],
  ],
  string: [
    ['"x"', '"x"'],
    ["7", '"7"'],
    ["-0", '"-0.0"'],
    ["1.0", '"1.0"'],
    ["12.50", '"12.5"'],
    ["1e2", '"100.0"'],
    ["1e21", '"1e+21"'],
    ["0.00001", '"0.00001"'],
    ["0.000001", '"1e-6"'],
    ["228930314431312345", '"228930314431312345"'],
    ["123456789012345678901", '"123456789012345678901"'],
    ["0.30000000000000000001", '"0.30000000000000000001"'],
    ["1e400", '"1e400"'],
    ["true", refused("boolean", "string")],
    ["[]", refused("array", "string")],
  ],
  array: [
    ["[]", "[]"],
    ['"[]"', refused("string", "array")],
  ],
  object: [
    ["{}", "{}"],
    ["1", refused("integer", "object")],
  ],
  null: [
    ["null", "null"],
    ["5", refused("integer", "null")],
  ],
};

describe("coercion", () => {
  it.each(Object.entries(TABLE))("to %s takes only what loses nothing", async (type, rows) => {
    const schema = { type: "object", properties: { v: { type } } };
    const results = await transformed(
      { schema },
      rows.map(([written]) => `{"v":${written}}`),
    );
    expect(rows.map(([written], index) => [written, results[index]])).toEqual(
      rows.map(([written, result]) => [written, result.startsWith("$") ? result : `{"v":${result}}`]),
    );
  });

  it("is off with coerce: false, for each kind of value", async () => {
    const kinds = { string: '"1"', integer: "1", number: "1.5", boolean: "true", array: "[]", object: "{}" };
    for (const [type, written] of Object.entries(kinds)) {
      const others = Object.entries(kinds).filter(
        ([kind]) => kind !== type && !(type === "number" && kind === "integer"),
      );
      const schema = { type: "object", properties: { v: { type } } };
      const payloads = [written, ...others.map(([, other]) => other)].map((value) => `{"v":${value}}`);
      expect(await transformed({ schema, coerce: false }, payloads)).toEqual([
        `{"v":${written}}`,
        ...others.map(([kind]) => `$.v [type_mismatch]: expected ${type}, found ${kind}`),
      ]);
    }
  });
});
