import { batchOf, Message } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { Partition } from "../src/consumer/partition.ts";
import { type OpenDelivery, TransactionPositions } from "../src/consumer/positions.ts";
import { partitionKey } from "../src/wire/produce.ts";

function message(offset: number): Message {
  const place = { "mqb.src.kafka_topic": "t", "mqb.src.kafka_partition": "0", "mqb.src.kafka_offset": `${offset}` };
  return new Message("", new Map(Object.entries(place)));
}

const messages = (...offsets: readonly number[]) => batchOf(offsets.map(message));

/** A partition that is settled up to 0, with these deliveries on their way. */
function partitionWith(...deliveries: readonly (readonly number[])[]) {
  const partition = new Partition("t", 0, 0, undefined);
  const settled: Partition[] = [];
  const positions = new TransactionPositions(new Map([[partitionKey("t", 0), partition]]), () => settled);
  const open = deliveries.map((offsets): OpenDelivery => {
    const next = offsets.at(-1)! + 1;
    const batch = messages(...offsets);
    const delivery = { batch, partition, epoch: 0, offsets: Float64Array.from(offsets), next, transacted: 0 };
    partition.open.push(delivery);
    positions.handOut(delivery);
    return delivery;
  });
  const commit = (batch = messages()) => {
    const made = positions.of(batch, "id");
    made.taken();
    return made.offsets.map(({ offset }) => offset);
  };
  return { partition, open, commit, positions, settled };
}

describe("the position that a transaction commits", () => {
  it("goes on with each delivery, as it came or made anew", () => {
    const { open, commit } = partitionWith([0, 1], [2, 5], [6]);
    expect(commit(open[0]!.batch)).toEqual([2]);
    expect(commit(messages(2, 5))).toEqual([6]);
    expect(commit(open[2]!.batch)).toEqual([7]);
  });

  it("stays in front of a message that was taken out of its delivery", () => {
    const { commit } = partitionWith([0, 1, 2]);
    expect(commit(messages(0, 2))).toEqual([1]);
  });

  it.each(["as they came", "made anew"])("never passes messages that were given back: later ones fail %s", (how) => {
    const { partition, open, commit } = partitionWith([0, 1], [2, 3]);
    partition.open.shift();
    partition.settled = 0;
    partition.rewind(0);
    const later = how === "made anew" ? messages(2, 3) : open[1]!.batch;
    expect(() => commit(later)).toThrow(expect.objectContaining({ code: "MQB_KAFKA_TRANSACTION" }));
  });

  it("is not asked for what lies behind a delivery of which nobody knows what it becomes", () => {
    const { open, commit } = partitionWith([0, 1], [2, 3]);
    expect(() => commit(open[1]!.batch)).toThrow("neither written nor settled");
    expect(commit(open[0]!.batch)).toEqual([2]);
    expect(commit(open[1]!.batch)).toEqual([4]);
  });

  it("is not asked for messages that are settled", () => {
    const { open, partition, commit } = partitionWith([0, 1]);
    const [delivery] = open;
    partition.open.shift();
    expect(() => commit(delivery!.batch)).toThrow("settled already");
  });

  it("is forgotten when the partition is read again, so that the group comes back too", () => {
    const { open, partition, commit } = partitionWith([0, 1]);
    commit(open[0]!.batch);
    expect(partition.committed).toBe(2);
    partition.rewind(0);
    expect(partition.settled).toBeGreaterThan(partition.committed);
  });

  it("takes along what other partitions have settled without a transaction, and tells of it by itself too", () => {
    const { open, commit, positions, settled } = partitionWith([0, 1]);
    const other = new Partition("t", 1, 0, undefined);
    other.settled = 7;
    settled.push(other);
    expect(positions.settled().offsets).toEqual([{ topic: "t", partition: 1, offset: 7 }]);
    expect(commit(open[0]!.batch)).toEqual([2, 7]);
    expect(other.committed).toBe(7);
    expect(positions.settled().offsets).toEqual([]);
  });
});
