import { describe, expect, it } from "vitest";
import { Found, Table } from "../src/table/table.ts";

/** The words of key number `n`. */
function key(n: number): Uint32Array {
  return Uint32Array.of(Math.imul(n, 0x9e3779b1), Math.imul(n, 0x85ebca6b), n, n ^ 0x5bd1e995);
}

const FOREVER = 2 ** 52;

/** Takes and accepts keys as one batch. */
function accept(table: Table, numbers: readonly number[], expiresAt = FOREVER, now = 0): number[] {
  table.tidy(now);
  const first = table.begin(numbers.length);
  let count = 0;
  const found = numbers.map((n) => {
    const result = table.reserve(key(n), now, 1);
    if (result === Found.nothing) count++;
    return result;
  });
  for (let i = 0; i < count; i++) table.accept(first + i, expiresAt);
  return found;
}

describe("the table of keys", () => {
  it("knows what is in flight, with its holder, and what was accepted", () => {
    const table = new Table();
    const first = table.begin(2);
    expect(table.reserve(key(1), 0, 7)).toBe(Found.nothing);
    expect(table.reserve(key(1), 0, 8)).toBe(Found.inFlight);
    expect([table.foundHolder, table.foundNumber]).toEqual([7, first]);
    table.accept(first, 100);
    expect(table.reserve(key(1), 99, 8)).toBe(Found.accepted);
    expect(table.reserve(key(1), 100, 8)).toBe(Found.nothing);
  });

  it("takes a released key anew", () => {
    const table = new Table();
    const first = table.begin(1);
    table.reserve(key(1), 0, 1);
    table.release(first);
    expect(table.size).toBe(0);
    expect(table.reserve(key(1), 0, 2)).toBe(Found.nothing);
  });

  it("does not grow when the same keys are released again and again", () => {
    const table = new Table();
    accept(table, [0]);
    const numbers = new Set<number>();
    for (let round = 0; round < 100_000; round++) {
      const first = table.begin(2);
      numbers.add(first);
      table.reserve(key(1 + round), 0, 1);
      table.reserve(key(1_000_000 + round), 0, 1);
      table.release(first);
      table.release(first + 1);
    }
    expect([numbers.size, table.size]).toEqual([1, 1]);
  });

  it("lets the oldest go beyond its limit, and says so", () => {
    const table = new Table(3);
    let evicted = 0;
    table.onEvicted = () => evicted++;
    accept(table, [1, 2, 3, 4]);
    table.tidy(0);
    expect([table.size, evicted]).toEqual([3, 1]);
    expect(accept(table, [2, 3, 4])).toEqual([Found.accepted, Found.accepted, Found.accepted]);
    expect(accept(table, [1])).toEqual([Found.nothing]);
  });

  it("lets go what has expired without calling it evicted", () => {
    const table = new Table(2);
    table.onEvicted = () => expect.unreachable();
    accept(table, [1, 2, 3], 10);
    table.tidy(10);
    expect(table.size).toBe(0);
  });

  it("keeps what is in flight, also beyond its limit", () => {
    const table = new Table(1);
    table.begin(3);
    for (const n of [1, 2, 3]) table.reserve(key(n), 0, 1);
    table.tidy(0);
    expect(table.size).toBe(3);
    expect(table.reserve(key(1), 0, 2)).toBe(Found.inFlight);
  });

  it("forgets the answer with its entry", () => {
    const table = new Table<string>(1);
    const first = table.begin(1);
    table.reserve(key(1), 0, 1);
    table.accept(first, FOREVER);
    table.answers.set(first, "yes");
    accept(table, [2]);
    table.tidy(0);
    expect(table.answers.size).toBe(0);
  });

  it("goes on when the numbers begin anew", () => {
    const table = new Table(5);
    const inside = table as unknown as { head: number; next: number };
    inside.head = 2 ** 32 - 20;
    inside.next = 2 ** 32 - 20;
    for (let n = 0; n < 40; n += 2) expect(accept(table, [n, n + 1])).toEqual([Found.nothing, Found.nothing]);
    expect(accept(table, [39, 38, 37])).toEqual([Found.accepted, Found.accepted, Found.accepted]);
    table.tidy(0);
    expect(table.size).toBe(5);
    expect(accept(table, [0])).toEqual([Found.nothing]);
  });

  it("gives entries in a row as the log holds them", () => {
    const table = new Table();
    const keys = Array.from({ length: 70_000 }, (_, n) => n);
    accept(table, keys, 42);
    const words = new Uint32Array(6 * 20);
    table.copyEntries(65_530, 20, words, 0);
    const expected = keys.slice(65_529, 65_549).flatMap((n) => [...key(n)]);
    expect(Array.from({ length: 20 }, (_, i) => [...words.subarray(6 * i, 6 * i + 4)]).flat()).toEqual(expected);
    expect(new Float64Array(words.buffer).filter((_, i) => i % 3 === 2)).toEqual(new Float64Array(20).fill(42));
  });

  it("loads keys from elsewhere; of two ends the later one counts", () => {
    const table = new Table();
    table.load(key(1), 10);
    table.load(key(1), 30);
    table.load(key(1), 20);
    expect(table.size).toBe(1);
    expect(table.reserve(key(1), 29, 1)).toBe(Found.accepted);
    expect(table.reserve(key(1), 30, 1)).toBe(Found.nothing);
  });
});

/** What the table does, done simply. */
class Model {
  private readonly entries = new Map<number, { expiresAt: number } | "in flight">();

  take(n: number, now: number): number {
    const entry = this.entries.get(n);
    if (entry === "in flight") return Found.inFlight;
    if (entry && entry.expiresAt > now) return Found.accepted;
    this.entries.set(n, "in flight");
    return Found.nothing;
  }

  end(n: number, expiresAt: number | undefined): void {
    if (expiresAt === undefined) this.entries.delete(n);
    else this.entries.set(n, { expiresAt });
  }
}

function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

it.each([1, 2, 3, 4])("does what a map does, over many batches in any order of their ends: seed %i", (seed) => {
  const below = random(seed);
  const table = new Table();
  const model = new Model();
  const open: { first: number; keys: number[] }[] = [];
  let now = 0;
  for (let step = 0; step < 4_000; step++) {
    now += below(3);
    table.tidy(now);
    if (open.length < 6 && below(2) === 0) {
      const size = 1 + below(40);
      const first = table.begin(size);
      const keys: number[] = [];
      for (let i = 0; i < size; i++) {
        const n = below(5_000);
        const found = table.reserve(key(n), now, open.length);
        if (found !== model.take(n, now)) expect.unreachable(`step ${step}: found ${found}`);
        if (found === Found.nothing) keys.push(n);
      }
      open.push({ first, keys });
    } else if (open.length > 0) {
      const [{ first, keys }] = open.splice(below(open.length), 1) as [{ first: number; keys: number[] }];
      const fates = keys.map(() => (below(3) === 0 ? undefined : now + 1 + below(400)));
      for (const [i, expiresAt] of fates.entries()) if (expiresAt !== undefined) table.accept(first + i, expiresAt);
      for (const [i, expiresAt] of fates.entries()) if (expiresAt === undefined) table.release(first + i);
      for (const [i, n] of keys.entries()) model.end(n, fates[i]);
    }
  }
});
