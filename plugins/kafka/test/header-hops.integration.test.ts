import { createBridge, createRegistry } from "@mqb/core";
import { describeError } from "@mqb/core/plugin";
import file from "@mqb/file";
import standard from "@mqb/standard";
import { TempDir } from "@mqb/testkit";
import { expect, it } from "vitest";
import plugin from "../src/index.ts";
import { createTopic } from "./admin.ts";
import { produceRaw } from "./raw-batches.ts";
import { readAll } from "./records.ts";
import { freshName, KAFKA_URL, withKafka } from "./server.ts";

/** Field case: only headers that were valid UTF-8 survived, and of several with one name only the last. */
const HEADERS: readonly (readonly [string, Buffer | null])[] = [
  ["trace", Buffer.from("abc")],
  ["sig", Buffer.of(0, 255, 128)],
  ["tag", Buffer.from("a")],
  ["tag", Buffer.from("b")],
  ["nul", null],
];

async function topicWithHeaders(): Promise<string> {
  const topic = freshName();
  await createTopic(topic);
  await produceRaw(topic, 0, [{ key: Buffer.from("k"), value: Buffer.from("v"), headers: HEADERS }]);
  return topic;
}

async function copy(input: object, output: object): Promise<void> {
  const registry = createRegistry([plugin, file, standard]);
  const config = { exit_on_empty: true, startup_timeout_ms: 20_000, input, output };
  const route = createBridge({ registry }).route("r", config as never);
  await route.start();
  const { outcome, error } = await route.done;
  expect(outcome, describeError(error)).toBe("completed");
}

const reading = (topic: string): object => ({ kafka: { url: KAFKA_URL, topic, group_id: topic } });

async function headersIn(topic: string): Promise<object> {
  const [record] = await readAll(topic);
  const { "mq_bridge.message_id": _, ...headers } = record!.message.headers!;
  return headers;
}

/** As the other client reads them. */
const AS_READ = {
  trace: Buffer.from("abc"),
  sig: Buffer.of(0, 255, 128),
  tag: [Buffer.from("a"), Buffer.from("b")],
  nul: null,
};

await withKafka(() => {
  it("headers of every kind are the same in the next topic", { timeout: 60_000 }, async () => {
    const [from, to] = [await topicWithHeaders(), freshName()];
    await copy(reading(from), { kafka: { url: KAFKA_URL, topic: to } });
    const headers = await headersIn(to);
    expect(headers).toEqual(AS_READ);
    expect(Object.keys(headers)).toEqual(["trace", "sig", "tag", "nul"]);
  });

  it("headers do not grow from topic to topic", { timeout: 60_000 }, async () => {
    const topics = [await topicWithHeaders(), freshName(), freshName(), freshName()];
    for (const [n, to] of topics.slice(1).entries())
      await copy(reading(topics[n]!), { kafka: { url: KAFKA_URL, topic: to } });
    const [record] = await readAll(topics[3]!);
    const { "mq_bridge.message_id": ids, ...headers } = record!.message.headers!;
    expect(headers).toEqual(AS_READ);
    // That of the message, and that which came as metadata, as the original writes them.
    expect(ids).toHaveLength(2);
  });

  it("headers of every kind come back from a file of messages", { timeout: 60_000 }, async () => {
    await using dir = await TempDir.make();
    const [from, to] = [await topicWithHeaders(), freshName()];
    const path = dir.file("messages.jsonl");
    await copy(reading(from), { file: { path, format: "normal" } });
    expect(await dir.read("messages.jsonl")).toContain('[\\"sig\\",{\\"b64\\":\\"AP+A\\"}]');
    await copy({ file: { path, format: "normal" } }, { kafka: { url: KAFKA_URL, topic: to } });
    expect(await headersIn(to)).toEqual(AS_READ);
  });
});
