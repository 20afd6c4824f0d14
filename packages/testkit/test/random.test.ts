import { describe, expect, it } from "vitest";
import { integer, pick, randomFrom } from "../src/index.ts";

describe("randomFrom", () => {
  it("gives the same numbers for the same seed, and others for another one", () => {
    const list = (seed: number) => Array.from({ length: 5 }, randomFrom(seed));
    expect(list(7)).toEqual(list(7));
    expect(list(7)).not.toEqual(list(8));
    // What was found with a seed can be found again in years.
    expect(Math.round(randomFrom(1)() * 1e9)).toBe(627_073_941);
  });

  it("stays between 0 and 1 and reaches every item and every whole number", () => {
    const random = randomFrom(3);
    const numbers = Array.from({ length: 1000 }, random);
    expect(numbers.every((n) => n >= 0 && n < 1)).toBe(true);
    expect(new Set(Array.from({ length: 100 }, () => pick(random, ["a", "b", "c"]))).size).toBe(3);
    expect([...new Set(Array.from({ length: 100 }, () => integer(random, 2, 4)))].sort()).toEqual([2, 3, 4]);
  });
});
