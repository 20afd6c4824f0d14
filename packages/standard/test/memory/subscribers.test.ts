import { NACK } from "@mqb/core/plugin";
import { isPending, messageBatch, texts, within } from "@mqb/testkit";
import { expect, it } from "vitest";
import { NEVER, TestBridge } from "../opened.ts";

const SUBSCRIBE = { memory: { topic: "t", subscribe_mode: true } };
const QUEUE = { memory: { topic: "t" } };

it("gives every message to every subscriber, in order", async () => {
  const bridge = new TestBridge();
  const one = await bridge.consumer(SUBSCRIBE);
  const two = await bridge.consumer(SUBSCRIBE);
  const publisher = await bridge.publisher(QUEUE);
  await publisher.send(messageBatch(100), NEVER);
  await publisher.send(messageBatch(100, { from: 100 }), NEVER);
  for (const consumer of [one, two]) {
    const all = [
      ...texts((await consumer.receive(70, NEVER)).batch),
      ...texts((await consumer.receive(70, NEVER)).batch),
    ];
    all.push(...texts((await consumer.receive(100, NEVER)).batch));
    expect(all).toEqual(texts(messageBatch(200)));
  }
});

it("wakes all subscribers that wait", async () => {
  const bridge = new TestBridge();
  const consumers = [await bridge.consumer(SUBSCRIBE), await bridge.consumer(SUBSCRIBE)];
  const waiting = consumers.map((consumer) => consumer.receive(10, NEVER));
  const publisher = await bridge.publisher(QUEUE);
  await publisher.send(messageBatch(1), NEVER);
  for (const { batch } of await Promise.all(waiting)) expect(texts(batch)).toEqual(["message 0"]);
});

it("makes the sender wait for the slowest subscriber, and not for one that has closed", async () => {
  const bridge = new TestBridge();
  const fast = await bridge.consumer(SUBSCRIBE);
  const slow = await bridge.consumer(SUBSCRIBE);
  const publisher = await bridge.publisher({ memory: { topic: "t", capacity: 2 } });
  const sends = [0, 1, 2].map((n) => publisher.send(messageBatch(100, { from: n * 100 }), NEVER));
  await fast.receive(100, NEVER);
  await fast.receive(100, NEVER);
  expect(await isPending(sends[2]!)).toBe(true);
  await slow.close();
  await within(sends[2]!, "the slot becomes free");
  expect((await fast.receive(100, NEVER)).batch.length).toBe(100);
});

it("keeps what is sent before the first subscriber comes, up to the capacity", async () => {
  const bridge = new TestBridge();
  const publisher = await bridge.publisher({ memory: { topic: "t", capacity: 2 } });
  await publisher.send(messageBatch(1, { from: 0 }), NEVER);
  await publisher.send(messageBatch(1, { from: 1 }), NEVER);
  const third = publisher.send(messageBatch(1, { from: 2 }), NEVER);
  expect(await isPending(third)).toBe(true);
  const consumer = await bridge.consumer(SUBSCRIBE);
  expect(texts((await consumer.receive(10, NEVER)).batch)).toEqual(["message 0", "message 1"]);
  await within(third, "there is room again");
  expect(texts((await consumer.receive(10, NEVER)).batch)).toEqual(["message 2"]);
});

it.each([
  [QUEUE, SUBSCRIBE],
  [SUBSCRIBE, QUEUE],
])("refuses a topic that is read in both ways", async (first, second) => {
  const bridge = new TestBridge();
  await bridge.consumer(first);
  const refused = bridge.consumer(second);
  await expect(refused).rejects.toMatchObject({ code: "MQB_STANDARD_MEMORY_TOPIC_MODE", kind: "config" });
  await expect(refused).rejects.toThrow(/"t"/);
});

it("lets a publisher decide that the topic has subscribers", async () => {
  const bridge = new TestBridge();
  await bridge.publisher(SUBSCRIBE);
  await expect(bridge.consumer(QUEUE)).rejects.toMatchObject({ code: "MQB_STANDARD_MEMORY_TOPIC_MODE" });
  expect((await bridge.consumer(SUBSCRIBE)).status?.().details).toEqual({ mode: "subscribers" });
});

it("brings a nacked message back to its subscriber alone", async () => {
  const bridge = new TestBridge();
  const one = await bridge.consumer({ memory: { topic: "t", subscribe_mode: true, enable_nack: true } });
  const two = await bridge.consumer(SUBSCRIBE);
  const publisher = await bridge.publisher(QUEUE);
  await publisher.send(messageBatch(1), NEVER);
  await (await one.receive(1, NEVER)).commit([NACK]);
  expect(texts((await one.receive(1, NEVER)).batch)).toEqual(["message 0"]);
  await two.receive(1, NEVER);
  expect(await isPending(two.receive(1, NEVER))).toBe(true);
});

it("goes on after a reconnect where the subscriber was, with what it had not settled", async () => {
  const bridge = new TestBridge();
  const session = new Map<string, unknown>();
  const endpoint = { memory: { topic: "t", subscribe_mode: true, enable_nack: true } };
  const consumer = await bridge.consumer(endpoint, bridge.context({ session }));
  const publisher = await bridge.publisher(QUEUE);
  await publisher.send(messageBatch(2), NEVER);
  await consumer.receive(1, NEVER);
  await consumer.close();
  await publisher.send(messageBatch(1, { from: 2 }), NEVER);
  const again = await bridge.consumer(endpoint, bridge.context({ session }));
  const seen: string[] = [];
  while (seen.length < 3) seen.push(...texts((await again.receive(1, NEVER)).batch));
  expect(seen).toEqual(["message 0", "message 1", "message 2"]);
});

it("does not hold the others up while a subscriber is away, and says what it has missed", async () => {
  const bridge = new TestBridge();
  const session = new Map<string, unknown>();
  const away = await bridge.consumer(SUBSCRIBE, bridge.context({ session }));
  const stays = await bridge.consumer(SUBSCRIBE);
  const publisher = await bridge.publisher({ memory: { topic: "t", capacity: 1 } });
  await away.close();
  for (let i = 0; i < 3; i++) {
    await publisher.send(messageBatch(1, { from: i }), NEVER);
    await stays.receive(1, NEVER);
  }
  const context = bridge.context({ session });
  const back = await bridge.consumer(SUBSCRIBE, context);
  expect(context.log.at("warn")).toEqual([expect.stringMatching(/3 batch\(es\) of the memory topic t were missed/)]);
  await publisher.send(messageBatch(1, { from: 3 }), NEVER);
  expect(texts((await back.receive(1, NEVER)).batch)).toEqual(["message 3"]);
});

it("keeps what nobody has read when the last subscriber closes", async () => {
  const bridge = new TestBridge();
  const consumer = await bridge.consumer(SUBSCRIBE);
  const publisher = await bridge.publisher(QUEUE);
  await publisher.send(messageBatch(1), NEVER);
  await consumer.close();
  const next = await bridge.consumer(SUBSCRIBE);
  expect(texts((await next.receive(10, NEVER)).batch)).toEqual(["message 0"]);
});
