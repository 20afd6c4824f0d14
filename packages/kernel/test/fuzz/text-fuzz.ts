import assert from "node:assert/strict";
import { escapeJsonStrings, type TextBatch, unescapeJsonStrings } from "../../src/json-strings.ts";
import type { Ranges } from "../../src/ranges.ts";
import type { Random } from "./random.ts";

export interface TextCounts {
  inputs: number;
  texts: number;
  refused: number;
}

const WORDS = [
  "a",
  "é",
  "漢",
  "😀",
  '"',
  "\\",
  "\n",
  "\t",
  "\x01",
  "\x1f",
  "/",
  "\u2028",
  "a clean run of more than 16",
  " ",
];
const ESCAPES = [
  '\\"',
  "\\\\",
  "\\/",
  "\\b",
  "\\n",
  "\\u00e9",
  "\\u6f22",
  "\\ud83d\\ude00",
  "\\uD83D\\uDE00",
  "\\u0000",
  "x",
];
const BROKEN = [
  "\\",
  "\\x",
  "\\u12",
  "\\u12g4",
  "\\ud83d",
  "\\ude00",
  "\\ud83d\\n",
  "\\ud83dx",
  '"',
  "\n",
  "\\ud83d\\ud83d",
];

/** Escapes and unescapes random texts lying in one buffer with random gaps, with both twins. */
export function fuzzText(random: Random, engines: readonly ("simd" | "js")[], counts: TextCounts): void {
  const texts: string[] = [];
  for (let i = random.below(12); i > 0; i--) {
    let text = "";
    for (let j = random.below(8); j > 0; j--) text += random.pick(WORDS);
    texts.push(text);
  }
  const contents = texts.map(() => {
    let content = "";
    for (let j = random.below(8); j > 0; j--) {
      content += random.chance(0.04)
        ? random.pick(BROKEN)
        : random.pick(random.chance(0.5) ? ESCAPES : ["plain", "é", "😀"]);
    }
    return content;
  });
  const illFormed = random.chance(0.1) ? random.below(texts.length) : -1;
  for (const engine of engines) {
    const plain = ranges(random, texts, illFormed);
    const escaped = escapeJsonStrings(plain, { engine });
    assert.deepEqual(escaped.refused, texts.length > 0 && illFormed >= 0 ? [illFormed] : []);
    texts.forEach((text, i) => {
      const want = i === illFormed ? "" : JSON.stringify(text).slice(1, -1);
      assert.equal(escaped.bytes.toString("utf8", escaped.starts[i], escaped.ends[i]), want);
    });
    withIds(random, plain, escaped, engine);
    const back = unescapeJsonStrings(ranges(random, contents, -1), { engine });
    const refused: number[] = [];
    contents.forEach((content, i) => {
      const want = parse(content);
      if (want === undefined) refused.push(i);
      assert.equal(back.bytes.toString("utf8", back.starts[i], back.ends[i]), want ?? "", content);
    });
    assert.deepEqual(back.refused, refused);
    counts.refused += refused.length;
  }
  counts.inputs++;
  counts.texts += texts.length;
}

/** The same texts with something around them, an id in what stands before each. */
function withIds(random: Random, plain: Ranges, escaped: TextBatch, engine: "simd" | "js"): void {
  const bytes = Buffer.from(Array.from({ length: 16 * plain.count }, () => random.below(256)));
  const margins = [
    random.pick(["", "ab"]),
    random.pick(["", "c", "a longer piece, of more than sixteen bytes"]),
  ] as const;
  const before = Buffer.from(`${margins[0]}${"?".repeat(36)}${margins[1]}`);
  const after = Buffer.from(random.pick(["", "}\n"]));
  const ids = { bytes, at: margins[0].length };
  const got = escapeJsonStrings(plain, { engine, before, after, ids, positions: false });
  const want = Array.from({ length: plain.count }, (_, i) => {
    if (escaped.refused.includes(i)) return "";
    const hex = bytes.toString("hex", 16 * i, 16 * i + 16);
    const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
    return margins[0] + id + margins[1] + escaped.bytes.toString("utf8", escaped.starts[i], escaped.ends[i]) + after;
  });
  assert.deepEqual(got.refused, escaped.refused);
  // What stands around a refused text comes out too.
  if (got.refused.length === 0) assert.equal(got.bytes.toString(), want.join(""));
}

function parse(content: string): string | undefined {
  try {
    const text: string = JSON.parse(`"${content}"`);
    return /\p{Surrogate}/u.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

/** The texts in one buffer with random gaps between them; one of them cut within a character. */
export function ranges(random: Random, texts: readonly string[], illFormed: number): Ranges {
  const starts = new Uint32Array(texts.length);
  const ends = new Uint32Array(texts.length);
  const parts: Buffer[] = [];
  let at = 0;
  texts.forEach((text, i) => {
    const gap = Buffer.from(random.pick(["", "", "\n", '",{"', "\\"]));
    const bytes = i === illFormed ? Buffer.from(`${text}\xff`, "latin1") : Buffer.from(text);
    starts[i] = at + gap.length;
    ends[i] = starts[i]! + bytes.length;
    at = ends[i]!;
    parts.push(gap, bytes);
  });
  return { bytes: Buffer.concat(parts), starts, ends, count: texts.length };
}
