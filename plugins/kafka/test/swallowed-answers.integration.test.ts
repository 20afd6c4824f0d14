import { batchOf, Message } from "@mqb/core/plugin";
import { eventually, FaultProxy } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import type { KafkaOptions } from "../src/index.ts";
import { createTopic } from "./admin.ts";
import { AdvertisingProxy, API } from "./advertising-proxy.ts";
import { openOutput } from "./open.ts";
import { readAll } from "./records.ts";
import { addressOf, freshName, KAFKA_URL, withKafka } from "./server.ts";

const LONG = { timeout: 60_000 };
const signal = (): AbortSignal => AbortSignal.timeout(50_000);
const QUICK: KafkaOptions["producer_options"] = [["socket.timeout.ms", "500"]];

const messages = (from: number, count: number): Message[] =>
  Array.from({ length: count }, (_, n) => new Message(`${from + n}`, new Map([["key", `${(from + n) % 5}`]])));

/** What is stored, for each key in its order. */
async function storedIn(topic: string): Promise<number[][]> {
  const byKey = new Map<string, number[]>();
  for (const { message } of await readAll(topic)) {
    const key = message.key!.toString();
    byKey.set(key, [...(byKey.get(key) ?? []), Number(message.value!.toString())]);
  }
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, numbers]) => numbers);
}

const inOrder = (count: number): number[][] =>
  [0, 1, 2, 3, 4].map((key) => Array.from({ length: count / 5 }, (_, n) => key + 5 * n));

await withKafka(() => {
  describe("an idempotent output", () => {
    it.each(["cut", "silent"] as const)("stores nothing twice when answers are lost: %s", LONG, async (how) => {
      const topic = freshName();
      await createTopic(topic, { numPartitions: 3 });
      const proxy = await AdvertisingProxy.to(addressOf(KAFKA_URL));
      const url = `${proxy.address.host}:${proxy.address.port}`;
      const publisher = await openOutput({ url, topic, partition_key: "key", producer_options: QUICK });
      for (let n = 0; n < 10; n++) {
        if (n % 3 === 0) proxy.swallow(API.PRODUCE, 1, how);
        // Three at a time: what was written behind the lost one is repeated too.
        const sent = [0, 1, 2].map((i) => publisher.send(batchOf(messages(30 * n + 10 * i, 10)), signal()));
        expect(await Promise.all(sent)).toEqual([undefined, undefined, undefined]);
        expect(proxy.leftToSwallow(API.PRODUCE)).toBe(0);
      }
      expect(publisher.status!()).toMatchObject({ healthy: true });
      await publisher.close();
      proxy.close();
      expect(await storedIn(topic)).toEqual(inOrder(300));
    });

    it("stores nothing twice when connections are cut and left for dead under it", LONG, async () => {
      const topic = freshName();
      await createTopic(topic, { numPartitions: 3 });
      const advertising = await AdvertisingProxy.to(addressOf(KAFKA_URL));
      await using proxy = await FaultProxy.to(advertising.address);
      advertising.advertise(proxy.address.port);
      const url = `${proxy.address.host}:${proxy.address.port}`;
      const publisher = await openOutput({ url, topic, partition_key: "key", producer_options: QUICK });
      const produced = (): number => advertising.asked.get(API.PRODUCE) ?? 0;
      for (let n = 0; n < 20; n++) {
        const before = produced();
        const sent = publisher.send(batchOf(messages(50 * n, 50)), signal());
        await eventually(() => produced() > before, "a request at the broker");
        // Most answers are still to come: the broker waits for its disk.
        if (n % 2 === 0) proxy.cut();
        else proxy.abandon();
        expect(await sent).toBeUndefined();
      }
      await publisher.close();
      advertising.close();
      expect(await storedIn(topic)).toEqual(inOrder(1000));
    });
  });
});
