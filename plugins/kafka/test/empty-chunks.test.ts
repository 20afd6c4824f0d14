import { batchOf, Message } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { Partition } from "../src/consumer/partition.ts";
import { encodeBatch } from "../src/publisher/encode.ts";
import { Codecs } from "../src/wire/codecs.ts";
import { partitionerOf } from "../src/wire/partitioner.ts";
import { batchHead, NO_PRODUCER } from "../src/wire/record-batch.ts";
import { FetchedRecords } from "../src/wire/record-reader.ts";

/** Records at offsets 0 to 2 of a batch that goes to offset 9: what stood behind them is compacted away. */
async function fetched(from: number): Promise<FetchedRecords> {
  const options = {
    partitions: 1,
    partitioner: partitionerOf("consistent"),
    keyField: undefined,
    maxRecords: 10,
    maxBytes: 10_000,
  };
  const [chunk] = encodeBatch(batchOf(["a", "b", "c"].map((text) => new Message(text))), options);
  const { body } = chunk!;
  const head = batchHead(
    { codec: 0, count: 3, timestamp: 1, producer: NO_PRODUCER, sequence: -1, transactional: false },
    body,
  );
  head.writeInt32BE(9, 23);
  const bytes = Buffer.concat([head, body]);
  const read = { codecs: new Codecs(), checks: false, aborted: [] };
  return (await FetchedRecords.scan(bytes, 0, bytes.length, from, read))!;
}

describe("records that are compacted away up to the end of their batch", () => {
  it("are settled at once, and handed to nobody", async () => {
    const partition = new Partition("t", 0, 5, undefined);
    partition.end = 10;
    partition.add(await fetched(5));
    expect(partition.hasRecords).toBe(true);
    expect(partition.take(100)).toBeUndefined();
    expect(partition).toMatchObject({ hasRecords: false, settled: 10, isDrained: true });
  });

  it("are left out behind the others", async () => {
    const partition = new Partition("t", 0, 1, undefined);
    partition.add(await fetched(1));
    expect(partition.take(100)).toMatchObject({ next: 10 });
  });
});
