import { describe, expect, it } from "vitest";
import { compactJson, rewriteJson } from "../src/json/compact.ts";

describe("JSON that is written again", () => {
  it.each([
    ['{ "a" : [ 1 , 2 ] }', '{"a":[1,2]}'],
    ["12.50", "12.5"],
    ["1E2", "100.0"],
    ["1e21", "1e21"],
    ["1.5E+300", "1.5e300"],
    ["0.00001", "0.00001"],
    ["1e-7", "1e-7"],
    ["-0.0", "-0.0"],
    ["0.0", "0.0"],
    ["1234567890123456.0", "1234567890123456.0"],
    ["12345678901234567890123", "12345678901234567890123"],
    ["0.1000000000000000055511151231257827", "0.1000000000000000055511151231257827"],
    ["1e999", "1e999"],
    ['"\\u00fc\\/ \\n"', '"ü/ \\n"'],
    ["true", "true"],
  ])("%s becomes %s", (json, expected) => {
    expect(rewriteJson(Buffer.from(json))).toBe(expected);
  });

  it("is refused where a string holds half a surrogate pair", () => {
    expect(rewriteJson(Buffer.from('["\\udc00"]'))).toBeUndefined();
  });

  it("only loses its white space when it is made compact", () => {
    expect(compactJson(Buffer.from('{\n "a b" : "\\u00fc x" ,\t"n": 1.50 }')).toString()).toBe(
      '{"a b":"\\u00fc x","n":1.50}',
    );
  });
});
