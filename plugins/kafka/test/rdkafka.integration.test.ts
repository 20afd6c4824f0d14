import { batchOf, codeOf, Message } from "@mqb/core/plugin";
import { testConnector } from "@mqb/testkit";
import { describe, expect, it, vi } from "vitest";
import type { KafkaOptions } from "../src/index.ts";
import { createTopic, produce } from "./admin.ts";
import { AdvertisingProxy } from "./advertising-proxy.ts";
import { connectorOn } from "./connector.ts";
import { openInput, openOutput, sendAll, takeAll } from "./open.ts";
import { rdkafkaFolder } from "./rdkafka-library.ts";
import { headerPairs, readAll } from "./records.ts";
import { addressOf, freshName, KAFKA_URL, withKafka } from "./server.ts";

vi.mock("../src/rdkafka/driver.ts", async (original) => {
  const { loadFromCache } = await import("./rdkafka-library.ts");
  return { ...(await original<object>()), loadRdkafka: loadFromCache };
});

const LONG = { timeout: 60_000 };
const engine = "rdkafka";
const QUICK: KafkaOptions["consumer_options"] = [["fetch.wait.max.ms", "50"]];
const title = rdkafkaFolder()
  ? "engine: rdkafka"
  : "engine: rdkafka (not installed: plugins/kafka/test/install-rdkafka.sh)";

const proxy = await AdvertisingProxy.to(addressOf(KAFKA_URL));

await withKafka(() => {
  describe.skipIf(rdkafkaFolder() === undefined)(title, () => {
    const fixture = { server: proxy.address, shares: [] };
    const advertise = (port: number): void => proxy.advertise(port);
    testConnector({ describe, it }, connectorOn(KAFKA_URL, fixture, advertise, engine));

    it.each(["none", "gzip", "snappy", "lz4"])("writes with %s what others read", LONG, async (codec) => {
      const topic = freshName();
      await createTopic(topic);
      const producer_options: [string, string][] = [["compression.codec", codec]];
      const metadata = new Map([
        ["key", "k"],
        ["kind", "gr\u00fc\u00dfe"],
      ]);
      const tombstone = new Map([
        ["key", "k"],
        ["mqb.kafka.tombstone", "true"],
      ]);
      const text = "text ".repeat(200);
      const messages = [new Message(text, metadata), new Message("", metadata), new Message("", tombstone)];
      await sendAll({ url: KAFKA_URL, topic, engine, partition_key: "key", producer_options }, messages);
      const read = (await readAll(topic)).map(({ message }) => message);
      expect(read.map(({ value }) => value?.toString())).toEqual([text, "", undefined]);
      expect(read.map(({ key }) => key?.toString())).toEqual(["k", "k", "k"]);
      expect(headerPairs(read[0]!.headers)).toEqual([
        ["key", "k"],
        ["kind", "grüße"],
        ["mq_bridge.message_id", messages[0]!.id.replaceAll("-", "")],
      ]);
    });

    it("reads what others write: ids, keys, headers, null values", LONG, async () => {
      const topic = freshName();
      await createTopic(topic);
      const id = "0190aaaa-0000-7000-8000-000000000001";
      await produce(topic, [
        { value: "a", headers: { "mq_bridge.message_id": id, kind: "order" } },
        { value: null, key: "k" },
        { value: "c", key: Buffer.from(id.replaceAll("-", ""), "hex") },
      ]);
      const options = { url: KAFKA_URL, topic, group_id: topic, engine, consumer_options: QUICK } as const;
      const [a, b, c] = await takeAll(options, 3);
      expect([a!.text(), a!.id, a!.metadata.get("kind")]).toEqual(["a", id, "order"]);
      expect([b!.payload.length, b!.metadata.get("mqb.kafka.tombstone")]).toEqual([0, "true"]);
      expect([c!.text(), c!.id]).toEqual(["c", id]);
      await produce(topic, [{ value: "d" }]);
      expect((await takeAll(options, 1)).map((message) => message.text())).toEqual(["d"]);
    });

    it("refuses a message whose metadata it would cut off, and writes the others", LONG, async () => {
      const topic = freshName();
      await createTopic(topic);
      const publisher = await openOutput({ url: KAFKA_URL, topic, engine });
      const batch = batchOf([new Message("a"), new Message("b", new Map([["x", "1\u00002"]]))]);
      const outcomes = await publisher.send(batch, AbortSignal.timeout(20_000));
      await publisher.close();
      expect(outcomes!.map((one) => (one.type === "failed" ? codeOf(one.error) : one.type))).toEqual([
        "accepted",
        "MQB_KAFKA_ENGINE_HEADER",
      ]);
      expect((await readAll(topic)).map(({ message }) => message.value!.toString())).toEqual(["a"]);
    });

    it("says which option the library does not take", async () => {
      const options: KafkaOptions = {
        url: KAFKA_URL,
        topic: freshName(),
        engine,
        producer_options: [["no.such", "1"]],
      };
      await expect(openOutput(options)).rejects.toMatchObject({
        code: "MQB_KAFKA_ENGINE_OPTION",
        message: expect.stringContaining("no.such"),
      });
    });

    it("goes on with what is given back, after a nack in the middle", LONG, async () => {
      const topic = freshName();
      await createTopic(topic);
      await produce(
        topic,
        Array.from({ length: 10 }, (_, n) => ({ value: `${n}` })),
      );
      const consumer = await openInput({ url: KAFKA_URL, topic, group_id: topic, engine, consumer_options: QUICK });
      const first = await consumer.receive(4, AbortSignal.timeout(20_000));
      const second = await consumer.receive(4, AbortSignal.timeout(20_000));
      await first.commit(Array.from(first.batch, (_, n) => ({ type: n < 2 ? "ack" : "nack" })));
      await second.commit();
      const again = await consumer.receive(10, AbortSignal.timeout(20_000));
      expect(again.batch.at(0).text()).toBe("2");
      await consumer.close();
    });
  });
});
