import { describe, expect, it } from "vitest";
import { CHUNK_HEADROOM } from "../src/records.ts";
import { RecordSplitter, type RecordSplitterOptions } from "../src/splitter.ts";
import { bytes, ENGINES, readAll, recordsOf } from "./drive.ts";

function split(pieces: readonly string[], options: RecordSplitterOptions): string[] {
  const { slabs, fault } = readAll(new RecordSplitter(options), pieces.map(bytes));
  if (fault !== undefined) throw fault;
  return slabs.flatMap((slab) =>
    Array.from(slab.starts, (start, i) => slab.bytes.toString("latin1", start, slab.ends[i])),
  );
}

describe.each(ENGINES)("splitting records (%s)", (engine) => {
  it("keeps every record as it is by default", () => {
    expect(split(["a\r\n\nb\n \n"], { engine })).toEqual(["a\r", "", "b", " "]);
  });

  it("needs no delimiter behind the last record", () => {
    expect(split(["a\nb"], { engine })).toEqual(["a", "b"]);
    expect(split(["a"], { engine })).toEqual(["a"]);
    expect(split([""], { engine })).toEqual([]);
  });

  it("drops one CR before the delimiter and at the end of input when asked to", () => {
    expect(split(["a\r\nb\rc\r\r\n\r\nd\r"], { engine, dropCr: true })).toEqual(["a", "b\rc\r", "", "d"]);
  });

  it("passes over empty records when asked to, those of one CR with dropCr", () => {
    expect(split(["\n\na\n\n\r\nb\n\n"], { engine, skipEmpty: true })).toEqual(["a", "\r", "b"]);
    expect(split(["\n\na\n\n\r\nb\n\r"], { engine, skipEmpty: true, dropCr: true })).toEqual(["a", "b"]);
  });

  it("drops a byte-order mark at the start when asked to, also in pieces", () => {
    expect(split(["\xef\xbb\xbfa\n"], { engine, dropBom: true })).toEqual(["a"]);
    expect(split(["\xef", "\xbb", "\xbfa\n\xef\xbb\xbfb"], { engine, dropBom: true })).toEqual(["a", "\xef\xbb\xbfb"]);
    expect(split(["\xef", "\xbb"], { engine, dropBom: true })).toEqual(["\xef\xbb"]);
    expect(split(["\xef\xbb\xbfa\n"], { engine })).toEqual(["\xef\xbb\xbfa"]);
    expect(split(["\xef\xbb\xbfa\n"], { engine, dropBom: true, offset: 5 })).toEqual(["\xef\xbb\xbfa"]);
  });

  it.each(["|", "\0", "\r\n", "##", "#a#"])("splits by %j wherever the input is cut", (delimiter) => {
    const text = ["one", "two#", "a", "", "a longer record, of more than sixteen bytes", "end"].join(delimiter);
    const want = text.split(delimiter);
    for (let at = 0; at <= text.length; at++) {
      expect(split([text.slice(0, at), text.slice(at)], { engine, delimiter: bytes(delimiter) })).toEqual(want);
    }
    expect(split([...text], { engine, delimiter: bytes(delimiter) })).toEqual(want);
  });

  it("takes the first delimiter of several that overlap", () => {
    expect(split(["a###b####"], { engine, delimiter: bytes("##") })).toEqual(["a", "#b", ""]);
  });

  it("gives at most as many records as asked for", () => {
    const { slabs } = readAll(new RecordSplitter({ engine }), [bytes("x\n".repeat(25))], 10);
    expect(slabs.map((slab) => slab.count)).toEqual([10, 10, 5]);
  });

  it("finds short records after long ones, and the other way round", () => {
    const lines = [500, 3, 700, 0, 2, 400_000, 5].flatMap((length) =>
      Array.from({ length: length > 1000 ? 2 : 40 }, () => "x".repeat(length)),
    );
    const text = lines.join("\n");
    const pieces: string[] = [];
    for (let at = 0; at < text.length; at += 7001) pieces.push(text.slice(at, at + 7001));
    expect(split(pieces, { engine }).map((record) => record.length)).toEqual(lines.map((line) => line.length));
    expect(split([text], { engine }).map((record) => record.length)).toEqual(lines.map((line) => line.length));
  });

  it("finds more records in a chunk than one run of the kernel holds", () => {
    const { slabs } = readAll(
      new RecordSplitter({ engine, skipEmpty: true }),
      [bytes("x\n\n".repeat(150_000))],
      1_000_000,
    );
    expect(slabs.reduce((sum, slab) => sum + slab.count, 0)).toBe(150_000);
    expect(slabs.at(-1)!.offset).toBe(449_999);
  });
});

describe.each(ENGINES)("slabs of a splitter (%s)", (engine) => {
  it("are the chunk itself, and a record across chunks is copied", () => {
    const reader = new RecordSplitter({ engine });
    const first = bytes("a\nb\nc");
    reader.feed(first);
    expect(reader.take(10)!.bytes).toBe(first);
    expect(reader.take(10)).toBeUndefined();
    expect(reader.pending).toBe(1);
    const second = bytes("d\ne\n");
    reader.feed(second);
    const joined = reader.take(10)!;
    expect([joined.count, recordsOf(joined), joined.offset]).toEqual([1, ["cd"], 7]);
    const rest = reader.take(10)!;
    expect(rest.bytes).toBe(second);
    expect(recordsOf(rest)).toEqual(["e"]);
    expect(rest.offset).toBe(9);
  });

  it("join a record in the room before the chunk when there is some", () => {
    const reader = new RecordSplitter({ engine });
    const chunk = (text: string): [Buffer, number, number] => {
      const buffer = Buffer.alloc(CHUNK_HEADROOM + text.length);
      buffer.write(text, CHUNK_HEADROOM);
      return [buffer, CHUNK_HEADROOM, buffer.length];
    };
    reader.feed(...chunk("a\nb"));
    reader.take(10);
    expect(reader.take(10)).toBeUndefined();
    const second = chunk("c\nd\n");
    reader.feed(...second);
    const slab = reader.take(10)!;
    expect(slab.bytes).toBe(second[0]);
    expect(recordsOf(slab)).toEqual(["bc", "d"]);
    expect([slab.offsetAfter(0), slab.offset]).toEqual([5, 7]);
  });

  it("tell the offset behind each record, from which reading goes on alike", () => {
    const text = "one\r\n\r\ntwo\n\nthree\r\r\nfour";
    const options = { engine, dropCr: true, skipEmpty: true };
    const want = split([text], options);
    expect(want).toEqual(["one", "two", "three\r", "four"]);
    const offsets = readAll(new RecordSplitter(options), [bytes(text)]).slabs.flatMap((slab) =>
      Array.from(slab.starts, (_, i) => slab.offsetAfter(i)),
    );
    expect(offsets).toEqual([5, 11, 20, 24]);
    offsets.forEach((offset, i) => {
      expect(split([text.slice(offset)], { ...options, offset })).toEqual(want.slice(i + 1));
    });
  });

  it("say whether the range can be written as it is", () => {
    const slabs = (text: string, options: RecordSplitterOptions = {}) =>
      readAll(new RecordSplitter({ engine, ...options }), [bytes(text)]).slabs.map((slab) => slab.contiguous);
    expect(slabs("a\nb\n")).toEqual([true]);
    expect(slabs("a\nb")).toEqual([true, false]);
    expect(slabs("a\r\nb\r\n", { dropCr: true })).toEqual([false]);
    expect(slabs("a\r\nb\r\n", { delimiter: bytes("\r\n") })).toEqual([true]);
    expect(slabs("\n\na\nb\n\n", { skipEmpty: true })).toEqual([true]);
    expect(slabs("a\n\nb\n", { skipEmpty: true })).toEqual([false]);
  });
});

describe.each(ENGINES)("records longer than allowed (%s)", (engine) => {
  const MIB = 1024 * 1024;

  it("stop the reader by default, behind what came before", () => {
    const { slabs, fault } = readAll(new RecordSplitter({ engine, maxRecordBytes: 5 }), [
      bytes("a\n12345\n123456\nb\n"),
    ]);
    expect(slabs.flatMap(recordsOf)).toEqual(["a", "12345"]);
    expect(fault).toMatchObject({ kind: "record_too_long", offset: 8, limit: 5 });
  });

  it.each([
    ["in one chunk", ["a\n123456\nb\n"]],
    ["across chunks", ["a\n12", "34", "56\nb\n"]],
  ])("are reported and passed over with onOversize: report, %s", (_, pieces) => {
    const reader = new RecordSplitter({ engine, maxRecordBytes: 5, onOversize: "report" });
    const { slabs } = readAll(reader, pieces.map(bytes));
    expect(
      slabs.map(({ count, oversize, offset }) => ({ count, size: oversize?.size, at: oversize?.offset, offset })),
    ).toEqual([
      { count: 1, size: undefined, at: undefined, offset: 2 },
      { count: 0, size: 6, at: 2, offset: 9 },
      { count: 1, size: undefined, at: undefined, offset: 11 },
    ]);
    expect("123456".startsWith(slabs[1]!.oversize!.head.toString())).toBe(true);
  });

  it("leave the others alone, and the memory within bounds", () => {
    const line = (size: number, letter: string) => letter.repeat(size);
    const text = [line(10, "a"), line(3 * MIB, "b"), line(20 * MIB, "c"), line(10, "d"), line(9 * MIB, "e")].join("\n");
    const input = bytes(text);
    const reader = new RecordSplitter({ engine, maxRecordBytes: 8 * MIB, onOversize: "report" });
    const got: string[] = [];
    let most = 0;
    const take = (): void => {
      for (let slab = reader.take(100); slab !== undefined; slab = reader.take(100)) {
        for (let i = 0; i < slab.count; i++)
          got.push(`${slab.bytes[slab.starts[i]!]} ${slab.ends[i]! - slab.starts[i]!}`);
        if (slab.oversize) got.push(`${slab.oversize.head.length} of ${slab.oversize.size} at ${slab.oversize.offset}`);
      }
      most = Math.max(most, reader.pending);
    };
    for (let at = 0; at < input.length; at += MIB) {
      reader.feed(Buffer.from(input.subarray(at, at + MIB)));
      take();
    }
    reader.end();
    take();
    expect(got).toEqual([
      "97 10",
      `98 ${3 * MIB}`,
      `1024 of ${20 * MIB} at ${3 * MIB + 12}`,
      "100 10",
      `1024 of ${9 * MIB} at ${23 * MIB + 24}`,
    ]);
    expect(most).toBeLessThanOrEqual(9 * MIB);
    expect(reader.offset).toBe(input.length);
  });
});

describe("a splitter", () => {
  it("refuses a chunk before the last one is used up, and settings that make no sense", () => {
    const reader = new RecordSplitter();
    reader.feed(bytes("a\n"));
    expect(() => reader.feed(bytes("b\n"))).toThrow(TypeError);
    expect(() => new RecordSplitter({ delimiter: bytes("") })).toThrow(RangeError);
    expect(() => new RecordSplitter({ delimiter: bytes("x".repeat(17)) })).toThrow(RangeError);
    expect(() => new RecordSplitter({ maxRecordBytes: 0 })).toThrow(RangeError);
  });
});
