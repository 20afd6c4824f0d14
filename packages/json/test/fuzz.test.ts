import { expect, test } from "vitest";
import { fuzzJson } from "./fuzz/json-fuzz.ts";

test("finding, parsing, writing and splicing agree with JSON.parse on random documents", () => {
  const { malformed } = fuzzJson(8000, 20_261_130);
  // Both kinds must be well represented.
  expect(malformed).toBeGreaterThan(800);
  expect(malformed).toBeLessThan(4800);
}, 60_000);
