import { describe, expect, it } from "vitest";
import { otherThanPositions, wholeEntries } from "../src/state/leftover.ts";

const DOCUMENT = '{\n  "orders:id": "int:3",\n  "bills:id": "a}\\n{b"\n}';

describe("what a crash leaves of a file of positions", () => {
  it.each([
    ["nothing", ""],
    ["zeros", "\0\0\0\0"],
    ["whitespace", " \r\n\t"],
    ["a long row of zeros", "\0".repeat(1_000_000)],
    ["an empty document with zeros behind it", "{}\0\0\0"],
    ["a whole one with zeros behind it", `${DOCUMENT}\0\0`],
    ["one with zeros in it", DOCUMENT.replace("int", "\0\0\0")],
  ])("is %s", (_, text) => {
    expect(otherThanPositions(text)).toBeUndefined();
  });

  it("is any beginning of it, with zeros behind it or not", () => {
    for (let length = 1; length < DOCUMENT.length; length++) {
      const text = DOCUMENT.slice(0, length);
      expect(otherThanPositions(text), text).toBeUndefined();
      expect(otherThanPositions(`${text}\0\0`), text).toBeUndefined();
    }
  });
});

describe("the whole entries of what a crash leaves", () => {
  const [first, second] = ['  "orders:id": "int:3"', '  "bills:id": "a}\\n{b"'] as const;

  it("are those whose line is there to the end, wherever it was cut off", () => {
    for (let length = 0; length <= DOCUMENT.length; length++) {
      const text = DOCUMENT.slice(0, length);
      const whole = [first, second].filter((entry) => text.includes(entry));
      expect(wholeEntries(text), text).toEqual(whole);
      expect(wholeEntries(`${text}\0\0`), text).toEqual(whole);
    }
  });

  it("are those around a line that is damaged", () => {
    expect(wholeEntries(DOCUMENT.replace("int", "\0\0\0"))).toEqual([second]);
    expect(wholeEntries("\0".repeat(100))).toEqual([]);
    expect(wholeEntries("{}")).toEqual([]);
  });
});

describe("what is something else", () => {
  it.each([
    ["lines of JSON", '{"id":1}\n{"id":2}\n', "lines"],
    ["lines of JSON, the last one cut off", '{"id":1}\n{"id', "lines"],
    ["lines of empty documents", "{}\n{}\n", "lines"],
    ["lines of JSON with zeros behind them", '{"id":1}\n{"id":2}\n\0\0', "lines"],
    ["numbers", "1\n2\n", "lines"],
    ["one line of JSON", '{"id":1}\n', "valid JSON"],
    ["one line of JSON that is cut off", '{"id":1,"na', "does not begin"],
    ["a document of another shape", '{\n  "name": 7\n}\n', "valid JSON"],
    ["a list", "[1]", "valid JSON"],
    ["a text", '"x"', "valid JSON"],
    ["several documents with indentation", '{\n  "a": 1\n}\n{\n  "a": 2\n}\n', "several"],
    ["a document with deeper indentation that is cut off", '{\n    "a": 1,', "does not begin"],
    ["a table", "a,b\n", "does not begin"],
    ["bytes behind zeros", "\0\0\0\x01ab", "does not begin"],
    ["a document behind zeros", `\0\0${DOCUMENT}`, "does not begin"],
  ])("%s", (_, text, what) => {
    expect(otherThanPositions(text)).toContain(what);
  });
});
