import { describe, expect, it } from "vitest";
import { add, compare, type Exact, readExact } from "../src/number/exact.ts";
import { exactText } from "../src/number/text.ts";
import { byK, results } from "./folding.ts";

const read = (text: string): Exact => readExact(text)!;
const written = (text: string): string => exactText(read(text));
const plus = (a: string, b: string): string => exactText(add(read(a), read(b)));

/** The sum of decimal texts by integers alone. */
function reference(texts: readonly string[]): bigint {
  return texts.reduce((sum, text) => {
    const [whole, fraction = ""] = text.replace("-", "").split(".");
    const value = BigInt(whole! + fraction.padEnd(12, "0"));
    return sum + (text.startsWith("-") ? -value : value);
  }, 0n);
}

describe("numbers of aggregates", () => {
  it.each([
    ["5", "5.0"],
    ["+5", "5.0"],
    [".5", "0.5"],
    ["5.", "5.0"],
    ["1e2", "100.0"],
    ["-0", "-0.0"],
    ["-0.0", "-0.0"],
    ["1.10", "1.1"],
    ["9007199254740993", "9007199254740993.0"],
    ["-9223372036854775808", "-9223372036854775808.0"],
    ["18446744073709551615", "18446744073709551615.0"],
    ["0.30000000000000004", "0.30000000000000004"],
    ["123456789012345678901234567890.123456789", "123456789012345678901234567890.123456789"],
    ["1e16", "1e+16"],
    ["0.000001", "1e-6"],
    ["1e300", "1e+300"],
  ])("%s is written %s", (text, wanted) => {
    expect(written(text)).toBe(wanted);
  });

  it.each(["", ".", "x", "1_0", "0x10", "NaN", "Infinity", "1e400", "1e", "--1", "1 2", "9".repeat(401)])(
    "%s is no number",
    (text) => {
      expect(readExact(text)).toBeUndefined();
    },
  );

  it("loses no digit in a sum", () => {
    expect(plus("0.1", "0.2")).toBe("0.3");
    expect(plus("9007199254740993", "1")).toBe("9007199254740994.0");
    expect(plus("9007199254740993", "-0.5")).toBe("9007199254740992.5");
    expect(plus("1e300", "1")).toBe(`1${"0".repeat(299)}1.0`);
    expect(plus("1.7e308", "1.7e308")).toBe(`34${"0".repeat(307)}.0`);
    expect(plus("0.1", "-0.1")).toBe("0.0");
  });

  it("gives the sum of integers for random decimals in any order", () => {
    let seed = 7;
    const random = (below: number): number => {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      return seed % below;
    };
    for (let round = 0; round < 50; round++) {
      const texts = Array.from({ length: 200 }, () => {
        const size = 10 ** random(16);
        const fraction = random(3) === 0 ? "" : `.${String(random(1e9)).slice(0, 1 + random(9))}`;
        return `${random(2) === 0 ? "-" : ""}${Math.floor(size * 1.234567)}${fraction}`;
      });
      const sum = texts.map(read).reduce(add);
      expect(reference([exactText(sum).replace(/e\+(\d+)$/, (_, n: string) => "0".repeat(Number(n)))])).toBe(
        reference(texts),
      );
    }
  });

  it("compares by value", () => {
    expect(compare(read("9007199254740993"), read("9007199254740992"))).toBeGreaterThan(0);
    expect(compare(read("0.1"), read("0.10000000000000000001"))).toBeLessThan(0);
    expect(compare(read("1.0"), read("1"))).toBe(0);
  });

  it("keeps every digit of what it sums, chooses and stores", async () => {
    const fields = { su: "sum(v)", mi: "min(v)", ma: "max(v)", la: "last(v)" };
    const values = ["9007199254740993", "0.1", "0.2", '"123456789012345678.9"'];
    const payloads = values.map((v) => `{"k":1,"v":${v}}`);
    expect(await results({ ...byK, fields }, payloads)).toEqual([
      '{"la":9007199254740993.0,"ma":9007199254740993.0,"mi":9007199254740993.0,"su":9007199254740993.0}',
      '{"la":0.1,"ma":9007199254740993.0,"mi":0.1,"su":9007199254740993.1}',
      '{"la":0.2,"ma":9007199254740993.0,"mi":0.1,"su":9007199254740993.3}',
      '{"la":123456789012345678.9,"ma":123456789012345678.9,"mi":0.1,"su":132463988267086672.2}',
    ]);
  });

  it("keeps the digits of a state that an expression computes, and shows them as the original does", async () => {
    const payloads = ["9007199254740993", "0.1", "0.1"].map((v) => `{"k":1,"v":${v}}`);
    const total = (text: string) => ({ ...byK, expression: "(state ?? 0) + v", output: text });
    expect(await results({ ...byK, expression: "(state ?? 0) + v" }, payloads)).toEqual([
      "9007199254740993",
      "9007199254740994.0",
      "9007199254740994.0",
    ]);
    expect(await results(total("string(state)"), payloads)).toEqual([
      '"9007199254740993"',
      '"9007199254740993.1"',
      '"9007199254740993.2"',
    ]);
  });
});
