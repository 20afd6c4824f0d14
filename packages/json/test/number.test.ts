import { JsonNumber } from "@mqb/json";
import { describe, expect, test } from "vitest";

const number = (text: string): JsonNumber => new JsonNumber(text);

describe("a JSON number", () => {
  test.each(["0", "-0", "1.0", "1e400", "-1.5E-7", "18446744073709551615", "1".repeat(5000), "0.10"])(
    "keeps its text: %s",
    (text) => expect(number(text).text).toBe(text),
  );

  test.each(["", "01", "+1", "1.", ".5", "1e", "NaN", "Infinity", "0x1", "1 ", "--1", "1_000"])(
    "is not made of %j",
    (text) => expect(() => number(text)).toThrow(TypeError),
  );

  test.each([
    ["9007199254740992", "9007199254740993", -1],
    ["18446744073709551615", "18446744073709551614", 1],
    ["-1", "1", -1],
    ["-2", "-1", -1],
    ["0", "-0", 0],
    ["1.0", "1", 0],
    ["100", "1e2", 0],
    ["0.1", "0.10000000000000000000000001", -1],
    ["1e400", "1e401", -1],
    ["1e99999999999999999999", "9e99999999999999999998", 1],
    ["-1e400", "-1e401", 1],
    ["1e-400", "0", 1],
    ["123", "13", 1],
    ["0.9", "0.89", 1],
    ["0e99", "0", 0],
  ])("compares exactly: %s with %s", (a, b, expected) => {
    expect(Math.sign(number(a).compare(number(b)))).toBe(expected);
    expect(Math.sign(number(b).compare(number(a)))).toBe(-expected + 0);
    expect(number(a).equals(number(b))).toBe(expected === 0);
  });

  test.each([
    ["1.0", "1"],
    ["-0", "0"],
    ["0e5", "0"],
    ["1e2", "100"],
    ["1.50e1", "15"],
    ["0.10", "0.1"],
    ["123.456e1", "1234.56"],
    ["1e-6", "0.000001"],
    ["1e-7", "1e-7"],
    ["12e-9", "1.2e-8"],
    ["1e39", `1${"0".repeat(39)}`],
    ["1e40", "1e40"],
    ["12345e400", "1.2345e404"],
    ["-1e400", "-1e400"],
  ])("writes %s canonically as %s", (text, canonical) => {
    expect(number(text).canonical()).toBe(canonical);
    expect(number(canonical).equals(number(text))).toBe(true);
    expect(number(canonical).canonical()).toBe(canonical);
  });

  test.each([
    ["1.0", 1n],
    ["1e3", 1000n],
    ["-12", -12n],
    ["18446744073709551616", 18446744073709551616n],
    ["1.5", undefined],
    ["1e-1", undefined],
    ["1e20000", undefined],
    ["0e20000", 0n],
  ])("%s as an integer is %s", (text, value) => {
    expect(number(text).toBigInt()).toBe(value);
    if (value !== undefined) expect(number(text).isInteger()).toBe(true);
  });

  test("is made of doubles and integers", () => {
    expect([-0, 1.5, 1e300, 5e-324, 2n ** 70n].map((value) => JsonNumber.of(value).text)).toEqual([
      "-0",
      "1.5",
      "1e300",
      "5e-324",
      "1180591620717411303424",
    ]);
    expect(() => JsonNumber.of(Number.NaN)).toThrow(TypeError);
  });

  test("with an exponent of many digits costs nothing to compare", () => {
    const huge = number(`1e${"9".repeat(1000)}`);
    expect(huge.compare(number("2"))).toBeGreaterThan(0);
    expect(huge.isInteger()).toBe(true);
    expect(huge.toBigInt()).toBeUndefined();
  });
});
