import { codeOf, kindOf } from "@mqb/core/plugin";
import { eventually } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import type { KafkaOptions } from "../src/index.ts";
import { createTopic, produce } from "./admin.ts";
import { AdvertisingProxy, API } from "./advertising-proxy.ts";
import { openInput } from "./open.ts";
import { addressOf, freshName, KAFKA_URL, withKafka } from "./server.ts";

const LONG = { timeout: 60_000 };
const ALWAYS = 1000;

async function behindProxy(): Promise<{ readonly proxy: AdvertisingProxy; readonly input: KafkaOptions }> {
  const topic = freshName();
  await createTopic(topic);
  await produce(topic, [{ value: "a" }]);
  const proxy = await AdvertisingProxy.to(addressOf(KAFKA_URL));
  const consumer_options: KafkaOptions["consumer_options"] = [
    ["socket.timeout.ms", "500"],
    ["session.timeout.ms", "2000"],
    ["heartbeat.interval.ms", "200"],
    ["max.poll.interval.ms", "5000"],
    ["fetch.wait.max.ms", "50"],
  ];
  return {
    proxy,
    input: { url: `${proxy.address.host}:${proxy.address.port}`, topic, group_id: topic, consumer_options },
  };
}

await withKafka(() => {
  describe("a join that gets no answer", () => {
    it("is tried on another connection when a session is over", LONG, async () => {
      const { proxy, input } = await behindProxy();
      proxy.swallow(API.JOIN_GROUP, 1, "silent");
      const consumer = await openInput(input);
      const { batch } = await consumer.receive(1, AbortSignal.timeout(30_000));
      expect(batch.at(0).text()).toBe("a");
      expect(proxy.leftToSwallow(API.JOIN_GROUP)).toBe(0);
      await consumer.close();
      proxy.close();
    });

    it("is a lost connection when a rebalance could not take longer", LONG, async () => {
      const { proxy, input } = await behindProxy();
      proxy.swallow(API.JOIN_GROUP, ALWAYS, "silent");
      const consumer = await openInput(input);
      const began = performance.now();
      const error = await consumer.receive(1, AbortSignal.timeout(40_000)).catch((thrown: unknown) => thrown);
      expect(codeOf(error)).toBe("MQB_KAFKA_REQUEST_FAILED");
      expect(kindOf(error, "retryable")).toBe("connection");
      // The rebalance timeout, and the session in which the last one was tried.
      expect(performance.now() - began).toBeLessThan(12_000);
      expect(consumer.status!()).toMatchObject({ healthy: false });
      await consumer.close();
      proxy.close();
    });

    it("does not hold up the end of the input", LONG, async () => {
      const { proxy, input } = await behindProxy();
      proxy.swallow(API.JOIN_GROUP, ALWAYS, "silent");
      const consumer = await openInput(input);
      await eventually(() => (proxy.asked.get(API.JOIN_GROUP) ?? 0) > 0, "a join");
      const began = performance.now();
      await consumer.close();
      expect(performance.now() - began).toBeLessThan(2000);
      proxy.close();
    });
  });
});
