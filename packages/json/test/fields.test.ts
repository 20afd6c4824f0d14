import { compileFields, FieldKind, formatPath, numberText, parsePath, readNumber, readString } from "@mqb/json";
import { describe, expect, test } from "vitest";
import { BAD, GOOD } from "./corpus.ts";

describe("a path", () => {
  test.each([
    ["$", []],
    ["a", ["a"]],
    ["$.a", ["a"]],
    ["a.b.c", ["a", "b", "c"]],
    ["$.items[0]", ["items", 0]],
    ["items[0][12].id", ["items", 0, 12, "id"]],
    ["$[1].a", [1, "a"]],
    ["[1]", [1]],
    ["a b.ü", ["a b", "ü"]],
    ["__proto__.x", ["__proto__", "x"]],
    ["$x", ["$x"]],
  ])("%s", (text, steps) => {
    expect(parsePath(text)).toEqual(steps);
    expect(parsePath(formatPath(steps))).toEqual(steps);
  });

  test.each(["", ".", "a.", ".a", "a..b", "a[", "a[]", "a[x]", "a[-1]", "a]b", "$.", "a[0]b", "a[99999999999]"])(
    "%j is none",
    (text) => expect(() => parsePath(text)).toThrow(expect.objectContaining({ code: "MQB_JSON_PATH", kind: "config" })),
  );
});

describe("a finder", () => {
  const find = (text: string, ...paths: string[]): (string | undefined)[] => {
    const finder = compileFields(paths.map(parsePath));
    const bytes = Buffer.from(text);
    if (!finder.find(bytes, 0, bytes.length)) return ["malformed"];
    return paths.map((_, index) =>
      finder.kinds[index] === FieldKind.absent
        ? undefined
        : bytes.subarray(finder.starts[index], finder.ends[index]).toString(),
    );
  };

  test("finds values as they are written", () => {
    expect(
      find('{"a": 1.0 ,"b" :"x\\n", "c":{"d":[ 1, 2 ]}, "e":null}', "a", "b", "c", "c.d", "c.d[1]", "e", "f"),
    ).toEqual(["1.0", '"x\\n"', '{"d":[ 1, 2 ]}', "[ 1, 2 ]", "2", "null", undefined]);
  });

  test("of a key that is there twice takes the last, also when it lacks the rest of the path", () => {
    expect(find('{"a":1,"a":2}', "a")).toEqual(["2"]);
    expect(find('{"a":{"b":1},"a":{"c":2}}', "a.b", "a.c")).toEqual([undefined, "2"]);
    expect(find('{"a":{"b":1},"a":3}', "a.b", "a")).toEqual([undefined, "3"]);
  });

  test("finds a key that is written with escapes", () => {
    expect(find('{"\\u0061b":1,"a\\"":2}', "ab", 'a"')).toEqual(["1", "2"]);
  });

  test("no key reaches a prototype", () => {
    expect(find('{"a":1}', "__proto__", "constructor", "toString.name")).toEqual([undefined, undefined, undefined]);
  });

  test.each(BAD)("refuses %j, wherever the fault is", (text) => {
    expect(find(text, "a")).toEqual(["malformed"]);
    expect(find(`{"a":1,"b":${text}}`, "a")).toEqual(["malformed"]);
    expect(find(`{"b":${text},"a":1}`, "a")).toEqual(["malformed"]);
  });

  test.each(GOOD.map((text) => [text.slice(0, 40), text]))("passes over %s", (_, text) => {
    expect(find(`{"b":${text},"a":7}`, "a")).toEqual(["7"]);
    expect(find(text, "$")).toEqual([text.trim()]);
  });

  test("tells the kinds apart", () => {
    const text = '{"o":{},"a":[],"s":"","n":-1,"t":true,"f":false,"z":null}';
    const finder = compileFields(["o", "a", "s", "n", "t", "f", "z", "x"].map(parsePath));
    expect(finder.find(Buffer.from(text), 0, text.length)).toBe(true);
    expect(finder.root).toBe(FieldKind.object);
    expect([...finder.kinds]).toEqual(
      (["object", "array", "string", "number", "true", "false", "null", "absent"] as const).map(
        (kind) => FieldKind[kind],
      ),
    );
  });

  test("looks only between start and end", () => {
    const bytes = Buffer.from('{"a":1}{"a":2}{"a":3}');
    const finder = compileFields([["a"]]);
    expect(finder.find(bytes, 7, 14)).toBe(true);
    expect(numberText(bytes, finder.starts[0]!, finder.ends[0]!)).toBe("2");
    for (let end = 8; end < 14; end++) expect(finder.find(bytes, 7, end)).toBe(false);
    expect(finder.kinds[0]).toBe(FieldKind.absent);
  });

  test("gives up at the kernel's limit of depth instead of overflowing", () => {
    expect(find(`{"a":${"[".repeat(100_000)}`, "a")).toEqual(["malformed"]);
  });
});

describe("reading", () => {
  test.each(['"plain"', '"\\u00fc\\n\\\\"', '"ü😀"', '""', '"\\ud800"'])("the string %s", (text) => {
    const bytes = Buffer.from(`x${text}x`);
    expect(readString(bytes, 1, bytes.length - 1)).toBe(JSON.parse(text));
  });

  test.each(["0", "7", "123456789", "1234567890", "-5", "1.5", "1e3", "9007199254740993", "1e400"])(
    "the number %s",
    (text) => {
      expect(readNumber(Buffer.from(`,${text},`), 1, 1 + text.length)).toBe(Number(text));
    },
  );
});
