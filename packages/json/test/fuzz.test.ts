import { expect, test } from "vitest";
import { fuzzBatches } from "./fuzz/batch-fuzz.ts";
import { fuzzJson } from "./fuzz/json-fuzz.ts";

test("finding, parsing, writing and splicing agree with JSON.parse on random documents", () => {
  const { malformed } = fuzzJson(8000, 20_261_130);
  // Both kinds must be well represented.
  expect(malformed).toBeGreaterThan(800);
  expect(malformed).toBeLessThan(4800);
}, 60_000);

test("the fields of a whole batch are those that the walk over each of its documents finds", () => {
  const { documents, malformed, tight, plain } = fuzzBatches(4000, 20_261_130);
  expect(malformed).toBeGreaterThan(documents / 20);
  expect(malformed).toBeLessThan(documents / 2);
  expect(tight).toBeGreaterThan(documents / 10);
  expect(plain).toBeGreaterThan(500);
}, 60_000);
