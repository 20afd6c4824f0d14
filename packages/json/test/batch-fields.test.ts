import { batchOf, Message, slabBatch } from "@mqb/core/plugin";
import { type BatchFields, compileBatchFields, FieldKind } from "@mqb/json";
import { describe, expect, it } from "vitest";

function slabOf(texts: readonly string[]) {
  const bytes = Buffer.from(texts.map((text) => `${text}\n`).join(""));
  const ends = Uint32Array.from(texts, (_, i) => Buffer.byteLength(texts.slice(0, i + 1).join("")) + i);
  return { bytes, starts: Uint32Array.from(texts, (text, i) => ends[i]! - Buffer.byteLength(text)), ends };
}

function found(fields: BatchFields, index: number): (string | undefined)[] {
  fields.at(index);
  return Array.from({ length: fields.width }, (_, path) => {
    const at = fields.base + path;
    if (fields.kinds[at] === FieldKind.absent) return undefined;
    return Buffer.from(fields.bytes.subarray(fields.starts[at], fields.ends[at])).toString();
  });
}

const TEXTS = ['{"a":1,"b":{"c":"x"}}', "[1]", '{"a":', '{"b":{"c":null},"a":2,"\\u0061":3}', '{"b":4}'];
const PATHS = [["a"], ["b", "c"]];
const EXPECTED = [
  ["1", '"x"'],
  [undefined, undefined],
  [undefined, undefined],
  ["3", "null"],
  [undefined, undefined],
];

describe.each(["auto", "js"] as const)("the fields of a batch (%s)", (engine) => {
  it("are found in a slab", () => {
    const fields = compileBatchFields(PATHS, { engine });
    fields.begin(slabBatch(slabOf(TEXTS)));
    expect(TEXTS.map((_, index) => found(fields, index))).toEqual(EXPECTED);
    expect(TEXTS.map((_, index) => fields.root(index))).toEqual([
      FieldKind.object,
      FieldKind.array,
      FieldKind.absent,
      FieldKind.object,
      FieldKind.object,
    ]);
  });

  it("are found in messages with buffers of their own", () => {
    const fields = compileBatchFields(PATHS, { engine });
    fields.begin(batchOf(TEXTS.map((text) => new Message(text))));
    expect(TEXTS.map((_, index) => found(fields, index))).toEqual(EXPECTED);
  });

  it("are those of the batch at hand, however many messages the one before had", () => {
    const fields = compileBatchFields(PATHS, { engine });
    for (const count of [5, 300, 2, 70]) {
      const texts = Array.from({ length: count }, (_, i) => `{"a":${i + count}}`);
      fields.begin(slabBatch(slabOf(texts)));
      expect(texts.map((_, index) => found(fields, index)[0])).toEqual(texts.map((_, i) => String(i + count)));
    }
  });

  it("are found in a batch that the kernel has no room for at once", () => {
    const fields = compileBatchFields(PATHS, { engine });
    const long = "y".repeat(700_000);
    const texts = ["1", `"${long}"`, "2", `"${long}${long}"`, "3", "4", "5"].map(
      (value) => `{"x":"${long.slice(0, 100)}","a":${value}}`,
    );
    fields.begin(slabBatch(slabOf(texts)));
    expect(texts.map((_, index) => found(fields, index)[0]!.length)).toEqual([1, 700_002, 1, 1_400_002, 1, 1, 1]);
  });
});

describe("a document is tight", () => {
  const tight = (text: string): boolean => {
    const fields = compileBatchFields([["a"], ["b", "c"]]);
    fields.begin(slabBatch(slabOf([text, text, text, text])));
    return fields.isTight(3);
  };

  it("when there are no blanks where paths lead and no field of theirs comes twice", () => {
    expect(tight('{"a":1,"b":{"c":2},"x":[1, 2],"x":{ }}')).toBe(true);
    expect(tight("{}")).toBe(true);
  });

  it.each([
    ' {"a":1}',
    '{"a":1} ',
    '{ "a":1}',
    '{"a" :1}',
    '{"a": 1}',
    '{"a":1 }',
    '{"a":1, "x":2}',
    '{"b":{ "c":2}}',
    "{ }",
  ])("but not %s", (text) => expect(tight(text)).toBe(false));

  it.each(['{"a":1,"a":2}', '{"b":1,"b":{"c":2}}', '{"b":{"c":2,"c":2}}', '{"a":1'])("and not %s", (text) =>
    expect(tight(text)).toBe(false),
  );
});
