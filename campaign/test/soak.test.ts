import { describe, expect, it } from "vitest";
import { growing, type Sample, thirds } from "../src/soak/verdict.ts";

const MEBIBYTE = 1 << 20;
const steady: Sample = { rss: 100 * MEBIBYTE, heapUsed: 20 * MEBIBYTE, external: 0, handles: 12, fds: 30, cpu: 0 };
const soak = (change: (n: number) => Partial<Sample>, count = 30): Sample[] =>
  Array.from({ length: count }, (_, n) => ({ ...steady, ...change(n) }));

describe("the verdict of a soak", () => {
  it("takes what stays, and what is filled in the first third", () => {
    expect(growing(soak(() => ({})))).toEqual([]);
    expect(growing(soak((n) => ({ rss: Math.min(60 + 10 * n, 150) * MEBIBYTE })))).toEqual([]);
  });

  it("finds memory that grows a little at each restart", () => {
    expect(growing(soak((n) => ({ rss: (100 + 2 * n) * MEBIBYTE })))).toEqual([
      `rss grows: by ${38 * MEBIBYTE} in the last two thirds`,
    ]);
    expect(growing(soak((n) => ({ rss: (200 + 0.4 * n) * MEBIBYTE })))).toHaveLength(1);
  });

  it("takes what goes up and down, and what shrinks", () => {
    expect(growing(soak((n) => ({ rss: (100 + 3 * (n % 2)) * MEBIBYTE, handles: 12 + (n % 3) })))).toEqual([]);
    expect(growing(soak((n) => ({ rss: (100 - n) * MEBIBYTE })))).toEqual([]);
  });

  it("finds handles and files that are left open", () => {
    expect(growing(soak((n) => ({ handles: 12 + n, fds: 30 + n })))).toEqual([
      "handles grows: by 19 in the last two thirds",
      "fds grows: by 19 in the last two thirds",
    ]);
  });

  it("says nothing of a few samples, which is a fault", () => {
    expect(growing(soak(() => ({}), 3))).toEqual(["only 3 samples"]);
  });

  it("has the mean of each third", () => {
    expect(thirds(soak((n) => ({ fds: n }), 9)).find(({ what }) => what === "fds")?.means).toEqual([1, 4, 7]);
  });
});
