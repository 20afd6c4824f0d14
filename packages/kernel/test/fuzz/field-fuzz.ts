import assert from "node:assert/strict";
import { type FieldRows, FieldTable, ODD_DOCUMENT } from "../../src/field-rows.ts";
import { damaged, jsonObject } from "./json-random.ts";
import type { Random } from "./random.ts";
import { ranges } from "./text-fuzz.ts";

export interface FieldCounts {
  inputs: number;
  objects: number;
  found: number;
  odd: number;
}

const KEYS = ["a", "b", "id", "o", "a key of more than sixteen bytes", "another key of more than bytes"];
const KINDS = ["absent", "null", "true", "false", "number", "string", "object", "array"];

/**
 * Finds fields in random objects: JSON.parse says the same of each, or it is left to others for a reason. That those say the
 * same too is what the tests of @mqb/json look at.
 */
export function fuzzField(random: Random, engines: readonly ("simd" | "js")[], counts: FieldCounts): void {
  const paths = Array.from({ length: random.below(4) }, () =>
    Array.from({ length: 1 + random.below(2) }, (_, depth) => random.pick(depth === 0 ? KEYS : ["x", "y", ""])),
  );
  const numbers = paths.map((_, place) => place).filter(() => random.chance(0.5));
  const table = FieldTable.of(paths, engines.includes("simd") ? "simd" : "js", numbers);
  if (!table) return;
  const texts = Array.from({ length: random.below(9) }, () => {
    const text = jsonObject(random, KEYS, 3);
    return random.chance(0.15) ? damaged(random, text) : `${random.pick(["", " "])}${text}`;
  });
  const input = ranges(random, texts, -1);
  const rows = rowsFor(texts.length, paths.length, numbers.length);
  assert.equal(table.find(input, 0, rows), texts.length);
  for (const [index, text] of texts.entries()) {
    counts.objects++;
    const value = parse(text);
    if (rows.roots[index] === ODD_DOCUMENT) {
      // Only for what the contract names: malformed, or an escape in a key.
      assert.ok(value === undefined || /\\.[^"]*"[ \n\r\t]*:/s.test(text), text);
      counts.odd++;
      continue;
    }
    assert.notEqual(value, undefined, text);
    for (const [place, path] of paths.entries()) {
      const at = index * paths.length + place;
      const wanted = path.reduce<unknown>(
        (of, key) => (isObject(of) && Object.hasOwn(of, key) ? of[key] : undefined),
        value,
      );
      const said = JSON.stringify({ path, text });
      assert.equal(KINDS[rows.kinds[at]!], kindOf(wanted), said);
      if (wanted === undefined) continue;
      const found = input.bytes.toString("utf8", rows.starts[at], rows.ends[at]);
      assert.deepEqual(JSON.parse(found), wanted, said);
      counts.found++;
    }
    for (const [n, place] of numbers.entries()) {
      const at = index * paths.length + place;
      const known = rows.kinds[at] === 0 ? "" : input.bytes.toString("utf8", rows.starts[at], rows.ends[at]);
      const plain = /^("?)(-?\d+(?:\.\d+)?)\1$/.exec(known)?.[2];
      const wanted = plain !== undefined && plain.length <= 15 ? Number(plain) + 0 : Number.NaN;
      assert.equal(rows.numbers[index * numbers.length + n], wanted, JSON.stringify({ known, text }));
    }
  }
  counts.inputs++;
}

function rowsFor(count: number, width: number, numbers: number): FieldRows {
  const size = count * width;
  return {
    kinds: new Uint8Array(size),
    starts: new Uint32Array(size),
    ends: new Uint32Array(size),
    roots: new Uint8Array(count),
    numbers: new Float64Array(count * numbers),
  };
}

function kindOf(value: unknown): string {
  if (value === undefined) return "absent";
  if (value === null || typeof value === "boolean") return String(value);
  return Array.isArray(value) ? "array" : typeof value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
