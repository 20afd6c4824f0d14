import { type FieldEdit, parsePath, spliceFields } from "@mqb/json";
import { expect, test } from "vitest";

const edit = (path: string, value: string | undefined): FieldEdit => ({
  path: parsePath(path),
  value: value === undefined ? undefined : Buffer.from(value),
});
const splice = (text: string, ...edits: FieldEdit[]): string => {
  const bytes = Buffer.from(`##${text}##`);
  return spliceFields(bytes, 2, bytes.length - 2, edits).toString();
};

test.each([
  ["sets a value and leaves the rest", '{ "a" : 1.0 , "b":2 }', [edit("a", "9")], '{ "a" : 9 , "b":2 }'],
  ["adds at the end", '{"a":1}', [edit("b", '"x"')], '{"a":1,"b":"x"}'],
  ["adds to an empty object", "{ }", [edit("b", "1")], '{"b":1 }'],
  [
    "makes the objects on the way",
    '{"a":1}',
    [edit("b.c.d", "1"), edit("b.e", "2")],
    '{"a":1,"b":{"c":{"d":1},"e":2}}',
  ],
  ["replaces what is in the way", '{"a":[1]}', [edit("a.b", "1")], '{"a":{"b":1}}'],
  ["takes out the first", '{"a":1,"b":2}', [edit("a", undefined)], '{"b":2}'],
  ["takes out the last", '{"a":1 , "b":2 }', [edit("b", undefined)], '{"a":1 }'],
  ["takes out one in the middle", '{"a":1,"b":2,"c":3}', [edit("b", undefined)], '{"a":1,"c":3}'],
  ["takes out all", '{"a":1,"b":2}', [edit("a", undefined), edit("b", undefined)], "{}"],
  ["takes out all and adds", '{"a":1,"b":2}', [edit("a", undefined), edit("b", undefined), edit("c", "3")], '{"c":3}'],
  ["takes out what is not there", '{"a":1}', [edit("b.c", undefined)], '{"a":1}'],
  ["takes out of a value that is no object", '{"a":1}', [edit("a.b", undefined)], '{"a":1}'],
  ["changes the last of two with one key", '{"a":1,"a":2}', [edit("a", "3")], '{"a":1,"a":3}'],
  ["takes out both of two with one key", '{"a":1,"a":2,"b":3}', [edit("a", undefined)], '{"b":3}'],
  ["replaces the whole", ' {"a":1} ', [edit("$", "7")], " 7 "],
  ["sets inside of an array", '{"a":[{"b":1},2]}', [edit("a[0].b", "9"), edit("a[1]", "8")], '{"a":[{"b":9},8]}'],
  ["makes null of an item that is taken out", "[1,2]", [edit("[0]", undefined)], "[null,2]"],
  ["leaves a position that is not there alone", "[1]", [edit("[3]", "9")], "[1]"],
  ["finds a key with escapes", '{"\\u0061":1}', [edit("a", "2")], '{"\\u0061":2}'],
  ["does not touch a prototype", '{"a":1}', [edit("__proto__.x", "1")], '{"a":1,"__proto__":{"x":1}}'],
  [
    "keeps digits and blanks elsewhere",
    '{"n": 1.10e+1 ,"b":[ ],"a":0}',
    [edit("a", "1")],
    '{"n": 1.10e+1 ,"b":[ ],"a":1}',
  ],
  ["of two edits of one path takes the later", '{"a":1}', [edit("a", "2"), edit("a", "3")], '{"a":3}'],
])("%s", (_, text, edits, expected) => {
  expect(splice(text, ...edits)).toBe(expected);
});

test.each(['{"a":1', '{"a" 1}', '{"a":1}}', '{"a":[1,]}', "", '{"a":1,}', "{a:1}"])("refuses %j", (text) => {
  expect(() => splice(text, edit("a", "2"))).toThrow(expect.objectContaining({ code: "MQB_JSON_MALFORMED" }));
});

test("counts the offset of a fault from the beginning of the document", () => {
  expect(() => splice('{"a":}', edit("a", "1"))).toThrow(/byte 5$/);
  expect(() => splice('{"a":1}}', edit("a", "1"))).toThrow(/byte 7$/);
});

test("gives bytes of its own", () => {
  const bytes = Buffer.from('{"a":1}');
  const copy = spliceFields(bytes, 0, bytes.length, []);
  bytes.fill(0);
  expect(copy.toString()).toBe('{"a":1}');
});
