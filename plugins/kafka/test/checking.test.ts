import { checkRoute, createRegistry } from "@mqb/core";
import standard from "@mqb/standard";
import { CollectingPublisher, fakePlugin, ScriptedConsumer } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import plugin, { type KafkaOptions } from "../src/index.ts";

const registry = createRegistry([
  plugin,
  fakePlugin({
    source: { consumer: () => new ScriptedConsumer() },
    sink: { publisher: () => new CollectingPublisher() },
  }),
]);

function problems(side: "input" | "output", kafka: KafkaOptions, route = "r"): string[] {
  const config =
    side === "input" ? { input: { kafka }, output: { sink: {} } } : { input: { source: {} }, output: { kafka } };
  const checked = checkRoute(registry, route, config);
  return checked.problems
    .filter(({ level }) => level === "error")
    .map(({ path, message }) => `${path.join(".")}: ${message}`);
}

const URL = "k1:9092,k2:9092";

describe("a kafka configuration", () => {
  it("is right with brokers and a topic, or the route's name as the topic", () => {
    expect(problems("input", { url: URL, topic: "a", group_id: "g" })).toEqual([]);
    expect(problems("output", { url: URL })).toEqual([]);
    expect(problems("output", { brokers: "[::1]:9092" })).toEqual([]);
    expect(problems("input", { url: URL, topic: ["a", "b"] })).toEqual([]);
  });

  it.each<[string, "input" | "output", KafkaOptions, RegExp]>([
    ["no brokers", "input", { topic: "a" }, /needs the field "url"/],
    ["brokers twice", "input", { url: URL, brokers: URL }, /`brokers` is another spelling/],
    ["something else than brokers", "input", { url: "http://x/y" }, /is no list of brokers/],
    ["a login in the url", "input", { url: "u:secret@h:1" }, /is no list of brokers/],
    ["a name that no topic has", "input", { url: URL, topic: "a b" }, /topic/],
    ["two topics to write to", "output", { url: URL, topic: ["a", "b"] }, /topic: an output writes to one topic/],
    [
      "a password without a user",
      "output",
      { url: URL, password: "secret" },
      /username: `password` needs a `username`/,
    ],
    ["a user without a password", "output", { url: URL, username: "u" }, /password: `username` needs a `password`/],
    [
      "a login that is not used",
      "output",
      { url: URL, username: "u", password: "secret", producer_options: [["security.protocol", "ssl"]] },
      /would not be used/,
    ],
    [
      "a transaction by the other engine",
      "output",
      { url: URL, engine: "rdkafka", transactional_id: "t" },
      /transactional_id: the engine "rdkafka" writes no transactions/,
    ],
    [
      "an option of the other engine that has a field",
      "input",
      { url: URL, group_id: "g", engine: "rdkafka", consumer_options: [["group.id", "x"]] },
      /"group.id" cannot be set: use the field `group_id`/,
    ],
    [
      "commits that the other engine would make by itself",
      "input",
      { url: URL, group_id: "g", engine: "rdkafka", consumer_options: [["enable.auto.commit", "true"]] },
      /it is always false: offsets are committed when/,
    ],
    [
      "a way of sharing out that the other engine is not used with",
      "input",
      { url: URL, engine: "rdkafka", consumer_options: [["partition.assignment.strategy", "cooperative-sticky"]] },
      /range, roundrobin are known/,
    ],
    [
      "an option nobody knows",
      "output",
      { url: URL, producer_options: [["x", "1"]] },
      /producer_options.0: "x" is not an option/,
    ],
    [
      "a transaction that does not wait",
      "output",
      { url: URL, transactional_id: "t", delayed_ack: true },
      /transactional_id: a transaction waits/,
    ],
    [
      "a transaction without all acks",
      "output",
      { url: URL, transactional_id: "t", producer_options: [["acks", "1"]] },
      /transactional_id: a transaction needs/,
    ],
    ["a certificate without its key", "output", { url: URL, tls: { required: true, cert_file: "a" } }, /tls/],
  ])("is wrong with %s", (_, side, options, says) => {
    const found = problems(side, options);
    expect(
      found.some((one) => says.test(one)),
      found.join("; "),
    ).toBe(true);
    expect(found.join()).not.toContain("secret");
  });

  it("needs a topic where the name of the route cannot be one", () => {
    expect(problems("output", { url: URL }, "my route")[0]).toMatch(/topic.*is no name for a Kafka topic/);
  });
});

describe("an output with a transactional_id", () => {
  const input = { kafka: { url: URL, topic: "a", group_id: "g" } };
  const check = (middlewares: readonly object[]): string[] => {
    const output = { kafka: { url: URL, topic: "b", transactional_id: "id" }, middlewares };
    const all = createRegistry([plugin, standard]);
    return checkRoute(all, "r", { input, output }).problems.map(({ code, message }) => `${code} ${message}`);
  };

  it("is refused beside a middleware that takes messages out of their batch", () => {
    const [problem] = check([{ filter: "true" }]);
    expect(problem).toMatch(/^MQB_KAFKA_TRANSACTION_UNFIT "filter" takes messages out/);
  });

  it("is right beside one that does not", () => {
    expect(check([{ retry: { max_attempts: 2 } }])).toEqual([]);
    expect(check([])).toEqual([]);
  });
});
