import { EventEmitter } from "node:events";
import { systemClock } from "@mqb/core/plugin";
import { expect, it } from "vitest";
import type { KafkaClient } from "../src/client/client.ts";
import { kafkaErrors } from "../src/errors.ts";
import { consumerOptions } from "../src/options/consumer.ts";
import { RdkafkaConsumer } from "../src/rdkafka/consumer.ts";
import { RD, type RdkafkaConsumerHandle, type RdkafkaMessage, type RdkafkaOffset } from "../src/rdkafka/driver.ts";
import { contextFor } from "./open.ts";

/** Reads one partition, of which the group has committed 90, as a library does that brings these offsets. */
async function read(offsets: readonly number[], pairs: [string, string][]) {
  const counts: number[] = [];
  const commits: number[] = [];
  const left = [...offsets];
  let share: () => void = () => {};
  let isAssigned = false;
  const handle = Object.assign(new EventEmitter(), {
    setDefaultConsumeTimeout: () => {},
    subscribe: () => setImmediate(share),
    assign: () => {
      isAssigned = true;
    },
    isConnected: () => false,
    pause: () => {},
    resume: () => {},
    unassign: () => {},
    consume: (count: number, done: (error: null, messages: RdkafkaMessage[]) => void) => {
      counts.push(count);
      const come = isAssigned ? left.splice(0, count) : [];
      const records = come.map((offset) => ({ topic: "t", partition: 0, offset, value: null }));
      setImmediate(() => done(null, records));
    },
    commit: ([first]: readonly RdkafkaOffset[]) => {
      commits.push(first!.offset);
      setImmediate(() => handle.emit("offset.commit", undefined));
    },
  });
  const client = {
    clock: systemClock,
    target: "t:1",
    close: () => {},
    topics: async () => new Map([["t", { error: 0, leaders: [1] }]]),
    coordinator: async () => ({
      knows: () => false,
      request: async () => ({
        responses: [{ topic: "t", partitions: [{ partition: 0, offset: "90", errorCode: 0 }] }],
      }),
    }),
  } as unknown as KafkaClient;
  const { options } = consumerOptions(pairs);
  const settings = { topics: ["t"], groupId: "g", isSubscriber: false, stamps: false, options, drainJoinMs: 1000 };
  const consumer = new RdkafkaConsumer(client, settings, contextFor("input"), ({ rebalance_cb }) => {
    const assign = rebalance_cb as (error: object, places: readonly object[]) => void;
    share = () => assign({ code: RD.ASSIGN }, [{ topic: "t", partition: 0 }]);
    return handle as unknown as RdkafkaConsumerHandle;
  });
  await consumer.open(AbortSignal.timeout(5000), async () => {});
  for (let seen = 0; seen < offsets.length; ) {
    const delivery = await consumer.receive(1, AbortSignal.timeout(5000));
    seen += delivery.batch.length;
    await delivery.commit();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await consumer.close();
  return { counts, commits };
}

it("commits from where the library goes on when what it wants to read is gone", async () => {
  const { commits } = await read([90, 91, 5, 6], []);
  expect(commits.at(-1)).toBe(7);
});

it.each([
  ["check.crcs", "true"],
  ["auto.offset.reset", "error"],
])("asks for one message at a time with %s %s: of errors behind messages nobody is told", async (name, value) => {
  const { counts } = await read([90, 91, 92], [[name, value]]);
  expect(new Set(counts)).toEqual(new Set([1]));
});

it("answers a rebalance whose positions cannot be read: the library's close would wait for ever", async () => {
  let share: () => void = () => {};
  let unassigned = 0;
  const handle = Object.assign(new EventEmitter(), {
    setDefaultConsumeTimeout: () => {},
    subscribe: () => setImmediate(share),
    isConnected: () => true,
    unassign: () => {
      unassigned += 1;
      throw new Error("there is nothing assigned");
    },
    consume: (_: number, done: (error: null, messages: RdkafkaMessage[]) => void) => setImmediate(done, null, []),
    disconnect: (done: () => void) => done(),
  });
  const lost = kafkaErrors.LOST({ target: "t:1", reason: "cut" });
  const client = {
    clock: systemClock,
    target: "t:1",
    close: () => {},
    topics: async () => new Map([["t", { error: 0, leaders: [1] }]]),
    coordinator: () => Promise.reject(lost),
  } as unknown as KafkaClient;
  const { options } = consumerOptions([]);
  const settings = { topics: ["t"], groupId: "g", isSubscriber: false, stamps: false, options, drainJoinMs: 1000 };
  const consumer = new RdkafkaConsumer(client, settings, contextFor("input"), ({ rebalance_cb }) => {
    const rebalance = rebalance_cb as (error: object, places: readonly object[]) => void;
    share = () => rebalance({ code: RD.ASSIGN }, [{ topic: "t", partition: 0 }]);
    return handle as unknown as RdkafkaConsumerHandle;
  });
  await consumer.open(AbortSignal.timeout(5000), async () => {});
  await expect(consumer.receive(1, AbortSignal.timeout(5000))).rejects.toBe(lost);
  expect(unassigned).toBe(1);
  await consumer.close();
});
