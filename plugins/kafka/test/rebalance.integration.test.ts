import { createBridge, createRegistry, type Route } from "@mqb/core";
import type { Consumer, Delivery, Message } from "@mqb/core/plugin";
import { CollectingPublisher, eventually, fakePlugin } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import plugin, { type KafkaOptions } from "../src/index.ts";
import { createTopic, produce, withAdmin } from "./admin.ts";
import { AdvertisingProxy, API } from "./advertising-proxy.ts";
import { openInput } from "./open.ts";
import { addressOf, freshName, KAFKA_URL, withKafka } from "./server.ts";

const LONG = { timeout: 90_000 };
const QUICK: KafkaOptions["consumer_options"] = [
  ["heartbeat.interval.ms", "200"],
  ["session.timeout.ms", "2000"],
  ["fetch.wait.max.ms", "50"],
];

async function filled(partitions: number, count: number): Promise<KafkaOptions & { readonly topic: string }> {
  const topic = freshName();
  await createTopic(topic, { numPartitions: partitions });
  await produce(
    topic,
    Array.from({ length: count }, (_, n) => ({ partition: n % partitions, value: `${n}` })),
  );
  return { url: KAFKA_URL, topic, group_id: topic, consumer_options: QUICK };
}

async function committed(group: string): Promise<number[]> {
  const [found] = await withAdmin((admin) => admin.fetchOffsets({ groupId: group }));
  const partitions = [...(found?.partitions ?? [])].sort((a, b) => a.partition - b.partition);
  return partitions.map(({ offset }) => Number(offset));
}

/** Takes so many messages, and commits none. */
async function take(consumer: Consumer, count: number): Promise<Delivery[]> {
  const deliveries: Delivery[] = [];
  for (let taken = 0; taken < count; ) {
    const delivery = await consumer.receive(10, AbortSignal.timeout(20_000));
    if (delivery.batch.length === 0) throw new Error(`${taken} of ${count} messages came`);
    deliveries.push(delivery);
    taken += delivery.batch.length;
  }
  return deliveries;
}

const assignedTo = (consumer: Consumer): number => {
  const { details } = consumer.status!();
  return (details as { readonly assigned: readonly string[] }).assigned.length;
};

const numbers = (messages: Iterable<Message>): number[] => Array.from(messages, (message) => Number(message.text()));

function routeInto(sink: CollectingPublisher, input: KafkaOptions, more: object = {}): Route {
  const registry = createRegistry([plugin, fakePlugin({ sink: { publisher: () => sink } })]);
  const route = {
    reconnect_interval_ms: 50,
    startup_timeout_ms: 20_000,
    input: { kafka: input },
    output: { sink: {} },
    ...more,
  };
  return createBridge({ registry }).route("r", route);
}

await withKafka(() => {
  describe("a consumer group", () => {
    it("keeps its member while a sink takes longer than the session, and delivers each batch once", LONG, async () => {
      const input = await filled(1, 30);
      const proxy = await AdvertisingProxy.to(addressOf(KAFKA_URL));
      const sink = new CollectingPublisher();
      sink.stall();
      const url = `${proxy.address.host}:${proxy.address.port}`;
      const route = routeInto(sink, { ...input, url }, { batch_size: 10 });
      await route.start();
      await eventually(() => sink.inFlight > 0, "a batch at the sink", 20_000);
      const heartbeats = (): number => proxy.asked.get(API.HEARTBEAT) ?? 0;
      // Twice as many as fit into a session: without them the group would throw the member out.
      const enough = heartbeats() + 20;
      await eventually(() => heartbeats() >= enough, "heartbeats", 40_000);
      sink.release();
      await eventually(async () => (await committed(input.topic))[0] === 30, "everything to be committed", 20_000);
      expect(numbers(sink.messages)).toEqual(Array.from({ length: 30 }, (_, n) => n));
      expect(route.status().input?.details).toMatchObject({ rebalances: 0 });
      await route.stop();
      proxy.close();
    });

    it(
      "shares partitions with a second member: nothing is lost, nothing is on its way twice, no commit goes back",
      LONG,
      async () => {
        const input = await filled(4, 400);
        const sinks = [new CollectingPublisher(), new CollectingPublisher()];
        const first = routeInto(sinks[0]!, input, { batch_size: 5 });
        await first.start();
        await sinks[0]!.collected(50);
        const second = routeInto(sinks[1]!, input, { batch_size: 5 });
        await second.start();
        await eventually(
          async () => (await committed(input.topic)).every((offset) => offset === 100),
          "all to be committed",
          60_000,
        );
        const seen = sinks.flatMap((sink) => numbers(sink.messages));
        expect(new Set(seen).size).toBe(400);
        // Messages that were on their way when the second one came, at most.
        expect(seen.length - 400).toBeLessThanOrEqual(20);
        await Promise.all([first.stop(), second.stop()]);
      },
    );

    it("leaves out the commit of a partition that has gone to another member", LONG, async () => {
      const input = await filled(2, 20);
      const options = { ...input, consumer_options: [...QUICK!, ["max.poll.interval.ms", "2000"] as [string, string]] };
      const slow = await openInput(options);
      const held = await take(slow, 20);
      // The second member waits a second for the deliveries of the first one, no longer.
      const other = await openInput(options);
      const delivery = await other.receive(100, AbortSignal.timeout(20_000));
      const taken = numbers(delivery.batch);
      expect(taken).toHaveLength(10);
      for (const one of held) await one.commit();
      await eventually(
        async () => (await committed(input.topic)).filter((offset) => offset === 10).length === 1,
        "one partition to be committed",
        20_000,
      );
      expect(slow.status?.().details).toMatchObject({ late_commits: 1 });
      await delivery.commit();
      await eventually(
        async () => (await committed(input.topic)).every((offset) => offset === 10),
        "both to be committed",
        20_000,
      );
      await Promise.all([slow.close(), other.close()]);
    });

    it("delivers nothing again that it kept over a rebalance", LONG, async () => {
      const input = await filled(4, 40);
      const first = await openInput(input);
      const before = await take(first, 40);
      const second = await openInput(input);
      const waiting = first.receive(10, AbortSignal.timeout(15_000));
      for (const one of before) await one.commit();
      await eventually(() => assignedTo(second) === 2, "a share", 20_000);
      await eventually(() => assignedTo(first) === 2, "a share", 20_000);
      await produce(
        input.topic,
        [0, 1, 2, 3].map((partition) => ({ partition, value: `${40 + partition}` })),
      );
      const got = numbers((await waiting).batch);
      expect(got.length).toBeGreaterThan(0);
      expect(got.every((number) => number >= 40)).toBe(true);
      await Promise.all([first.close(), second.close()]);
      expect((await committed(input.topic)).every((offset) => offset >= 10)).toBe(true);
    });

    it("goes on where the first nacked message stands, and commits nothing behind it", LONG, async () => {
      const input = await filled(1, 10);
      const consumer = await openInput(input);
      const first = await consumer.receive(4, AbortSignal.timeout(20_000));
      const second = await consumer.receive(4, AbortSignal.timeout(20_000));
      await first.commit(numbers(first.batch).map((number) => (number < 2 ? { type: "ack" } : { type: "nack" })));
      await second.commit();
      const again = await consumer.receive(10, AbortSignal.timeout(20_000));
      expect(numbers(again.batch)[0]).toBe(2);
      await eventually(async () => (await committed(input.topic))[0] === 2, "the position before the nack", 20_000);
      await consumer.close();
      expect(await committed(input.topic)).toEqual([2]);
    });

    it("notices partitions that are added", LONG, async () => {
      const input = await filled(1, 1);
      const options: KafkaOptions = {
        ...input,
        consumer_options: [...QUICK!, ["topic.metadata.refresh.interval.ms", "1000"]],
      };
      const consumer = await openInput(options);
      await (await consumer.receive(10, AbortSignal.timeout(20_000))).commit();
      await withAdmin((admin) => admin.createPartitions({ topicPartitions: [{ topic: input.topic, count: 3 }] }));
      await eventually(() => assignedTo(consumer) === 3, "three partitions", 20_000);
      await produce(input.topic, [{ partition: 2, value: "7" }]);
      expect(numbers((await consumer.receive(10, AbortSignal.timeout(20_000))).batch)).toEqual([7]);
      await consumer.close();
    });
  });

  describe("a subscriber", () => {
    it("gets what comes after it was opened, and over a reconnect what was not settled", LONG, async () => {
      const { group_id: _, ...input } = await filled(1, 3);
      const session = new Map<string, unknown>();
      const first = await openInput(input, { session });
      await produce(input.topic, [{ value: "3" }, { value: "4" }]);
      const delivery = await first.receive(10, AbortSignal.timeout(20_000));
      expect(numbers(delivery.batch)).toContain(3);
      await first.close();
      await produce(input.topic, [{ value: "5" }]);
      const second = await openInput(input, { session });
      const seen: number[] = [];
      while (!seen.includes(5)) {
        const more = await second.receive(10, AbortSignal.timeout(20_000));
        seen.push(...numbers(more.batch));
        await more.commit();
      }
      expect(seen).toEqual([3, 4, 5]);
      await second.close();
    });
  });
});
