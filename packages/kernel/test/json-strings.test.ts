import { describe, expect, it } from "vitest";
import { escapeJsonStrings, joinRanges, unescapeJsonStrings } from "../src/json-strings.ts";
import { bytes, ENGINES, texts } from "./drive.ts";

const all = (result: ReturnType<typeof escapeJsonStrings>): string[] =>
  Array.from(result.starts, (start, i) => result.bytes.toString("utf8", start, result.ends[i]));

const SAMPLES = [
  "",
  "plain",
  'quote " backslash \\ slash /',
  "\b\t\n\f\r\0\x01\x1f\x7f",
  "é 漢 😀 \u2028 \ufeff",
  "a text of more than sixteen bytes without anything special",
  '"'.repeat(40),
];

describe.each(ENGINES)("JSON strings (%s)", (engine) => {
  it("are escaped byte for byte as JSON.stringify does", () => {
    expect(all(escapeJsonStrings(texts(...SAMPLES), { engine }))).toEqual(
      SAMPLES.map((text) => JSON.stringify(text).slice(1, -1)),
    );
  });

  it("are refused alone when they are no UTF-8, also where each stands before the same bytes", () => {
    // Halves of characters at the edges, which would be whole without what stands between.
    const records = ["fine", "\xc3", "\xa9", "fine", "\xa9 and \xc3", "\xc3\xa9"].map((text) =>
      Buffer.from(text, "latin1"),
    );
    for (const terminator of [Buffer.from("\n"), Buffer.from("\r\n"), Buffer.from([0xa9]), Buffer.alloc(0)]) {
      const starts: number[] = [];
      const ends: number[] = [];
      let at = 0;
      for (const record of records) {
        starts.push(at);
        ends.push(at + record.length);
        at += record.length + terminator.length;
      }
      const ranges = {
        bytes: Buffer.concat(records.flatMap((record) => [record, terminator])),
        starts: Uint32Array.from(starts),
        ends: Uint32Array.from(ends),
        count: records.length,
      };
      expect(escapeJsonStrings({ ...ranges, terminator }, { engine }).refused).toEqual([1, 2, 4]);
      const some = { ...ranges, starts: ranges.starts.slice(2), ends: ranges.ends.slice(2), count: 4, terminator };
      expect(escapeJsonStrings(some, { engine }).refused).toEqual([0, 2]);
    }
  });

  it("are unescaped to what JSON.parse reads", () => {
    const contents = [
      ...SAMPLES.map((text) => JSON.stringify(text).slice(1, -1)),
      "\\/",
      "\\u00e9\\uD83D\\uDe00",
      "\\u0000x",
    ];
    expect(all(unescapeJsonStrings(texts(...contents), { engine }))).toEqual(
      contents.map((content) => JSON.parse(`"${content}"`) as string),
    );
  });

  it("are refused one by one when they are no content of a string", () => {
    const broken = ["\\ud800", "\\ude00x", "\\ud83d\\u0041", "\\", "\\q", "\\u12", "\\u00g0", '"', "\n"];
    const result = unescapeJsonStrings(texts(...broken.flatMap((content) => [content, "ok"])), { engine });
    expect(result.refused).toEqual(broken.map((_, i) => 2 * i));
    expect(all(result)).toEqual(broken.flatMap(() => ["", "ok"]));
  });

  it("are refused when they are not well-formed UTF-8, even if the next range would complete a character", () => {
    const pair = {
      bytes: bytes("ok\xc3\xa9"),
      starts: Uint32Array.of(0, 2, 3),
      ends: Uint32Array.of(2, 3, 4),
      count: 3,
    };
    for (const run of [escapeJsonStrings, unescapeJsonStrings]) {
      const result = run(pair, { engine });
      expect(result.refused).toEqual([1, 2]);
      expect(all(result)).toEqual(["ok", "", ""]);
    }
  });

  it("stand between what is to be written around each of them, a refused one as nothing", () => {
    const before = Buffer.from('{"a text of some length":"');
    const after = Buffer.from('","metadata":{"key":"value"}}\n');
    const ranges = texts("", 'q"', "?", "x".repeat(100));
    ranges.bytes[ranges.starts[2]!] = 0xff;
    const result = escapeJsonStrings(ranges, { engine, before, after });
    const contents = ["", 'q\\"', "", "x".repeat(100)];
    expect(result.refused).toEqual([2]);
    expect(result.bytes.toString()).toBe(contents.map((text) => `${before}${text}${after}`).join(""));
    expect(all(result)).toEqual(contents);
  });

  it("stand between it also where they are large or many", () => {
    const contents = [...Array.from({ length: 70_000 }, () => "text"), "\x01".repeat(1_000_000), "last"];
    const around = { before: Buffer.from("<".repeat(40)), after: Buffer.from(">".repeat(70)) };
    const { bytes, starts, ends } = escapeJsonStrings(texts(...contents), { engine, ...around });
    const gaps = Array.from(starts, (start, i) => start - (i === 0 ? 0 : ends[i - 1]!));
    expect(new Set(gaps)).toEqual(new Set([40, 110]));
    expect(bytes.subarray(ends.at(-2)).toString()).toBe(`${">".repeat(70)}${"<".repeat(40)}last${">".repeat(70)}`);
  });

  it("may be larger than the kernel's areas, many, and in any order", () => {
    const large = "\x01é".repeat(400_000);
    const many = Array.from({ length: 70_000 }, (_, i) => `text\t${i}`);
    const list = ["first", large, ...many];
    const escaped = escapeJsonStrings(texts(...list), { engine });
    expect(escaped.refused).toEqual([]);
    expect(all(unescapeJsonStrings(escaped, { engine })).join("\n") === list.join("\n")).toBe(true);
    const { bytes: buffer, starts, ends } = texts("a\n", "b\n", "c\n");
    const turned = { bytes: buffer, starts: starts.toReversed(), ends: ends.toReversed(), count: 3 };
    expect(all(escapeJsonStrings(turned, { engine }))).toEqual(["c\\n", "b\\n", "a\\n"]);
  });

  it("need no work when there are none", () => {
    const none = { bytes: Buffer.alloc(0), starts: new Uint32Array(0), ends: new Uint32Array(0), count: 0 };
    expect(escapeJsonStrings(none, { engine })).toMatchObject({ count: 0, refused: [] });
  });
});

describe.each(ENGINES)("ranges that are joined (%s)", (engine) => {
  it("are copied as they are, with what stands around each, in the given order", () => {
    const ranges = texts('a "b"', "", "\0\n", "x".repeat(50));
    ranges.bytes[ranges.starts[2]!] = 0xff;
    const order = Uint32Array.of(3, 2, 1, 0);
    const turned = {
      bytes: ranges.bytes,
      starts: order.map((i) => ranges.starts[i]!),
      ends: order.map((i) => ranges.ends[i]!),
      count: 4,
    };
    const { bytes, refused } = joinRanges(turned, { engine, before: Buffer.from("<"), after: Buffer.from(">\n") });
    expect(refused).toEqual([]);
    expect(bytes.toString("latin1")).toBe(`<${"x".repeat(50)}>\n<\xff\n>\n<>\n<a "b">\n`);
  });

  it("may be larger than the kernel's areas and many", () => {
    const contents = [...Array.from({ length: 70_000 }, (_, i) => `${i}`), "y".repeat(9_000_000), "last"];
    const { bytes } = joinRanges(texts(...contents), { engine, after: Buffer.from("\n") });
    expect(bytes.equals(Buffer.from(`${contents.join("\n")}\n`))).toBe(true);
  });
});
