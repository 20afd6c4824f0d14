import { batchOf } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { Partition } from "../src/consumer/partition.ts";
import { ReadyQueue } from "../src/rdkafka/queue.ts";

const record = (offset: number) => ({ topic: "t", partition: 0, offset, value: Buffer.from(`${offset}`) });

/** As the consumer does it with what it hands out. */
function handOut(partition: Partition): void {
  const [batch, offsets] = [batchOf([]), Float64Array.of()];
  partition.open.push({ batch, partition, epoch: partition.epoch, offsets, next: partition.position, transacted: 0 });
}

describe("records from librdkafka that wait for the route", () => {
  it("are read to their end although a message was given back while another one was on its way", () => {
    const queue = new ReadyQueue();
    const partition = new Partition("t", 0, 0, undefined);
    partition.end = 2;
    for (const offset of [0, 1]) queue.add(partition, record(offset));
    for (let n = 0; n < 2; n++) {
      expect(queue.take(1)?.records).toEqual([record(n)]);
      handOut(partition);
    }
    partition.open.shift();
    partition.rewind(0);
    partition.open.shift();
    for (const offset of [0, 1]) queue.add(partition, record(offset));
    queue.reached(partition, 2);
    expect(queue.take(10)?.records).toEqual([record(0), record(1)]);
    expect(queue.take(10)).toBeUndefined();
    expect(partition.isDrained).toBe(true);
  });

  it("wait for those that are on their way since before the partition was lost and came back", () => {
    const queue = new ReadyQueue();
    const before = new Partition("t", 0, 0, undefined);
    handOut(before);
    before.lose();
    const partition = new Partition("t", 0, 0, before);
    queue.add(partition, record(0));
    expect(queue.take(10)).toBeUndefined();
    before.open.shift();
    expect(queue.take(10)?.records).toEqual([record(0)]);
  });

  it("begin again where the library has gone back, when all of before is settled", () => {
    const queue = new ReadyQueue();
    const partition = new Partition("t", 0, 90, undefined);
    for (const offset of [90, 91, 5, 6]) queue.add(partition, record(offset));
    expect(queue.take(10)).toEqual({ partition, records: [record(90), record(91)], gone: undefined });
    handOut(partition);
    expect(queue.take(10)).toBeUndefined();
    partition.open.shift();
    partition.settled = partition.committed = 92;
    expect(queue.take(1)).toEqual({ partition, records: [record(5)], gone: 92 });
    expect([partition.position, partition.settled, partition.committed]).toEqual([6, 5, -1]);
    expect(queue.take(10)).toEqual({ partition, records: [record(6)], gone: undefined });
  });
});
