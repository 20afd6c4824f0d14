import { expect, it } from "vitest";
import { Table } from "../src/table/table.ts";

/** What ten million keys in one gibibyte leave for each. */
const MOST_BYTES = 2 ** 30 / 1e7;
const BATCH = 1024;

/** The bytes of all buffers that are reachable from a value, each counted once. */
function bytesOf(value: unknown, seen = new Set<unknown>()): number {
  if (typeof value !== "object" || value === null || seen.has(value)) return 0;
  seen.add(value);
  if (ArrayBuffer.isView(value)) return bytesOf(value.buffer, seen);
  if (value instanceof ArrayBuffer) return value.byteLength;
  return Object.values(value).reduce((sum: number, one) => sum + bytesOf(one, seen), 0);
}

it("takes no more than a gibibyte for ten million keys, however full it is: no object for any of them", () => {
  const table = new Table();
  const words = new Uint32Array(4);
  const worst: number[] = [];
  const empty = bytesOf(new Table());
  for (let at = 0, look = 20_000; at < 200_000; at += BATCH) {
    const first = table.begin(BATCH);
    for (let i = at; i < at + BATCH; i++) {
      words.set([Math.imul(i, 0x9e3779b1), Math.imul(i, 0x85ebca6b), i, i ^ 0x5bd1e995]);
      table.reserve(words, 0, 1);
    }
    for (let i = 0; i < BATCH; i++) table.accept(first + i, Number.MAX_SAFE_INTEGER);
    if (at < look) continue;
    look *= 1.5;
    // What is there from the beginning counts once, not for each key.
    worst.push((bytesOf(table) - empty) / table.size);
  }
  expect(table.answers.size).toBe(0);
  expect(Math.max(...worst)).toBeLessThan(MOST_BYTES);
  expect(Math.min(...worst)).toBeGreaterThan(24);
});
