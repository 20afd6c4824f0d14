import { createBridge, createRegistry } from "@mqb/core";
import { batchOf, codeOf, describeError, Message, type MessageBatch, reply, systemClock } from "@mqb/core/plugin";
import { CollectingPublisher, eventually, fakePlugin, recordingLogger } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import plugin, { type KafkaOptions } from "../src/index.ts";
import { createTopic, produce, withAdmin } from "./admin.ts";
import { AdvertisingProxy, API } from "./advertising-proxy.ts";
import { openInput, openOutput, sendAll, takeAll } from "./open.ts";
import { headerPairs, readAll } from "./records.ts";
import { addressOf, freshName, KAFKA_URL, withKafka } from "./server.ts";

const LONG = { timeout: 60_000 };
const QUICK: KafkaOptions["consumer_options"] = [["fetch.wait.max.ms", "50"]];
const signal = (): AbortSignal => AbortSignal.timeout(30_000);

const texts = (batch: MessageBatch): string[] => Array.from(batch, (message) => message.text());

async function topicOf(messages: readonly string[], config: Record<string, string> = {}): Promise<string> {
  const topic = freshName();
  await createTopic(topic, { configEntries: Object.entries(config).map(([name, value]) => ({ name, value })) });
  if (messages.length > 0)
    await produce(
      topic,
      messages.map((value) => ({ value, key: value.slice(0, 2) })),
    );
  return topic;
}

async function drain(topic: string): Promise<string[]> {
  const sink = new CollectingPublisher();
  const registry = createRegistry([plugin, fakePlugin({ sink: { publisher: () => sink } })]);
  const input = { kafka: { url: KAFKA_URL, topic, group_id: topic, consumer_options: QUICK } };
  const route = createBridge({ registry }).route("r", {
    exit_on_empty: true,
    startup_timeout_ms: 20_000,
    input,
    output: { sink: {} },
  });
  await route.start();
  const { outcome, error } = await route.done;
  expect(outcome, describeError(error)).toBe("completed");
  return sink.messages.map((message) => message.text());
}

await withKafka(() => {
  describe("the sink", () => {
    it("keeps what the broker does not take for the time of a wrong clock", LONG, async () => {
      const topic = await topicOf([]);
      let ahead = 3 * 3_600_000;
      const clock = { ...systemClock, now: () => Date.now() + ahead };
      const publisher = await openOutput({ url: KAFKA_URL, topic }, { clock });
      const batch = batchOf([new Message("a"), new Message("b")]);
      const outcomes = await publisher.send(batch, signal());
      for (const outcome of outcomes!) {
        expect(outcome).toMatchObject({ type: "failed", error: { code: "MQB_KAFKA_CLOCK", kind: "retryable" } });
      }
      ahead = 0;
      expect(await publisher.send(batch, signal())).toBeUndefined();
      await publisher.close();
      expect((await readAll(topic)).map(({ message }) => message.value!.toString())).toEqual(["a", "b"]);
    });

    it("tells a message that is too large from the others of its batch", LONG, async () => {
      const topic = await topicOf([], { "max.message.bytes": "2000" });
      const publisher = await openOutput({ url: KAFKA_URL, topic, producer_options: [["compression.type", "none"]] });
      const messages = Array.from({ length: 9 }, (_, n) => new Message(n === 4 ? "x".repeat(5000) : `${n}`));
      const outcomes = await publisher.send(batchOf(messages), signal());
      const failures = outcomes!.flatMap((outcome, n) =>
        outcome.type === "failed" ? [[n, codeOf(outcome.error)]] : [],
      );
      expect(failures).toEqual([[4, "MQB_KAFKA_TOO_LARGE"]]);
      await publisher.close();
      const stored = (await readAll(topic)).map(({ message }) => message.value!.toString());
      expect(stored.sort()).toEqual(["0", "1", "2", "3", "5", "6", "7", "8"]);
    });

    it("counts and logs what is lost when it does not wait", LONG, async () => {
      const topic = await topicOf([], { "max.message.bytes": "500" });
      const log = recordingLogger();
      const options = {
        url: KAFKA_URL,
        topic,
        delayed_ack: true,
        producer_options: [["compression.type", "none"]] as [string, string][],
      };
      const publisher = await openOutput(options, { log });
      expect(await publisher.send(batchOf([new Message("x".repeat(5000))]), signal())).toBeUndefined();
      await publisher.flush!();
      expect(publisher.status!()).toMatchObject({ healthy: false, details: { lost: 1 } });
      await publisher.close();
    });

    it("writes much more than one request holds, each partition in order", LONG, async () => {
      const topic = freshName();
      await createTopic(topic, { numPartitions: 3 });
      const large = "y".repeat(2000);
      const messages = Array.from(
        { length: 4000 },
        (_, n) => new Message(`${n} ${large}`, new Map([["key", `k${n % 7}`]])),
      );
      await sendAll({ url: KAFKA_URL, topic, partition_key: "key" }, messages);
      const seen = new Map<string, number[]>();
      for (const { message } of await readAll(topic)) {
        const key = message.key!.toString();
        seen.set(key, [...(seen.get(key) ?? []), Number.parseInt(message.value!.toString(), 10)]);
      }
      expect([...seen.values()].flat()).toHaveLength(4000);
      for (const numbers of seen.values()) expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    });
  });

  describe("the source", () => {
    it("answers where a request says, and acks what has nowhere to go", LONG, async () => {
      const [topic, replies] = [freshName(), freshName()];
      await createTopic(topic);
      await createTopic(replies);
      const to = (name: string) => ({ reply_to: name, correlation_id: `c-${name}` });
      await produce(topic, [
        { value: "a", headers: to(replies) },
        { value: "b", headers: to(freshName("nowhere")) },
        { value: "c" },
      ]);
      const log = recordingLogger();
      const input = { url: KAFKA_URL, topic, group_id: topic, consumer_options: QUICK };
      const consumer = await openInput(input, { log });
      for (let count = 0; count < 3; ) {
        const delivery = await consumer.receive(3, signal());
        count += delivery.batch.length;
        await delivery.commit(Array.from(delivery.batch, (message) => reply(new Message(`re ${message.text()}`))));
      }
      await consumer.close();
      const [answer] = await readAll(replies);
      expect(answer!.message.value!.toString()).toBe("re a");
      expect(headerPairs(answer!.message.headers)).toEqual([["correlation_id", `c-${replies}`]]);
      expect(log.entries.some(({ level, message }) => level === "warn" && /nowhere/.test(message))).toBe(true);
      const [offsets] = await withAdmin((admin) => admin.fetchOffsets({ groupId: topic }));
      expect(offsets!.partitions[0]!.offset).toBe("3");
    });

    it("drains a topic whose end has been compacted away", LONG, async () => {
      const compacting = {
        "cleanup.policy": "compact",
        "segment.ms": "100",
        "min.cleanable.dirty.ratio": "0.001",
        "min.compaction.lag.ms": "0",
        "max.compaction.lag.ms": "100",
        "delete.retention.ms": "0",
      };
      const topic = await topicOf([], compacting);
      // A segment is closed by a record that is so much younger: nobody has to wait for that.
      const began = Date.now() - 60_000;
      for (let round = 0; round < 5; round++) {
        const timestamp = `${began + 1000 * round}`;
        await produce(
          topic,
          Array.from({ length: 10 }, (_, n) => ({ key: `${n}`, value: `${round}.${n}`, timestamp })),
        );
      }
      // Nobody waits until the broker has compacted: before and after, a drain gives each key's last value, and ends.
      for (let round = 0; round < 2; round++) {
        const seen = await drain(topic);
        if (round === 0) for (let n = 0; n < 10; n++) expect(seen).toContain(`4.${n}`);
        else expect(seen).toEqual([]);
      }
    });

    it("drains a group that is at its end at once, and a topic that is empty", LONG, async () => {
      const topic = await topicOf(["a", "b"]);
      expect(await drain(topic)).toEqual(["a", "b"]);
      const began = performance.now();
      expect(await drain(topic)).toEqual([]);
      expect(performance.now() - began).toBeLessThan(10_000);
      expect(await drain(await topicOf([]))).toEqual([]);
    });

    it("goes on with what is left when its offset is gone", LONG, async () => {
      const topic = await topicOf(["a", "b", "c", "d"]);
      await takeAll({ url: KAFKA_URL, topic, group_id: topic, consumer_options: QUICK }, 1);
      await withAdmin(async (admin) => {
        await admin.fetchTopicOffsets(topic);
        await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: "3" }] });
      });
      expect(await drain(topic)).toEqual(["d"]);
    });

    it("reads several topics in one group", LONG, async () => {
      const [one, two] = [await topicOf(["a"]), await topicOf(["b"])];
      const taken = await takeAll({ url: KAFKA_URL, topic: [one, two], group_id: one, consumer_options: QUICK }, 2);
      expect(taken.map((message) => message.text()).sort()).toEqual(["a", "b"]);
    });

    it("fails for good when its topic is deleted", { timeout: 90_000 }, async () => {
      const topic = await topicOf(["a"]);
      const consumer = await openInput({ url: KAFKA_URL, topic, group_id: topic, consumer_options: QUICK });
      const first = await consumer.receive(10, signal());
      expect(texts(first.batch)).toEqual(["a"]);
      await first.commit();
      await withAdmin((admin) => admin.deleteTopics({ topics: [topic] }));
      const error = await consumer.receive(10, AbortSignal.timeout(60_000)).catch((thrown: unknown) => thrown);
      expect(codeOf(error)).toBe("MQB_KAFKA_NO_TOPIC");
      expect(consumer.status!().healthy).toBe(false);
      await consumer.close();
    });
  });

  it("an idle pair of ends costs next to nothing", LONG, async () => {
    const topic = await topicOf([]);
    const proxy = await AdvertisingProxy.to(addressOf(KAFKA_URL));
    const url = `${proxy.address.host}:${proxy.address.port}`;
    const consumer = await openInput({ url, topic, group_id: topic });
    const publisher = await openOutput({ url, topic });
    const waiting = consumer.receive(1, AbortSignal.timeout(30_000));
    const fetches = (count: number) => () => (proxy.asked.get(API.FETCH) ?? 0) >= count;
    await eventually(fetches(2), "the first fetches", 20_000);
    const [began, before] = [performance.now(), process.cpuUsage()];
    // Each of them waits half a second at the broker.
    await eventually(fetches(8), "more fetches", 20_000);
    const { user, system } = process.cpuUsage(before);
    // The timer that kafkajs arms for nothing alone takes a tenth of a core.
    expect((user + system) / 1000).toBeLessThan(0.08 * (performance.now() - began));
    await Promise.all([consumer.close(), publisher.close(), waiting.catch(() => {})]);
    proxy.close();
  });
});
