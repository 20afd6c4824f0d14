import { Message } from "@mqb/core/plugin";
import { type ConnectorUnderTest, testConnector } from "@mqb/testkit";
import { describe, it } from "vitest";
import plugin, { type KafkaOptions } from "../src/index.ts";
import { AdvertisingProxy } from "./advertising-proxy.ts";
import { addressOf, freshName, KAFKA_URL, withKafka } from "./server.ts";

const QUICK: KafkaOptions["consumer_options"] = [
  ["heartbeat.interval.ms", "200"],
  ["session.timeout.ms", "6000"],
  ["fetch.wait.max.ms", "50"],
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
    keyed: (message, key) => message.with({ metadata: { key } }),
    bad: [
      { name: "a topic that does not exist", side: "input", config: { url: KAFKA_URL, topic: "no-such-topic", group_id: "g" } },
      {
        name: "a topic that does not exist and is not to be made",
        side: "output",
        config: { url: KAFKA_URL, topic: "no-such-topic", create_topic: false },
      },
      { name: "a name that no topic can have", side: "output", config: { url: KAFKA_URL, topic: "a/b" } },
      { name: "an option that nobody knows", side: "input", config: { url: KAFKA_URL, topic: "a", consumer_options: [["no.such", "1"]] } },
    ],
    async fresh() {
      const topic = freshName();
      const both = { url: KAFKA_URL, topic };
      const input = { ...both, group_id: topic, consumer_options: QUICK };
      const output = { ...both, partition_key: "key", partitions: 1 };
      return {
        input,
        output,
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
