import { batchOf, type Message, type OpenContext } from "@mqb/core/plugin";
import { type ConnectorUnderTest, testConnector } from "@mqb/testkit";
import { describe, it } from "vitest";
import plugin, { type KafkaOptions } from "../src/index.ts";
import { kafkaSchema } from "../src/schema.ts";
import { createTopic } from "./admin.ts";
import { AdvertisingProxy } from "./advertising-proxy.ts";
import { addressOf, freshName, KAFKA_URL, withKafka } from "./server.ts";

const QUICK: KafkaOptions["consumer_options"] = [
  ["heartbeat.interval.ms", "200"],
  ["session.timeout.ms", "6000"],
  ["fetch.wait.max.ms", "50"],
  ["queued.max.messages.kbytes", "1024"],
];
const proxy = await AdvertisingProxy.to(addressOf(KAFKA_URL));

const tested: ConnectorUnderTest = {
  plugin,
  endpoint: "kafka",
  config: { input: { url: KAFKA_URL, topic: "t", group_id: "g" }, output: { url: KAFKA_URL, topic: "t" } },
  fixture: {
    server: proxy.address,
    patienceMs: 20_000,
    timeoutMs: 90_000,
    shares: ["output"],
    counts: true,
    keyed: (message, key) => message.with({ metadata: { key } }),
    bad: [
      {
        name: "a topic that does not exist",
        side: "input",
        config: { url: KAFKA_URL, topic: "no-such-topic", group_id: "g" },
      },
      {
        name: "a topic that does not exist and is not to be made",
        side: "output",
        config: { url: KAFKA_URL, topic: "no-such-topic", create_topic: false },
      },
      { name: "a name that no topic can have", side: "output", config: { url: KAFKA_URL, topic: "a/b" } },
      {
        name: "an option that nobody knows",
        side: "input",
        config: { url: KAFKA_URL, topic: "a", consumer_options: [["no.such", "1"]] },
      },
    ],
    async fresh() {
      const topic = freshName();
      await createTopic(topic);
      const both = { url: KAFKA_URL, topic };
      const input = { ...both, group_id: topic, consumer_options: QUICK };
      const output = { ...both, partition_key: "key", partitions: 1 };
      return {
        input,
        output,
        request: async (message, context) => ask(message, { output }, context),
        via: ({ host, port }) => {
          proxy.advertise(port);
          const url = `${host}:${port}`;
          return { input: { ...input, url }, output: { ...output, url } };
        },
      };
    },
  },
};

await withKafka(() => testConnector({ describe, it }, tested));

/** Sends a message that wants its answer in a topic of its own, and waits for it there. */
async function ask(
  message: Message,
  { output }: { readonly output: KafkaOptions },
  context: OpenContext,
): Promise<Message> {
  const replies = freshName("replies");
  await createTopic(replies);
  const { input, output: sink } = plugin.endpoints!["kafka"]!;
  const topic = { url: KAFKA_URL, topic: replies, group_id: replies, consumer_options: QUICK };
  const consumer = await input!.open(kafkaSchema.parse(topic), { ...context, side: "input", session: new Map() });
  const publisher = await sink!.open(kafkaSchema.parse(output), context);
  try {
    const metadata = { reply_to: replies, correlation_id: message.id };
    await publisher.send(batchOf([message.with({ metadata })]), new AbortController().signal);
    const { batch } = await consumer.receive(1, AbortSignal.timeout(20_000));
    return batch.at(0);
  } finally {
    await Promise.all([consumer.close(), publisher.close()]);
  }
}
