import { describe, expect, it } from "vitest";
import { ColumnMap } from "../src/sink/column-map.ts";
import { Members } from "../src/sink/members.ts";

const columns = ["id", "Value", "ab", "aB", "made"].map((name) => ({ name, type: "text", generated: name === "made" }));

function mapped(
  names: readonly string[],
  extra?: string,
): { columns: string[]; members: readonly number[]; left: string[] } {
  const { columns: found, members, unmapped } = new ColumnMap(columns, extra).of({ names });
  return { columns: found.map(({ name }) => name), members, left: unmapped.map((at) => names[at]!) };
}

describe("columns for fields", () => {
  it("are found exactly, else without regard to case, and the exact one wins", () => {
    expect(mapped(["ID", "value", "Value"])).toEqual({ columns: ["Value", "id"], members: [2, 0], left: ["value"] });
  });

  it("that differ by case only are not found loosely; generated ones never", () => {
    expect(mapped(["AB", "made"])).toEqual({ columns: [], members: [], left: ["AB", "made"] });
    expect(mapped(["aB"]).columns).toEqual(["aB"]);
  });

  it("take the last of several fields of one name", () => {
    expect(mapped(["id", "id"]).members).toEqual([1]);
  });

  it("collect what has no column, where one is named for that", () => {
    expect(mapped(["id", "x"], "Value")).toEqual({ columns: ["id", "Value"], members: [0, -1], left: ["x"] });
  });
});

describe("the members of an object", () => {
  const read = (text: string): { names: readonly string[]; values: string[] } | undefined => {
    const members = new Members();
    const bytes = Buffer.from(text);
    if (!members.read(bytes, 0, bytes.length)) return undefined;
    return {
      names: members.shape.names,
      values: members.starts.map((start, i) => bytes.toString("utf8", start, members.ends[i])),
    };
  };

  it("are found as they are written", () => {
    expect(read(' { "a" : 1.0 , "b\\u0041":{"x":[1]},"c":"}" } ')).toEqual({
      names: ["a", "bA", "c"],
      values: ["1.0", '{"x":[1]}', '"}"'],
    });
    expect(read("{}")).toEqual({ names: [], values: [] });
  });

  it.each(["", "[1]", '"a"', "{", '{"a"}', '{"a":1}x', '{"a":1,}', "{a:1}"])("are none in %s", (text) => {
    expect(read(text)).toBeUndefined();
  });

  it("of objects that are alike have one shape", () => {
    const members = new Members();
    const shapes = ['{"a":1,"b":2}', '{"a":3,"b":4}', '{"b":1,"a":2}', '{"a":5,"b":6}'].map((text) => {
      members.read(Buffer.from(text), 0, text.length);
      return members.shape;
    });
    expect(shapes[1]).toBe(shapes[0]);
    expect(shapes[2]).not.toBe(shapes[0]);
    expect(shapes[3]).toBe(shapes[0]);
  });
});
