import { batchOf, Message, type MessageBatch, slabBatch } from "@mqb/core/plugin";
import { recordingLogger } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import type { ColumnInfo, PreparedInsert } from "../src/contract.ts";
import { ColumnRows } from "../src/sink/column-rows.ts";

const columns: ColumnInfo[] = ["id", "a", "b"].map((name) => ({ name, type: "text", generated: false }));

/** Rows of fields as they are written, and how often a statement was prepared. */
function rowsOf(key: readonly string[] = []): { rows: ColumnRows; prepared: string[] } {
  const prepared: string[] = [];
  const prepare = async (some: readonly ColumnInfo[]): Promise<PreparedInsert> => {
    prepared.push(some.map(({ name }) => name).join());
    return {
      encoders: some.map(() => (_kind, bytes, start, end) => bytes.toString("latin1", start, end)),
      text: (_value, text) => text,
      bytes: (_value, bytes) => bytes,
      execute: async () => {},
    };
  };
  const rows = new ColumnRows({ columns, key, extra: undefined, prepare, target: "t", log: recordingLogger() });
  return { rows, prepared };
}

/** Lines in one buffer, with something else before, between and behind them. */
function slab(payloads: readonly Buffer[], between: Buffer): MessageBatch {
  const starts = new Uint32Array(payloads.length);
  const ends = new Uint32Array(payloads.length);
  const pieces: Buffer[] = [between];
  let at = between.length;
  for (const [i, payload] of payloads.entries()) {
    starts[i] = at;
    ends[i] = at += payload.length;
    at += between.length;
    pieces.push(payload, between);
  }
  return slabBatch({ bytes: Buffer.concat(pieces), starts, ends });
}

const GOOD = Buffer.from('{"id":1,"a":"é"}');
const BAD = Buffer.concat([Buffer.from('{"id":2,"a":"'), Buffer.from([0xc3]), Buffer.from('"}')]);
const ALSO_GOOD = Buffer.from('{"id":3,"a":"x"}');

describe("rows of JSON objects", () => {
  const batches: Record<string, MessageBatch> = {
    "in a slab": slab([GOOD, BAD, ALSO_GOOD], Buffer.from("\n")),
    "in a slab with other bytes between them": slab([GOOD, BAD, ALSO_GOOD], Buffer.from([0xff, 0x0a])),
    "of messages": batchOf([GOOD, BAD, ALSO_GOOD].map((payload) => new Message(payload))),
  };
  it.each(Object.entries(batches))("%s are refused one by one when they are not UTF-8", async (_, batch) => {
    const { groups, failed } = await rowsOf().rows.make(batch);
    expect(groups.map(({ positions }) => positions)).toEqual([[0, 2]]);
    expect([...failed].map(([position, error]) => [position, String(error)])).toEqual([
      [1, expect.stringContaining("UTF-8")],
    ]);
  });

  it("in a slab with other bytes between them are taken", async () => {
    const { groups, failed } = await rowsOf().rows.make(slab([GOOD, ALSO_GOOD], Buffer.from([0xff])));
    expect(groups.map(({ positions }) => positions)).toEqual([[0, 1]]);
    expect(failed.size).toBe(0);
  });

  it("share a statement when they have the same fields, in one batch and the next", async () => {
    const { rows, prepared } = rowsOf();
    const texts = ['{"id":1,"a":2}', '{"id":3,"b":4}', '{"id":5,"a":6}'];
    for (let round = 0; round < 2; round++) {
      const { groups } = await rows.make(batchOf(texts.map((text) => new Message(text))));
      const [both, other] = groups.map((group) => "rows" in group && group.rows);
      expect(both).toEqual([
        ["1", "2"],
        ["5", "6"],
      ]);
      expect(other).toEqual([["3", "4"]]);
    }
    expect(prepared).toEqual(["id,a", "id,b"]);
  });

  it("with the key of an earlier one come in a group behind it", async () => {
    const { rows } = rowsOf(["id"]);
    const texts = ['{"id":1,"a":1}', '{"id":2,"a":2}', '{"id":1,"a":3}'];
    const { groups } = await rows.make(batchOf(texts.map((text) => new Message(text))));
    expect(groups.map(({ positions }) => positions)).toEqual([[0, 1], [2]]);
  });
});
