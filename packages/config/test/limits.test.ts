import { performance } from "node:perf_hooks";
import { describe, expect, it } from "vitest";
import { loadConfiguration } from "../src/index.ts";

/** Far above what it takes, also on a busy machine, and far below what parsing everything would. */
const SOON_MS = 5000;

function load(text: string, format: "yaml" | "json" = "yaml") {
  const start = performance.now();
  const { problems } = loadConfiguration([{ name: "c", text, format }], {});
  expect(performance.now() - start).toBeLessThan(SOON_MS);
  return problems;
}

describe("a document that is an attack or an accident", () => {
  const levels = (count: number, width: number): string =>
    [
      "l0: &l0 [x]",
      ...Array.from({ length: count }, (_, i) => `l${i + 1}: &l${i + 1} [${Array(width).fill(`*l${i}`).join(",")}]`),
    ].join("\n");

  it.each([
    ["aliases of aliases", levels(9, 10)],
    ["aliases of aliases, merged", `${levels(9, 10)}\nm: {<<: [{a: *l9}, {b: *l9}]}`],
    [
      "merges of merges",
      [
        "m0: &m0 {a: 1, b: 2}",
        ...Array.from({ length: 30 }, (_, i) => `m${i + 1}: &m${i + 1} {x: {<<: *m${i}}, y: {<<: *m${i}}}`),
      ].join("\n"),
    ],
    [
      "a map merged into many",
      `a: &a {${Array.from({ length: 2000 }, (_, i) => `k${i}: 1`).join(",")}}\nb: [${Array(2000).fill("{<<: *a}").join(",")}]`,
    ],
    ["ten million characters", `a: "${"x".repeat(10_000_000)}"`],
    ["ten million brackets", "[".repeat(10_000_000)],
    ["a hundred thousand brackets", "[".repeat(100_000)],
    ["ten thousand dashes in a line", `${"- ".repeat(10_000)}x`],
    ["a million lines", "a:\n".repeat(1_000_000)],
    ["an alias of itself", "a: &a [*a]"],
    ["a merge of itself", "a: &a {<<: *a}"],
    ["a merge of what is no map", "a: {<<: [1, 2]}"],
    ["an anchor that is not there", "r: {input: *nosuch}"],
    ["an anchor that comes later", "r: {input: *later}\nx: &later {}"],
  ])("%s is refused soon", (_, text) => {
    const problems = load(text);
    expect(problems.some((problem) => problem.level === "error")).toBe(true);
    expect(problems.length).toBeLessThanOrEqual(50);
  });

  it("a map of twenty thousand keys is read soon, and its duplicates are found", () => {
    const keys = Array.from({ length: 20_000 }, (_, i) => `k${i}: v`);
    const problems = load([...keys, "k7: v"].join("\n"));
    expect(problems.filter((problem) => problem.level === "error")).toMatchObject([
      { code: "MQB_CONFIG_DUPLICATE_KEY", message: 'the key "k7" is written twice in one map, first on line 8' },
    ]);
  });

  it("ten thousand aliases of one small anchor are read soon", () => {
    expect(load(`x-a: &a 1\nx-b: [${Array(10_000).fill("*a").join(",")}]`)).toEqual([]);
  });

  it.each(['{"a": '.repeat(50_000), `[${'"a",'.repeat(100_000)}`, "9".repeat(500_000)])(
    "JSON is refused soon, too",
    (text) => {
      expect(load(text, "json").some((problem) => problem.level === "error")).toBe(true);
    },
  );
});
