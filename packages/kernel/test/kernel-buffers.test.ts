import { afterEach, describe, expect, it } from "vitest";
import { FieldTable } from "../src/field-rows.ts";
import { escapeJsonStrings, joinRanges } from "../src/json-strings.ts";
import { giveBackKernelBuffer, isKernelBuffer, takeKernelBuffer } from "../src/kernel-buffers.ts";
import { CHUNK_SIZE } from "../src/layout.ts";
import type { Ranges } from "../src/ranges.ts";
import { RecordSplitter } from "../src/splitter.ts";
import { recordsOf } from "./drive.ts";

const HEADROOM = 16 * 1024;
const taken: Buffer[] = [];
function take(): Buffer | undefined {
  const bytes = takeKernelBuffer(CHUNK_SIZE);
  if (bytes) taken.push(bytes);
  return bytes;
}
function takeAll(): Buffer[] {
  const from = taken.length;
  while (take());
  return taken.slice(from);
}

afterEach(() => {
  for (const bytes of taken.splice(0)) giveBackKernelBuffer(bytes);
});

describe("kernel buffers", () => {
  it("are lent to one at a time, and again when they are given back", () => {
    const all = takeAll();
    expect(all.length).toBeGreaterThan(2);
    expect(new Set(all.map(({ byteOffset }) => byteOffset)).size).toBe(all.length);
    for (const bytes of all) expect([bytes.length, isKernelBuffer(bytes)]).toEqual([CHUNK_SIZE, true]);
    giveBackKernelBuffer(all[1]!);
    giveBackKernelBuffer(all[1]!);
    expect(take()!.byteOffset).toBe(all[1]!.byteOffset);
    expect(take()).toBeUndefined();
  });

  it("are not taken from their new owner by a late return of the old one", () => {
    const before = takeAll().at(-1)!;
    giveBackKernelBuffer(before);
    const now = take()!;
    expect(now.byteOffset).toBe(before.byteOffset);
    expect(giveBackKernelBuffer(before)).toBe(false);
    expect(take()).toBeUndefined();
  });

  it("do not overlap, and lie where the kernel's own areas are not", () => {
    const all = takeAll();
    for (const [n, bytes] of all.entries()) bytes.fill(n + 1);
    const lines = Buffer.from(`{"a":"x","b":12.5}\n`.repeat(20_000));
    const slab = slabIn(lines, Buffer.alloc(CHUNK_SIZE));
    expect(foundIn(slab).roots).toHaveLength(20_000);
    expect(escapeJsonStrings(slab, { engine: "simd" }).refused).toEqual([]);
    for (const [n, bytes] of all.entries()) expect(bytes.every((byte) => byte === n + 1)).toBe(true);
  });

  it("are chunks with their headroom: nothing much smaller, and nothing larger", () => {
    expect(takeKernelBuffer(CHUNK_SIZE + 1)).toBeUndefined();
    expect(takeKernelBuffer(1024)).toBeUndefined();
  });

  it("are not made of others that are given back", () => {
    const all = takeAll();
    giveBackKernelBuffer(Buffer.allocUnsafeSlow(CHUNK_SIZE));
    giveBackKernelBuffer(all[0]!.subarray(64));
    expect(take()).toBeUndefined();
  });
});

describe("in a kernel buffer", () => {
  const documents = Array.from(
    { length: 3000 },
    (_, n) => `{"id":${n},"note":"${"x".repeat(n % 90)}\\"é","amount":"${n / 8}"}${n % 7 === 0 ? "\r" : ""}`,
  );
  const text = Buffer.from(documents.join("\n"));

  it("records are found as elsewhere, from piece to piece", () => {
    const elsewhere = split(text, 50_000, () => Buffer.alloc(CHUNK_SIZE));
    const buffer = take()!;
    expect(split(text, 50_000, () => buffer)).toEqual(elsewhere);
    expect(elsewhere).toHaveLength(documents.length);
  });

  it("fields and numbers are found as elsewhere, and texts are written so", () => {
    const [outside, inside] = [slabIn(text, Buffer.alloc(CHUNK_SIZE)), slabIn(text, take()!)];
    expect([isKernelBuffer(outside.bytes), isKernelBuffer(inside.bytes)]).toEqual([false, true]);
    expect(foundIn(inside)).toEqual(foundIn(outside));
    expect(foundIn(inside).numbers[8]).toBe(1);
    const after = Buffer.from("\n");
    expect(joinRanges(inside, { after }).bytes.equals(joinRanges(outside, { after }).bytes)).toBe(true);
    expect(escapeJsonStrings(inside).bytes.equals(escapeJsonStrings(outside).bytes)).toBe(true);
  });
});

/** The records of a text that comes piece by piece, with where reading goes on behind each slab. */
function split(text: Buffer, size: number, bufferFor: () => Buffer): [string, number][] {
  const splitter = new RecordSplitter({ dropCr: true, engine: "simd" });
  const records: [string, number][] = [];
  const takeAll = (): void => {
    for (let slab = splitter.take(100); slab; slab = splitter.take(100))
      for (const record of recordsOf(slab)) records.push([record, slab.offset]);
  };
  for (let at = 0; at < text.length; at += size) {
    const bytes = bufferFor();
    const end = HEADROOM + text.copy(bytes, HEADROOM, at, at + size);
    splitter.feed(bytes, HEADROOM, end);
    takeAll();
  }
  splitter.end();
  takeAll();
  return records;
}

/** What of a text is whole records, read into a buffer at once. */
function slabIn(text: Buffer, bytes: Buffer): Ranges {
  const splitter = new RecordSplitter({ engine: "simd" });
  splitter.feed(bytes, HEADROOM, HEADROOM + text.copy(bytes, HEADROOM));
  return splitter.take(65_536)!;
}

function foundIn(slab: Ranges) {
  const rows = {
    kinds: new Uint8Array(slab.count * 2),
    starts: new Uint32Array(slab.count * 2),
    ends: new Uint32Array(slab.count * 2),
    roots: new Uint8Array(slab.count),
    numbers: new Float64Array(slab.count),
  };
  const table = FieldTable.of([["amount"], ["note"]], "simd", [0])!;
  for (let at = 0; at < slab.count; ) at += table.find(slab, at, rows);
  const values = Array.from(rows.starts, (start, at) => slab.bytes.toString("utf8", start, rows.ends[at]));
  return { values, numbers: [...rows.numbers], roots: [...rows.roots] };
}
