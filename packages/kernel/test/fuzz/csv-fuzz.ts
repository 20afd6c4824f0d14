import assert from "node:assert/strict";
import { CsvToJson, type CsvToJsonOptions } from "../../src/csv-to-json.ts";
import { isRecordFault, type RecordFault } from "../../src/records.ts";
import type { Arenas } from "./arenas.ts";
import { type ReferenceCsv, type ReferenceResult, referenceCsv } from "./csv-reference.ts";
import type { Random } from "./random.ts";

export interface CsvCounts {
  inputs: number;
  records: number;
  ragged: number;
  repaired: number;
  unterminated: number;
  tooLong: number;
}

const COLUMNS = [
  ["id"],
  ["a", "b"],
  ["id", "customer", "email"],
  ['k"q', "a very long name of a column, longer than sixteen bytes", "é", "\\", "__proto__"],
  ["a", "b", "c", "d", "e", "f", "g"],
];
const WORDS = [
  "a",
  "bc",
  "x",
  "1",
  "2.5",
  "é",
  "漢",
  "😀",
  " ",
  "\t",
  "\x01",
  "\x1f",
  "\x7f",
  "\\",
  "\u2028",
  "\b",
  "\f",
  "\0",
]
  .concat(["hello world, this is a long clean run of text to pass", "0123456789abcdef", "#", "|", ";"])
  .map((word) => Buffer.from(word).toString("latin1"));
/** Sequences that are not UTF-8: cut short, overlong, a surrogate, beyond the end, a lone continuation. */
const BROKEN = [
  "\xff",
  "\xc3",
  "\xe4\xb8",
  "\xf0\x9f\x98",
  "\xc0\xaf",
  "\xed\xa0\x80",
  "\xf5\x80\x80\x80",
  "\x80",
  "\xff".repeat(70),
];

/** Converts one random input in random pieces with both twins and compares all that they say with the reference. */
export function fuzzCsv(random: Random, arenas: Arenas, counts: CsvCounts): void {
  const reference = dialect(random);
  const broken = random.chance(0.2);
  const bytes = Buffer.from(text(random, reference, broken), "latin1");
  const want = referenceCsv(bytes, reference);
  const listRagged = random.chance(0.5);
  const options: CsvToJsonOptions = {
    separator: reference.separator.charCodeAt(0),
    quote: reference.quote === undefined ? null : reference.quote.charCodeAt(0),
    delimiter: Buffer.from(reference.delimiter, "latin1"),
    header: reference.header,
    shortRows: reference.short,
    listRagged,
    maxFieldBytes: reference.maxField,
    maxRecordBytes: reference.maxRecord,
    ...(reference.escape === undefined ? {} : { escape: reference.escape.charCodeAt(0) }),
    ...(reference.columns === undefined ? {} : { columns: reference.columns }),
  };
  const pieces = cut(random, bytes);
  for (const simd of arenas.hasSimd ? [true, false] : [false]) {
    const arena = random.chance(0.6) ? arenas.small(simd, random) : arenas.get(simd, {});
    try {
      const got = convert(new CsvToJson(options, arena), random, pieces, listRagged);
      compare(got, want, bytes, listRagged);
    } catch (error) {
      const input = { simd, reference, listRagged, pieces: pieces.map((piece) => piece.toString("latin1")) };
      throw new Error(`Differs from the reference: ${JSON.stringify(input)}`, { cause: error });
    }
  }
  counts.inputs++;
  counts.records += want.records.length;
  counts.ragged += want.records.filter((record) => record.fields !== want.columns!.length).length;
  if (broken) counts.repaired++;
  if (want.openQuote !== undefined) counts.unterminated++;
  if (want.tooLong !== undefined) counts.tooLong++;
}

function compare(got: ReturnType<typeof convert>, want: ReferenceResult, bytes: Buffer, listRagged: boolean): void {
  assert.equal(got.json.join("\n"), want.records.map((record) => record.json).join("\n"));
  assert.equal(got.after.join(), want.records.map((record) => record.after).join());
  if (want.tooLong !== undefined) {
    // Which limit is noticed first depends on where the input was cut, and so does an open quote just above a limit.
    const { start, fields, record, open } = want.tooLong;
    const faults = fields.map((offset) => `field_too_long ${offset}`);
    if (record) faults.push(`record_too_long ${start}`);
    if (open !== undefined) faults.push(`unterminated_quote ${open}`);
    assert.ok(faults.includes(`${got.fault?.kind} ${got.fault?.offset}`), faults.join());
  } else {
    assert.equal(got.fault?.kind, want.openQuote === undefined ? undefined : "unterminated_quote");
    assert.equal(got.fault?.offset, want.openQuote);
  }
  if (got.fault !== undefined) assert.equal(got.fault.line, lineOf(bytes, got.fault.offset));
  const columns = want.columns?.length ?? 0;
  const ragged = want.records.filter((record) => record.fields !== columns);
  const short = ragged.filter((record) => record.fields < columns).length;
  assert.equal(got.short, short);
  assert.equal(got.long, ragged.length - short);
  if (!listRagged) return;
  const rows = ragged.map(({ start, fields, raw, line }) => ({
    offset: start,
    fields,
    raw: raw.toString("latin1"),
    line,
  }));
  assert.deepEqual(got.ragged, rows);
}

function lineOf(bytes: Buffer, offset: number): number {
  return bytes.toString("latin1", 0, offset).split("\n").length;
}

function convert(reader: CsvToJson, random: Random, pieces: readonly Buffer[], listRagged: boolean) {
  const json: string[] = [];
  const after: number[] = [];
  const ragged: { offset: number; fields: number; raw: string; line: number | undefined }[] = [];
  let short = 0;
  let long = 0;
  let fault: RecordFault | undefined;
  const max = random.pick([1, 2, 3, 1000]);
  const take = (): void => {
    for (let slab = reader.take(max); slab !== undefined; slab = reader.take(max)) {
      assert.ok(slab.count > 0 && slab.count <= max && slab.contiguous);
      let at = 0;
      for (let i = 0; i < slab.count; i++) {
        assert.equal(slab.starts[i], at);
        json.push(slab.bytes.toString("utf8", slab.starts[i], slab.ends[i]));
        at = slab.ends[i]! + 1;
        assert.equal(slab.bytes[at - 1], 10);
        after.push(slab.offsetAfter(i));
      }
      assert.equal(at, slab.bytes.length);
      assert.equal(slab.offset, after.at(-1));
      if (listRagged) assert.equal(slab.ragged.length, slab.short + slab.long);
      short += slab.short;
      long += slab.long;
      for (const row of slab.ragged) {
        ragged.push({ offset: row.offset, fields: row.fields, raw: row.raw.toString("latin1"), line: row.line });
        assert.ok(row.index < slab.count && slab.offsetAfter(row.index) > row.offset);
      }
    }
  };
  try {
    for (const piece of pieces) {
      reader.feed(Buffer.from(piece));
      take();
    }
    reader.end();
    take();
    assert.equal(reader.pending, 0);
  } catch (error) {
    if (!isRecordFault(error)) throw error;
    fault = error;
    assert.throws(
      () => reader.take(1),
      (again) => again === error,
    );
  }
  return { json, after, ragged, short, long, fault };
}

/** Pieces of random sizes, often a byte or two. */
export function cut(random: Random, bytes: Buffer): Buffer[] {
  const pieces: Buffer[] = [];
  const most = random.pick([2, 5, 80, 1000]);
  for (let at = 0; at < bytes.length; ) {
    const size = 1 + random.below(most);
    pieces.push(bytes.subarray(at, at + size));
    at += size;
  }
  return pieces;
}

function dialect(random: Random): ReferenceCsv {
  const limited = random.chance(0.1);
  const usual = random.chance(0.4);
  const quote = usual || random.chance(0.6) ? '"' : random.pick(["'", undefined]);
  const header = random.chance(0.5);
  return {
    separator: usual ? "," : random.pick([",", ";", "\t", "|", "\x1f", " "]),
    quote,
    escape: usual || quote === undefined ? undefined : random.pick([undefined, "\\", "%"]),
    delimiter: usual ? "\n" : random.pick(["\n", "\n", "\r\n", "##", "\0", "#a#", "\x1e"]),
    header,
    columns: header && random.chance(0.7) ? undefined : random.pick(COLUMNS),
    short: random.chance(0.5) ? "empty" : "omit",
    maxField: limited ? random.pick([10, 40]) : 100_000,
    maxRecord: limited ? random.pick([20, 100]) : 100_000,
  };
}

function text(random: Random, dialect: ReferenceCsv, broken: boolean): string {
  const { separator, delimiter } = dialect;
  const quote = dialect.quote ?? '"';
  const word = (): string => (broken && random.chance(0.2) ? random.pick(BROKEN) : random.pick(WORDS));
  const mode = random.below(3);
  let text = random.chance(0.1) ? "\xef\xbb\xbf" : "";
  for (let i = random.below(mode === 2 ? 60 : 25); i > 0; i--) {
    const roll = random.next();
    if (mode === 1) {
      let field = "";
      for (let j = random.below(6); j > 0; j--) {
        field += random.chance(0.5) ? word() : random.pick([quote, "\n", separator, "\r\n", delimiter]);
      }
      text += random.chance(0.6) ? quote + field.replaceAll(quote, quote + quote) + quote : word();
      text += random.chance(0.3) ? random.pick([delimiter, "\r\n"]) : separator;
    } else if (roll < (mode === 0 ? 0.2 : 0.04)) text += quote;
    else if (roll < (mode === 0 ? 0.45 : 0.15)) text += separator;
    else if (roll < (mode === 0 ? 0.6 : 0.2)) text += delimiter;
    else if (roll < (mode === 0 ? 0.75 : 0.25))
      text += random.pick(["\r", "\n", "\r\n", delimiter[0]!, dialect.escape ?? "\\"]);
    else text += word();
  }
  return text;
}
