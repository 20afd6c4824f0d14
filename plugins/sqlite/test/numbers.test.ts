import { FieldKind } from "@mqb/json";
import { expect, it } from "vitest";
import { Cast } from "../src/cast.ts";
import { columnEncoder, tokenEncoder } from "../src/values.ts";

/** What a number is bound as in a column of a type; a cast by its text. */
function bound(type: string, text: string): unknown {
  const bytes = Buffer.from(` ${text},`);
  const value = columnEncoder({ name: "c", type, generated: false })(FieldKind.number, bytes, 1, 1 + text.length);
  return value instanceof Cast ? `${value.type} ${String(value.value)}` : value;
}

it("whole numbers are bound as integers, to the last digit", () => {
  const texts = ["0", "-0", "7", "-12", "999999999999999", "-999999999999999", "1000000000000000"];
  const most = ["9007199254740993", "9223372036854775807", "-9223372036854775808"];
  for (const text of [...texts, ...most])
    for (const type of ["INTEGER", "NUMERIC", "REAL", "BLOB", ""]) expect(bound(type, text), type).toBe(BigInt(text));
});

it("whole numbers that no integer holds stay texts, or are refused where a double would be made of them", () => {
  expect(bound("", "9223372036854775808")).toBe("9223372036854775808");
  expect(() => bound("INTEGER", "9223372036854775808")).toThrow("c");
  expect(() => bound("NUMERIC", "-9223372036854775809")).toThrow("c");
});

it("numbers with a point are bound as doubles when a double gives all their digits back", () => {
  for (const text of ["0.1", "-1.25", "123456.789012345", "99999999999999.9", "1e300", "12345678901234.56"])
    for (const type of ["NUMERIC", "REAL", ""]) expect(bound(type, text), type).toBe(Number(text));
  expect(bound("NUMERIC", "1.0")).toBe("REAL 1.0");
  expect(bound("", "0.12345678901234567891")).toBe("0.12345678901234567891");
  expect(() => bound("NUMERIC", "0.12345678901234567891")).toThrow("c");
  expect(() => bound("NUMERIC", "1e400")).toThrow("c");
  expect(bound("", "1e400")).toBe("1e400");
});

it("numbers are texts in a column of texts, as they are written", () => {
  for (const text of ["7", "1.0", "1e2", "-0"]) expect(bound("TEXT", text)).toBe(text);
});

it("a token of a statement is bound as in a column without a type", () => {
  const number = (text: string) => tokenEncoder(FieldKind.number, Buffer.from(text), 0, text.length);
  expect(["7", "9007199254740993", "0.5", "9223372036854775808"].map(number)).toEqual([
    ...[7n, 9007199254740993n, 0.5],
    "9223372036854775808",
  ]);
});
