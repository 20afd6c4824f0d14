import assert from "node:assert/strict";
import { JsonToCsv } from "../../src/json-to-csv.ts";
import { damaged, jsonObject, jsonValue, orderlyObject } from "./json-random.ts";
import type { Random } from "./random.ts";
import { type ReferenceRows, referenceRow } from "./rows-reference.ts";
import { ranges } from "./text-fuzz.ts";

export interface RowsCounts {
  inputs: number;
  rows: number;
  refused: number;
}

const COLUMNS = [
  ["a"],
  ["a", "b", "c"],
  ["a.x", "o.x", "o.y", "id"],
  ["id", "o.x", "o.y", "o", "n.x", 'k"q', "é", ""],
  ["a.x", "a", "b.z.w", "c"],
];
const KEYS = ["a", "b", "c", "id", "o", "n", "a.x", "o.x", 'k"q', "é", "", "a key of more than sixteen bytes"];

/** Encodes random objects with both twins and compares rows and reasons with the reference. */
export function fuzzRows(random: Random, engines: readonly ("simd" | "js")[], counts: RowsCounts): void {
  const options: ReferenceRows = {
    columns: random.pick(COLUMNS),
    separator: random.pick([",", ",", ";", "\t"]),
    quote: random.pick(['"', '"', '"', '"', "'", "'", undefined]),
    delimiter: random.pick(["\n", "\n", "\r\n", "##", "|", "#a#"]),
    nested: random.pick(["flatten", "json"]),
    mismatch: random.pick(["write", "write", "write", "refuse"]),
  };
  const exact = random.chance(0.3);
  const objects = Array.from({ length: random.below(6) }, () => {
    if (random.chance(0.05)) return random.pick([jsonValue(random, 1), "", " ", "{", "{}", "{ }", '{"a":"\\ud800"}']);
    const text =
      exact && random.chance(0.6)
        ? orderlyObject(random, options.columns)
        : jsonObject(random, exact ? options.columns : KEYS, 3);
    return random.chance(0.1)
      ? damaged(random, text)
      : `${random.pick(["", "", " \n"])}${text}${random.pick(["", "", "\r\n"])}`;
  });
  const want = objects.map((text) => referenceRow(text, options));
  for (const engine of engines) {
    const settings = {
      columns: options.columns,
      separator: options.separator.charCodeAt(0),
      quote: options.quote === undefined ? null : options.quote.charCodeAt(0),
      delimiter: Buffer.from(options.delimiter),
      nested: options.nested,
      mismatch: options.mismatch,
      engine,
    };
    const encoder = new JsonToCsv(settings);
    const input = ranges(random, objects, -1);
    const got = encoder.encode(input);
    const outcomes: ({ row: string } | { reason: string })[] = [];
    for (let i = 0, row = 0, refused = 0; i < objects.length; i++) {
      const refusal = got.refused[refused];
      if (refusal?.index === i) {
        // Of two faults the first that was met counts.
        const both = "reason" in want[i]! && objects[i]!.includes("\\ud800");
        outcomes.push(both ? want[i]! : { reason: refusal.reason });
        refused++;
      } else {
        assert.equal(got.records?.[row] ?? i, i);
        outcomes.push({ row: got.bytes.toString("utf8", got.starts[row], got.ends[row]) });
        row++;
      }
    }
    try {
      assert.deepEqual(outcomes, want);
    } catch (error) {
      throw new Error(`Differs from the reference: ${JSON.stringify({ engine, options, objects })}`, { cause: error });
    }
    const whole = want.map((outcome) => ("row" in outcome ? outcome.row + options.delimiter : "")).join("");
    assert.equal(got.bytes.toString(), whole);
    const bare = new JsonToCsv({ ...settings, positions: false }).encode(input);
    assert.deepEqual([bare.bytes, bare.count, bare.refused], [got.bytes, got.count, got.refused]);
  }
  counts.inputs++;
  counts.refused += want.filter((outcome) => "reason" in outcome).length;
  counts.rows += want.filter((outcome) => "row" in outcome).length;
}
