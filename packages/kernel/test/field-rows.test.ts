import { describe, expect, it } from "vitest";
import { FIELD_FLAGS, FieldTable, ODD_DOCUMENT } from "../src/field-rows.ts";
import { texts } from "./drive.ts";

function find(paths: readonly (readonly string[])[], ...documents: readonly string[]) {
  const input = texts(...documents);
  const size = documents.length * paths.length;
  const rows = {
    kinds: new Uint8Array(size),
    starts: new Uint32Array(size),
    ends: new Uint32Array(size),
    roots: new Uint8Array(documents.length),
    numbers: new Float64Array(0),
  };
  for (let at = 0; at < documents.length; ) at += FieldTable.of(paths, "simd")!.find(input, at, rows);
  const values = Array.from(rows.kinds, (kind, at) =>
    kind === 0 ? undefined : input.bytes.toString("utf8", rows.starts[at], rows.ends[at]),
  );
  return { values, roots: [...rows.roots] };
}

function numbersOf(values: readonly string[]): number[] {
  const input = texts(...values.map((value) => `{"b":0,"a":${value}}`));
  const size = 2 * values.length;
  const rows = {
    kinds: new Uint8Array(size),
    starts: new Uint32Array(size),
    ends: new Uint32Array(size),
    roots: new Uint8Array(values.length),
    numbers: new Float64Array(values.length),
  };
  for (let at = 0; at < values.length; ) at += FieldTable.of([["b"], ["a"]], "simd", [1])!.find(input, at, rows);
  return [...rows.numbers];
}

describe("finding fields in the kernel", () => {
  it("gives the bytes of the values as they are written", () => {
    const documents = [
      '{"a":1,"b":"x\\"y"}',
      ' { "a" : [ {"b":0} ] , "b" : 1.50 }',
      '{"b":{"c":"}"},"a":2}',
      '{"b":null}',
    ];
    expect(find([["b"], ["a"]], ...documents).values).toEqual([
      ...['"x\\"y"', "1"],
      ...["1.50", '[ {"b":0} ]'],
      ...['{"c":"}"}', "2"],
      ...["null", undefined],
    ]);
  });

  it("does not confuse keys of the same beginning, length or place", () => {
    const documents = [
      '{"ab":1,"a":2}',
      '{"ac":1,"a":2}',
      '{"ab":3}',
      '{"b":1,"a":2}',
      '{"x":"ab","ab":4}',
      '{"x":{"ab":1}}',
    ];
    expect(find([["ab"]], ...documents).values).toEqual(["1", undefined, "3", undefined, "4", undefined]);
  });

  it("takes the last of a key that comes twice, with all that is in it, and says so", () => {
    const { values, roots } = find([["a", "b"]], '{"a":{"b":1},"a":{"b":2}}', '{"a":{"b":1},"a":3}', '{"a":{"b":1}}');
    expect(values).toEqual(["2", undefined, "1"]);
    expect(roots.map((root) => root & FIELD_FLAGS.repeated)).toEqual([FIELD_FLAGS.repeated, FIELD_FLAGS.repeated, 0]);
  });

  it.each([
    "",
    "{",
    '{"a":1',
    '{"a":1}}',
    '{"a":01}',
    '{"a":"\u0001"}',
    '{"a" 1}',
    '{"a":1,}',
    '{"\\u0061":1}',
    '{"a":"\\x"}',
  ])("leaves %s to others", (text) => expect(find([["a"]], text, '{"a":1}').roots[0]).toBe(ODD_DOCUMENT));

  it("reads strings of any length, and what follows an escape in them", () => {
    for (let size = 0; size < 300; size++) {
      const text = "s".repeat(size);
      expect(find([["b"]], `{"a":"${text}","b":1}`, `{"a":"${text}\\"","b":2}`, `{"a":"${text}`).values).toEqual([
        "1",
        "2",
        undefined,
      ]);
    }
  });

  it("reads plain numbers, also from strings", () => {
    const plain = [
      "0",
      "-1",
      "7.5",
      "123456789012345",
      "-1234567890.123",
      "0.1",
      "-0.30",
      "1000000000000.1",
      "99999999",
    ];
    expect(numbersOf(plain)).toEqual(plain.map(Number));
    expect(numbersOf(plain.map((text) => `"${text}"`))).toEqual(plain.map(Number));
    expect(numbersOf(['"007"', '"-0"', "-0", "0.0"])).toEqual([7, 0, 0, 0]);
    for (let whole = 1; whole <= 13; whole++) {
      const texts = Array.from({ length: 14 - whole }, (_, places) => `${"9".repeat(whole)}.${"3".repeat(places + 1)}`);
      expect(numbersOf(texts)).toEqual(texts.map(Number));
    }
  });

  it.each([
    '"1."',
    '".1"',
    '"-"',
    '""',
    '"1.2.3"',
    '"1 "',
    '"--1"',
    '"1-"',
    '"+1"',
    '"1,0"',
    "1e3",
    "1234567890.123456",
  ])("leaves %s, which is no plain number", (text) => expect(numbersOf([text])).toEqual([Number.NaN]));

  it.each(["true", "null", "[1]", "{}"])("has no number for %s", (text) => {
    expect(numbersOf([text])).toEqual([Number.NaN]);
  });

  it("does not do paths with positions, nor without SIMD", () => {
    expect(FieldTable.of([["a", 0]])).toBeUndefined();
    expect(FieldTable.of([["a"]], "js")).toBeUndefined();
    expect(FieldTable.of([["k".repeat(100_000)]])).toBeUndefined();
  });

  it("does more fields of more documents than there is room for at once in several calls", () => {
    const paths = Array.from({ length: 40 }, (_, i) => [`k${i}`]);
    const documents = Array.from({ length: 20_000 }, (_, i) => `{"k${i % 40}":${i}}`);
    const { values } = find(paths, ...documents);
    expect(values.filter((value) => value !== undefined)).toEqual(documents.map((_, i) => String(i)));
  });
});
