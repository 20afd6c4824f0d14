import { batchOf, type MessageBatch, type Slab } from "@mqb/core/plugin";
import { lineBatch, messageBatch, texts } from "@mqb/testkit";
import { expect, it } from "vitest";
import { joinBatches } from "../../src/batch/join.ts";

const lists = () => [messageBatch(2, { metadata: true }), messageBatch(3, { from: 2, metadata: true })];
const slabs = () => [lineBatch(2), lineBatch(3, { from: 2 })];

it.each([
  ["batches of messages", lists],
  ["batches that lie in slabs", slabs],
])("reads like its parts one after another: %s", (_, parts) => {
  const made: MessageBatch[] = parts();
  const joined = joinBatches(made);
  expect(joined.length).toBe(5);
  expect(joined.byteLength).toBe(made.reduce((sum, part) => sum + part.byteLength, 0));
  expect(texts(joined)).toEqual(["message 0", "message 1", "message 2", "message 3", "message 4"]);
  for (const index of [4, 0, 3, 1, 2]) {
    const [part, at] = index < 2 ? [made[0]!, index] : [made[1]!, index - 2];
    expect(joined.id(index)).toBe(part.id(at));
    expect(joined.metadata(index)).toEqual(part.metadata(at));
    expect(Buffer.from(joined.payload(index)).toString()).toBe(`message ${index}`);
    expect(joined.at(index)).toBe(joined.at(index));
    expect(joined.at(index).id).toBe(part.id(at));
  }
  expect(texts(joined.select(Uint32Array.of(4, 0)))).toEqual(["message 4", "message 0"]);
  expect(() => joined.at(5)).toThrow(RangeError);
  expect(() => joined.payload(-1)).toThrow(RangeError);
});

it("puts slabs into one slab that a sink can write with one call", () => {
  const joined = joinBatches([...slabs(), lineBatch(10).select(Uint32Array.of(5, 9))]);
  const { bytes, terminator } = joined.slab as Slab;
  expect(bytes.toString()).toBe("message 0\nmessage 1\nmessage 2\nmessage 3\nmessage 4\nmessage 5\nmessage 9\n");
  expect(terminator?.toString()).toBe("\n");
});

it("keeps no terminator that only some parts have", () => {
  const { terminator: _, ...slab } = lineBatch(1).slab!;
  const bare: MessageBatch = Object.assign(Object.create(lineBatch(1)), { slab });
  const joined = joinBatches([bare, lineBatch(1)]);
  expect(joined.slab?.terminator).toBeUndefined();
  expect(joined.slab?.bytes.toString()).toBe("message 0message 0");
});

it("gives a single batch back", () => {
  const batch = batchOf([]);
  expect(joinBatches([batch])).toBe(batch);
});
