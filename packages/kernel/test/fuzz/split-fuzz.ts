import assert from "node:assert/strict";
import { RecordSplitter, type RecordSplitterOptions } from "../../src/splitter.ts";
import type { Arenas } from "./arenas.ts";
import { cut } from "./csv-fuzz.ts";
import type { Random } from "./random.ts";

export interface SplitCounts {
  inputs: number;
  records: number;
  oversize: number;
}

const DELIMITERS = ["\n", "\n", "\n", "|", "\0", "\r\n", "##", "#a#", "\r\r"];
const WORDS = [
  "a",
  "bc",
  "0123456789abcdef",
  "\r",
  "\r",
  "#",
  "#a",
  "é",
  "some longer text to go over sixteen bytes",
  "",
  "\n",
  "|",
].map((word) => Buffer.from(word).toString("latin1"));

/** Splits one random input in random pieces with both twins and compares all that they say with the reference. */
export function fuzzSplit(random: Random, arenas: Arenas, counts: SplitCounts): void {
  const delimiter = random.pick(DELIMITERS);
  const settings = {
    dropCr: random.chance(0.5),
    skipEmpty: random.chance(0.5),
    dropBom: random.chance(0.5),
    maxRecordBytes: random.pick([1, 20, 1000, 1000]),
  };
  let text = random.chance(0.2) ? "\xef\xbb\xbf" : random.chance(0.1) ? "\xef\xbb" : "";
  for (let i = random.below(40); i > 0; i--) text += random.chance(0.4) ? delimiter : random.pick(WORDS);
  const bytes = Buffer.from(text, "latin1");
  const want = reference(text, delimiter, settings);
  const options: RecordSplitterOptions = {
    ...settings,
    delimiter: Buffer.from(delimiter, "latin1"),
    onOversize: "report",
  };
  const pieces = cut(random, bytes);
  const headroom = random.pick([0, 1, 5, 100]);
  for (const simd of arenas.hasSimd ? [true, false] : [false]) {
    try {
      const got = split(new RecordSplitter(options, arenas.small(simd, random)), random, pieces, headroom, delimiter);
      assert.equal(got.join("\f"), want.join("\f"));
    } catch (error) {
      const input = { simd, delimiter, settings, headroom, pieces: pieces.map((piece) => piece.toString("latin1")) };
      throw new Error(`Differs from the reference: ${JSON.stringify(input)}`, { cause: error });
    }
  }
  counts.inputs++;
  counts.records += want.filter((event) => event.startsWith("record")).length;
  counts.oversize += want.filter((event) => event.startsWith("oversize")).length;
}

/** What a reader says, in order: records with the offset behind each, and records that were let go. */
function found(record: string, after: number): string {
  return `record ${record} before ${after}`;
}

function letGo(offset: number, size: number): string {
  return `oversize ${size} at ${offset}`;
}

function reference(
  text: string,
  delimiter: string,
  settings: { dropCr: boolean; skipEmpty: boolean; dropBom: boolean; maxRecordBytes: number },
): string[] {
  const events: string[] = [];
  let at = settings.dropBom && text.startsWith("\xef\xbb\xbf") ? 3 : 0;
  while (at < text.length) {
    const next = text.indexOf(delimiter, at);
    const end = next < 0 ? text.length : next;
    const after = next < 0 ? text.length : next + delimiter.length;
    if (end - at > settings.maxRecordBytes) events.push(letGo(at, end - at));
    else {
      const dropped = settings.dropCr && end > at && text[end - 1] === "\r" ? 1 : 0;
      const record = text.slice(at, end - dropped);
      if (record !== "" || !settings.skipEmpty) events.push(found(record, after));
    }
    at = after;
  }
  return events;
}

function split(
  reader: RecordSplitter,
  random: Random,
  pieces: readonly Buffer[],
  headroom: number,
  delimiter: string,
): string[] {
  const bytes = Buffer.concat(pieces);
  const events: string[] = [];
  const max = random.pick([1, 2, 1000]);
  const take = (): void => {
    for (let slab = reader.take(max); slab !== undefined; slab = reader.take(max)) {
      assert.equal(slab.offset, reader.offset);
      if (slab.oversize !== undefined) {
        assert.equal(slab.count, 0);
        const { offset, head } = slab.oversize;
        assert.ok(head.length > 0 && head.length <= Math.min(1024, slab.oversize.size));
        assert.ok(head.equals(bytes.subarray(offset, offset + head.length)));
        events.push(letGo(offset, slab.oversize.size));
        continue;
      }
      assert.ok(slab.count > 0 && slab.count <= max);
      for (let i = 0; i < slab.count; i++) {
        events.push(found(slab.bytes.toString("latin1", slab.starts[i], slab.ends[i]), slab.offsetAfter(i)));
        const behind = slab.bytes.subarray(slab.ends[i], slab.ends[i]! + slab.terminator.length);
        if (slab.contiguous) assert.ok(behind.equals(slab.terminator));
        if (slab.contiguous && i > 0) assert.equal(slab.starts[i], slab.ends[i - 1]! + slab.terminator.length);
      }
      assert.equal(slab.offset, slab.offsetAfter(slab.count - 1));
    }
  };
  for (const piece of pieces) {
    // What lies around the piece looks like delimiters.
    const chunk = Buffer.alloc(headroom + piece.length + 3, delimiter, "latin1");
    piece.copy(chunk, headroom);
    reader.feed(chunk, headroom, headroom + piece.length);
    take();
  }
  reader.end();
  take();
  assert.equal(reader.pending, 0);
  return events;
}
