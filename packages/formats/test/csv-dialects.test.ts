import { describe, expect, it } from "vitest";
import { type CsvConfig, checkCsv, csvSettings, parseDelimiter } from "../src/index.ts";

describe("the csv block", () => {
  it.each([
    ["tab", 9],
    ["\\t", 9],
    ["space", 32],
    ["semicolon", 59],
    ["pipe", 124],
    ["0x1f", 31],
    [";", 59],
    ["auto", "auto"],
  ])("reads the separator %j as %s", (separator, byte) => {
    expect(checkCsv({ separator }, undefined, "input")).toEqual([]);
    expect(csvSettings({ separator }).separator).toBe(byte);
  });

  it("has the usual dialect as default, also where null is written", () => {
    const usual = { separator: 44, quote: 34, escape: undefined, header: true, columns: [] };
    expect(csvSettings(undefined)).toMatchObject(usual);
    expect(csvSettings({ separator: null, quote: null, header: null, columns: null })).toMatchObject(usual);
  });

  it.each<[string, CsvConfig, "input" | "output", string, string]>([
    ["a separator of two characters", { separator: "::" }, "input", "separator", "::"],
    ["a bad hex byte", { separator: "0xzz" }, "input", "separator", "0xzz"],
    ["a line break as separator", { separator: "\n" }, "input", "separator", "line break"],
    ["a separator that is not ASCII", { separator: "ü" }, "input", "separator", "ASCII"],
    ["a quote of two characters", { quote: "<>" }, "input", "quote", "<>"],
    ["one character for both", { separator: "'", quote: "'" }, "input", "separator", "csv.quote"],
    ["an escape without quotes", { quote: "none", escape: "\\" }, "input", "escape", "csv.quote"],
    ["no names at all", { header: false }, "input", "columns", "csv.header"],
    ["a column twice", { columns: ["id", "id"] }, "input", "columns", '"id"'],
    ["on_mismatch: fail on a source", { on_mismatch: "fail" }, "input", "on_mismatch", "sink only"],
    ["on_ragged: fail on a sink", { on_ragged: "fail" }, "output", "on_ragged", "sources only"],
    ["an escape on a sink", { escape: "\\" }, "output", "escape", "sources only"],
    ["separator: auto on a sink", { separator: "auto" }, "output", "separator", "sources only"],
  ])("refuses %s", (_, csv, side, field, text) => {
    const [finding, ...others] = checkCsv(csv, undefined, side);
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ level: "error", path: ["csv", field] });
    expect(finding!.message).toContain(text);
  });

  it.each<[CsvConfig, "input" | "output", string]>([
    [{ nested: "json" }, "input", "nested"],
    [{ on_mismatch: "warn" }, "input", "on_mismatch"],
    [{ on_ragged: "warn" }, "output", "on_ragged"],
    [{ max_field_bytes: 5 }, "output", "max_field_bytes"],
  ])("says that %j has no effect on an %s", (csv, side, field) => {
    expect(checkCsv(csv, undefined, side)).toEqual([
      expect.objectContaining({ level: "warning", path: ["csv", field], message: expect.stringContaining(field) }),
    ]);
    expect(checkCsv(csv, undefined, side === "input" ? "output" : "input")).toEqual([]);
  });

  it.each([
    [";", { separator: ";" }, "csv.separator"],
    ["'", { quote: "'" }, "csv.quote"],
    ["0x2c", {}, "csv.separator"],
  ])("refuses the delimiter %j beside %j", (delimiter, csv, field) => {
    expect(checkCsv(csv, delimiter, "input")).toEqual([
      expect.objectContaining({ path: ["delimiter"], message: expect.stringContaining(field) }),
    ]);
  });
});

describe("a delimiter", () => {
  it.each<[string | null | undefined, string | undefined]>([
    [undefined, "0a"],
    [null, "0a"],
    ["\r\n", "0d0a"],
    ["0x00", "00"],
    ["0xFF", "ff"],
    ["ü", "c3bc"],
    ["", undefined],
    ["x".repeat(17), undefined],
  ])("%j is %s", (text, hex) => {
    expect(parseDelimiter(text)?.toString("hex")).toBe(hex);
  });
});
