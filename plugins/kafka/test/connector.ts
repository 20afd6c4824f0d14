import { batchOf, type Message, type OpenContext } from "@mqb/core/plugin";
import type { ConnectorFixture, ConnectorUnderTest } from "@mqb/testkit";
import plugin, { type KafkaOptions } from "../src/index.ts";
import { kafkaSchema } from "../src/schema.ts";
import { createTopic } from "./admin.ts";
import { freshName } from "./server.ts";

const QUICK: KafkaOptions["consumer_options"] = [
  ["heartbeat.interval.ms", "200"],
  ["session.timeout.ms", "6000"],
  ["fetch.wait.max.ms", "50"],
  ["queued.max.messages.kbytes", "1024"],
];

/** The kafka endpoint on a broker, and how the suite gets at it. */
export function connectorOn(
  url: string,
  more: Partial<ConnectorFixture> = {},
  advertise?: (port: number) => void,
  engine: NonNullable<KafkaOptions["engine"]> = "kafkajs",
): ConnectorUnderTest {
  return {
    plugin,
    endpoint: "kafka",
    config: { input: { url, topic: "t", group_id: "g", engine }, output: { url, topic: "t", engine } },
    fixture: {
      patienceMs: 20_000,
      timeoutMs: 90_000,
      shares: ["output"],
      counts: true,
      ...more,
      keyed: (message, key) => message.with({ metadata: { key } }),
      bad: [
        {
          name: "a topic that does not exist",
          side: "input",
          config: { url, topic: "no-such-topic", group_id: "g", engine },
        },
        {
          name: "a topic that does not exist and is not to be made",
          side: "output",
          config: { url, topic: "no-such-topic", create_topic: false, engine },
        },
        { name: "a name that no topic can have", side: "output", config: { url, topic: "a/b" } },
        {
          name: "an option that nobody knows",
          side: "input",
          config: { url, topic: "a", consumer_options: [["no.such", "1"]], engine },
        },
      ],
      async fresh() {
        const topic = freshName();
        await createTopic(topic, {}, url);
        const both = { url, topic, engine };
        const input = { ...both, group_id: topic, consumer_options: QUICK };
        const output = { ...both, partition_key: "key", partitions: 1 };
        return {
          input,
          output,
          request: async (message, context) => ask(message, output, context),
          via: ({ host, port }) => {
            advertise?.(port);
            const there = { url: `${host}:${port}` };
            return { input: { ...input, ...there }, output: { ...output, ...there } };
          },
        };
      },
    },
  };
}

/** Sends a message that wants its answer in a topic of its own, and waits for it there. */
async function ask(
  message: Message,
  output: KafkaOptions & { readonly url: string },
  context: OpenContext,
): Promise<Message> {
  const replies = freshName("replies");
  await createTopic(replies, {}, output.url);
  const { input, output: sink } = plugin.endpoints!["kafka"]!;
  const topic = { url: output.url, topic: replies, group_id: replies, consumer_options: QUICK };
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
