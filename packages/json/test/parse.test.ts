import { canonicalJson, isJsonObject, JsonNumber, type JsonValue, jsonEquals, parseJson, writeJson } from "@mqb/json";
import { describe, expect, test } from "vitest";
import { BAD, GOOD, ILL_FORMED } from "./corpus.ts";

const parse = (text: string): JsonValue => parseJson(Buffer.from(text));

describe("parsing", () => {
  test.each(GOOD.map((text) => [text.slice(0, 40), text]))("takes %s as JSON.parse does", (_, text) => {
    expect(plain(parse(text))).toEqual(JSON.parse(text));
  });

  test.each(BAD)("refuses %j", (text) => {
    expect(() => JSON.parse(text)).toThrow();
    expect(() => parse(text)).toThrow(expect.objectContaining({ code: "MQB_JSON_MALFORMED" }));
  });

  test.each(ILL_FORMED)("refuses bytes that are not UTF-8: %j", (bytes) => {
    expect(() => parseJson(bytes)).toThrow(expect.objectContaining({ code: "MQB_JSON_ILL_FORMED_UTF8" }));
  });

  test("names the offset and no part of the text", () => {
    expect(() => parse('{"secret": tru}')).toThrow(/a value expected at byte 11$/);
  });

  test("keeps every digit", () => {
    const text = '{"id":18446744073709551615,"d":0.10,"e":1e400,"z":-0,"big":123456789012345678901234567890}';
    expect(writeJson(parse(text)).toString()).toBe(text);
  });

  test("ends at the limit of depth", () => {
    const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);
    expect(() => parseJson(Buffer.from(nested(9)), { maxDepth: 8 })).toThrow(
      expect.objectContaining({ code: "MQB_JSON_TOO_DEEP" }),
    );
    expect(parseJson(Buffer.from(nested(8)), { maxDepth: 8 })).toBeDefined();
    expect(() => parse(nested(100_000))).toThrow(expect.objectContaining({ code: "MQB_JSON_TOO_DEEP" }));
  });

  test("ends at the limit of size before it looks at the bytes", () => {
    expect(() => parseJson(Buffer.from("[1,2,3"), { maxBytes: 5 })).toThrow(
      expect.objectContaining({ code: "MQB_JSON_TOO_LARGE" }),
    );
  });

  test.each([
    ["last", '{"a":2}'],
    ["first", '{"a":1}'],
  ] as const)("of a key that is there twice the %s counts", (duplicateKeys, expected) => {
    expect(writeJson(parseJson(Buffer.from('{"a":1,"a":2}'), { duplicateKeys })).toString()).toBe(expected);
  });

  test("refuses a key that is there twice when asked to", () => {
    expect(() => parseJson(Buffer.from('{"a":1,"\\u0061":2}'), { duplicateKeys: "refuse" })).toThrow(
      expect.objectContaining({ code: "MQB_JSON_DUPLICATE_KEY" }),
    );
  });

  test("no key reaches a prototype", () => {
    const value = parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}');
    expect(isJsonObject(value) && [...value.keys()]).toEqual(["__proto__", "constructor"]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});

describe("writing", () => {
  test("verbatim keeps order and numbers", () => {
    expect(writeJson(parse('{ "b" : 1.0 , "a" : [ true , null , "x\\u0041" ] }')).toString()).toBe(
      '{"b":1.0,"a":[true,null,"xA"]}',
    );
  });

  test("a lone surrogate is written as an escape", () => {
    expect(writeJson(parse('"\\ud800"')).toString()).toBe('"\\ud800"');
  });

  test("canonically gives equal values the same bytes", () => {
    const a = parse('{"b":1.0,"a":{"y":1e2,"x":-0}}');
    const b = parse('{"a":{"x":0,"y":100},"b":1}');
    expect(canonicalJson(a).toString()).toBe('{"a":{"x":0,"y":100},"b":1}');
    expect(canonicalJson(a)).toEqual(canonicalJson(b));
    expect(jsonEquals(a, b)).toBe(true);
  });

  test.each([
    ["1", "2"],
    ["1", '"1"'],
    ["[1]", "[1,2]"],
    ["{}", "[]"],
    ['{"a":1}', '{"b":1}'],
    ["null", "false"],
    ["9007199254740992", "9007199254740993"],
  ])("%s does not equal %s", (a, b) => {
    expect(jsonEquals(parse(a), parse(b))).toBe(false);
    expect(jsonEquals(parse(b), parse(a))).toBe(false);
  });
});

/** As JSON.parse gives it, doubles and all. */
function plain(value: JsonValue): unknown {
  if (value instanceof JsonNumber) return value.toNumber();
  if (Array.isArray(value)) return value.map(plain);
  if (!isJsonObject(value)) return value;
  const members = [...value].map(([key, item]) => [JSON.stringify(key), JSON.stringify(plain(item)) ?? "null"]);
  // By text, since an assignment to __proto__ would not make a member.
  return JSON.parse(`{${members.map((pair) => pair.join(":")).join(",")}}`);
}
