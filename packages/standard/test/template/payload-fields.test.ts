import { batchOf, Message } from "@mqb/core/plugin";
import { slabOf } from "@mqb/testkit";
import { expect, it } from "vitest";
import { PayloadFields } from "../../src/template/payload-fields.ts";

const find = (document: string | Uint8Array, path: string) => {
  const fields = new PayloadFields([path.split(".").filter((step) => step !== "")]);
  fields.look(batchOf([new Message(document)]), 0);
  return fields.text(0);
};

const MISSING = Symbol("missing");

/** What parsing the whole document and walking it gives. */
function walk(document: string, path: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(document);
  } catch {
    return MISSING;
  }
  for (const step of path.split(".").filter((one) => one !== "")) {
    const here: unknown = Array.isArray(value) && !/^\d+$/.test(step) ? undefined : value;
    const key = Array.isArray(here) ? String(Number(step)) : step;
    if (typeof here !== "object" || here === null || !Object.hasOwn(here, key)) return MISSING;
    value = (here as Record<string, unknown>)[key];
  }
  return value;
}

const DOCUMENTS = [
  '{"id":42,"name":"bob","identity":1,"i":3}',
  '{"a":{"b":{"c":"deep"}},"z":[1,[2,{"q":"x"}],"3"]}',
  '{"dup":1,"dup":{"x":2}}',
  '{"dup":{"x":2},"dup":1}',
  '{"\\u0069d":7,"esc\\"key":"v"}',
  '{"s":"tab\\t\\u0001\\ud83d\\ude00 \\/ é☃"}',
  " [ 10 , 20 ,\n 30 ] ",
  "42",
  '"bare"',
  "null",
  "true",
  "{}",
  "[]",
  '{"a":-0.5e+10,"t":false,"n":null,"":"empty"}',
];
const BROKEN = [
  "",
  " ",
  "{",
  "}",
  '{"a"}',
  '{"a":}',
  '{"a":1,}',
  '{"a":1} x',
  "{a:1}",
  "{'a':1}",
  "[1,]",
  "[1 2]",
  "01",
  "1.",
  ".5",
  "+1",
  "1e",
  "tru",
  "nul",
  "NaN",
  '"open',
  '"bad \\x"',
  '"bad \\u12"',
  '"line\nbreak"',
  '{"a":1}}',
  "[[1]",
];
const PATHS = [
  "",
  "id",
  "a",
  "a.b",
  "a.b.c",
  "z.1.1.q",
  "z.2",
  "z.01",
  "z.-1",
  "z.9",
  "dup",
  "dup.x",
  'esc"key',
  "s",
  "0",
  "2",
  "n",
  "t",
  "i.x",
  "toString",
];

it.each(DOCUMENTS)("agrees with a full parse of %s", (document) => {
  for (const path of PATHS) {
    const expected = walk(document, path);
    const found = find(document, path);
    if (expected === MISSING) expect(found, path).toBeUndefined();
    else if (expected === null) expect(found, path).toBeNull();
    else if (typeof expected === "string") expect(found, path).toBe(expected);
    else expect(JSON.parse(found!), path).toEqual(expected);
  }
});

it("changes no digit and no blank of what it finds", () => {
  const document = '{"a":[-0.5e+10, 1.50,123456789012345678901], "b": {"c" : 1E2}}';
  expect(["a.0", "a.1", "a.2", "a", "b"].map((path) => find(document, path))).toEqual([
    "-0.5e+10",
    "1.50",
    "123456789012345678901",
    "[-0.5e+10, 1.50,123456789012345678901]",
    '{"c" : 1E2}',
  ]);
});

it.each(BROKEN)("finds nothing in %j", (document) => {
  for (const path of PATHS) {
    expect(walk(document, path), path).toBe(MISSING);
    expect(find(document, path), path).toBeUndefined();
  }
});

it("finds nothing in a document with ill-formed UTF-8 in the value", () => {
  expect(find(Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d]), "a")).toBeUndefined();
});

it("refuses a document that is nested too deeply, without running out of stack", () => {
  expect(find(`${"[".repeat(100)}1${"]".repeat(100)}`, "")).toBeDefined();
  expect(find(`${"[".repeat(100_000)}1${"]".repeat(100_000)}`, "")).toBeUndefined();
});

it("finds several fields of messages that lie in one buffer, whatever was looked at before", () => {
  const fields = new PayloadFields([["a"], ["b", "0"], ["a"], []]);
  const batch = slabOf([new Message('{"a":1,"b":["x"]}'), new Message("no JSON"), new Message('{"b":{"0":"é"}}')]);
  const read = (index: number) => {
    fields.look(batch, index);
    return [0, 1, 2, 3].map((field) => fields.text(field));
  };
  expect(read(0)).toEqual(["1", "x", "1", '{"a":1,"b":["x"]}']);
  expect(read(1)).toEqual([undefined, undefined, undefined, undefined]);
  expect(read(2)).toEqual([undefined, "é", undefined, '{"b":{"0":"é"}}']);
});
