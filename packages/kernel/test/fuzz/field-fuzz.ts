import assert from "node:assert/strict";
import { FieldFinder } from "../../src/field-finder.ts";
import { damaged, jsonObject } from "./json-random.ts";
import type { Random } from "./random.ts";
import { ranges } from "./text-fuzz.ts";

export interface FieldCounts {
  inputs: number;
  objects: number;
  found: number;
  undecided: number;
}

const KEYS = ["a", "b", "id", "o", "a key of more than sixteen bytes", "another key of more than bytes"];

/** Finds one field in random objects with both twins: they agree, and where they decide, JSON.parse says the same. */
export function fuzzField(random: Random, engines: readonly ("simd" | "js")[], counts: FieldCounts): void {
  const key = random.pick(KEYS);
  const objects = Array.from({ length: random.below(6) }, () => {
    const text = jsonObject(random, KEYS, 3);
    return random.chance(0.15) ? damaged(random, text) : `${random.pick(["", " "])}${text}`;
  });
  const input = ranges(random, objects, -1);
  const results = engines.map((engine) => new FieldFinder(key, engine).find(input));
  for (const result of results) {
    assert.deepEqual(result.starts, results[0]!.starts, JSON.stringify({ key, objects }));
    assert.deepEqual(result.ends, results[0]!.ends, JSON.stringify({ key, objects }));
  }
  const { starts, ends } = results[0]!;
  objects.forEach((text, i) => {
    const value = parse(text);
    if (starts[i] === FieldFinder.UNDECIDED) {
      // Only for what the contract names: not an object, malformed, an escape in a key.
      assert.ok(value === undefined || /\\.[^"]*"[ \n\r\t]*:/s.test(text), text);
      counts.undecided++;
    } else if (value !== undefined) {
      if (starts[i] === FieldFinder.ABSENT) assert.ok(!Object.hasOwn(value, key), text);
      else if (text.split(`"${key}"`).length === 2 && !text.includes("\\u00")) {
        // The key is there once: the first is the last, which JSON.parse takes.
        const found = input.bytes.toString("utf8", starts[i], ends[i]);
        assert.deepEqual(JSON.parse(found), (value as Record<string, unknown>)[key], text);
        counts.found++;
      }
    }
  });
  counts.inputs++;
  counts.objects += objects.length;
}

function parse(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
