import { describe, expect, it } from "vitest";
import { doubleText } from "../src/index.ts";

describe("a double as mq-bridge writes it", () => {
  it.each([
    [0, "0.0"],
    [-0, "-0.0"],
    [1, "1.0"],
    [-2.5, "-2.5"],
    [0.1 + 0.2, "0.30000000000000004"],
    [100, "100.0"],
    [9007199254740992, "9007199254740992.0"],
    [9.9e15, "9900000000000000.0"],
    [1e16, "1e+16"],
    [1.2345e20, "1.2345e+20"],
    [1e21, "1e+21"],
    [1e-5, "0.00001"],
    [0.0000099, "9.9e-6"],
    [-1e-7, "-1e-7"],
    [5e-324, "5e-324"],
    [Number.MAX_VALUE, "1.7976931348623157e+308"],
  ])("%s", (value, text) => {
    expect(doubleText(value)).toBe(text);
    expect(Object.is(Number(text), value)).toBe(true);
  });
});
