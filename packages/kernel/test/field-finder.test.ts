import { describe, expect, it } from "vitest";
import type { Engine } from "../src/engine.ts";
import { FieldFinder } from "../src/field-finder.ts";
import { ENGINES, texts } from "./drive.ts";

describe.each([...ENGINES, "auto" as Engine])("finding a field (%s)", (engine) => {
  const find = (key: string, ...objects: readonly string[]): (string | number)[] => {
    const input = texts(...objects);
    const { starts, ends, count } = new FieldFinder(key, engine).find(input);
    return Array.from({ length: count }, (_, i) =>
      starts[i]! >= FieldFinder.UNDECIDED ? starts[i]! : input.bytes.toString("utf8", starts[i], ends[i]),
    );
  };

  it("gives the bytes of the value as they are written", () => {
    expect(
      find(
        "b",
        '{"a":1,"b":"x\\"y"}',
        ' { "a" : [ {"b":0} ] , "b" : 1.50 }',
        '{"b":{"c":"}"},"a":2}',
        '{"b":[[],"]"]}',
        '{"b":null}',
      ),
    ).toEqual(['"x\\"y"', "1.50", '{"c":"}"}', '[[],"]"]', "null"]);
  });

  it("tells that a field is absent", () => {
    expect(find("b", "{}", '{"a":1}', '{"bb":1,"a":{"b":2}}', '{"":1}')).toEqual(
      Array.from({ length: 4 }, () => FieldFinder.ABSENT),
    );
  });

  it("leaves to the caller what is not an object, malformed, or has an escape in a key before the field", () => {
    const objects = [
      "",
      "[1]",
      "nope",
      '{"a"',
      '{"a":"x',
      '{"a":1',
      '{"\\u0062":1}',
      '{"a\\"":1,"b":2}',
      '{"a":[1,"b":2}',
    ];
    expect(find("b", ...objects)).toEqual(objects.map(() => FieldFinder.UNDECIDED));
  });

  it("takes the first of equal keys", () => {
    expect(find("b", '{"b":1,"b":2}')).toEqual(["1"]);
  });

  it("compares long keys whole", () => {
    const key = "a key that is longer than sixteen bytes";
    expect(find(key, `{"${key.slice(0, -1)}x":1,"${key}":2}`)).toEqual(["2"]);
  });

  it("goes on right when the field turns out to lie deep and the twin is changed", () => {
    const finder = new FieldFinder("late", engine);
    const object = `{"early":"${"x".repeat(200)}","nested":{"late":[1,2,{"late":3}]},"late":42}`;
    for (let round = 0; round < 3; round++) {
      const input = texts(...Array.from({ length: 50 }, () => object), `{"late":"${"y".repeat(2 << 20)}"}`, "{}");
      const { starts, ends, found } = finder.find(input);
      expect(found).toBe(51);
      expect(input.bytes.toString("utf8", starts[49], ends[49])).toBe("42");
      expect(ends[50]! - starts[50]!).toBe((2 << 20) + 2);
      expect(starts[51]).toBe(FieldFinder.ABSENT);
    }
  });
});
