import { systemClock } from "@mqb/core/plugin";
import { expect, it } from "vitest";
import type { KafkaClient } from "../src/client/client.ts";
import { Fetcher } from "../src/consumer/fetcher.ts";
import { Partition } from "../src/consumer/partition.ts";
import { consumerOptions } from "../src/options/consumer.ts";
import { Codecs } from "../src/wire/codecs.ts";

const NOTHING_NEW = Buffer.alloc(14);

it("reads a partition that had no leader at first as soon as it has one, and the others all the while", async () => {
  const partitions = [0, 1].map((number) => new Partition("t", number, 0, undefined));
  let asked = 0;
  let readMeanwhile = 0;
  let readAtLast: () => void = () => {};
  const wanted = new Promise<void>((resolve) => {
    readAtLast = resolve;
  });
  const client = {
    clock: systemClock,
    topics: async () => new Map([["t", { error: 0, leaders: [7, ++asked < 3 ? -1 : 8] }]]),
    broker: async (leader: number) => ({
      knows: () => true,
      ready: () => undefined,
      raw: async () => {
        if (leader === 8) readAtLast();
        else readMeanwhile += 1;
        await new Promise((resolve) => setImmediate(resolve));
        return NOTHING_NEW;
      },
    }),
  } as unknown as KafkaClient;
  const fetcher = new Fetcher(partitions, {
    client,
    options: consumerOptions(null).options,
    codecs: new Codecs(),
    arrived: () => {},
    failed: (error) => {
      throw error;
    },
    outOfRange: async () => {},
  });
  fetcher.start();
  await wanted;
  fetcher.stop();
  expect(asked).toBe(3);
  expect(readMeanwhile).toBeGreaterThan(0);
});
