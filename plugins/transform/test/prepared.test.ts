import { batchOf, Message, type MessageBatch } from "@mqb/core/plugin";
import { CollectingPublisher } from "@mqb/testkit";
import { expect, it } from "vitest";
import { never, publisherFor } from "./transforming.ts";

const documents = (...payloads: string[]) => batchOf(payloads.map((payload) => new Message(payload)));

it("sends of each prepared batch what was made of it, in whatever order they were prepared", async () => {
  const sink = new CollectingPublisher();
  const publisher = await publisherFor({ mapping: { k: "$.a" } }, sink);
  const [first, second] = [documents('{"a":1}', "broken"), documents('{"a":2}')];
  publisher.willSend!(second);
  publisher.willSend!(first);
  expect(sink.sends).toEqual([]);
  const outcomes = await publisher.send(first, never);
  expect(outcomes!.map(({ type }) => type)).toEqual(["accepted", "failed"]);
  expect(await publisher.send(second, never)).toBeUndefined();
  expect(sink.messages.map((message) => message.text())).toEqual(['{"k":1}', '{"k":2}']);
});

it("transforms a prepared batch anew when it is sent once more", async () => {
  const sink = new CollectingPublisher();
  const publisher = await publisherFor({ mapping: { k: "$.a" } }, sink);
  const batch = documents('{"a":1}');
  publisher.willSend!(batch);
  await publisher.send(batch, never);
  await publisher.send(batch, never);
  expect(sink.sends[1]).not.toBe(sink.sends[0]);
  expect(sink.messages.map((message) => message.text())).toEqual(['{"k":1}', '{"k":1}']);
});

it("tells what is behind it of the batch that it will send, and of none where nothing is left", async () => {
  const told: MessageBatch[] = [];
  const sink = Object.assign(new CollectingPublisher(), { willSend: (batch: MessageBatch) => void told.push(batch) });
  const publisher = await publisherFor({ mapping: { k: "$.a" } }, sink);
  const [first, second] = [documents('{"a":1}', "broken"), documents("broken")];
  publisher.willSend!(first);
  publisher.willSend!(second);
  await publisher.send(first, never);
  await publisher.send(second, never);
  expect(told).toEqual(sink.sends);
  expect(told).toHaveLength(1);
});
