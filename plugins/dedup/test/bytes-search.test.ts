import { expect, it } from "vitest";
import { BytesSearch } from "../src/key/bytes-search.ts";

it("finds what indexOf finds, over random texts of few letters", () => {
  let state = 7;
  const below = (limit: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  const text = (length: number): Buffer => Buffer.from(Array.from({ length }, () => 97 + below(3)));
  let found = 0;
  for (let round = 0; round < 5_000; round++) {
    const bytes = text(below(40));
    const searched = text(1 + below(5));
    const from = below(bytes.length + 1);
    const to = from + below(bytes.length - from + 1);
    const expected = bytes.subarray(from, to).includes(searched);
    if (expected) found++;
    if (new BytesSearch(searched).isIn(bytes, from, to) !== expected) {
      expect.unreachable(`${searched} in ${bytes} from ${from} to ${to}`);
    }
  }
  expect(found).toBeGreaterThan(500);
});
