import { isPending, messageBatch, texts, within } from "@mqb/testkit";
import { expect, it } from "vitest";
import { NEVER, TestBridge } from "../opened.ts";

it("waits for the first message", async () => {
  const bridge = new TestBridge();
  const consumer = await bridge.consumer({ memory: { topic: "t" } });
  const received = consumer.receive(10, NEVER);
  expect(await isPending(received)).toBe(true);
  const publisher = await bridge.publisher({ memory: { topic: "t" } });
  await publisher.send(messageBatch(2), NEVER);
  expect(texts((await received).batch)).toEqual(["message 0", "message 1"]);
});

it.each(["the signal aborts", "the consumer closes"])("stops waiting with an empty batch when %s", async (how) => {
  const bridge = new TestBridge();
  const consumer = await bridge.consumer({ memory: { topic: "t" } });
  const stop = new AbortController();
  const received = consumer.receive(10, stop.signal);
  if (how === "the signal aborts") stop.abort();
  else await consumer.close();
  const delivery = await within(received, "receive ends");
  expect(delivery.batch.length).toBe(0);
  await delivery.commit();
});

it("loses nothing to a receive that was given up", async () => {
  const bridge = new TestBridge();
  const consumer = await bridge.consumer({ memory: { topic: "t" } });
  const publisher = await bridge.publisher({ memory: { topic: "t" } });
  for (let i = 0; i < 3; i++) {
    const stop = new AbortController();
    const received = consumer.receive(10, stop.signal);
    stop.abort();
    await received;
  }
  await publisher.send(messageBatch(1), NEVER);
  expect((await consumer.receive(10, NEVER)).batch.length).toBe(1);
});

it("gives what is there although the signal is aborted, and nothing when there is nothing", async () => {
  const bridge = new TestBridge();
  const consumer = await bridge.consumer({ memory: { topic: "t" } });
  const publisher = await bridge.publisher({ memory: { topic: "t" } });
  await publisher.send(messageBatch(1), NEVER);
  expect((await consumer.receive(10, AbortSignal.abort())).batch.length).toBe(1);
  expect((await consumer.receive(10, AbortSignal.abort())).batch.length).toBe(0);
});

it("refuses a receive after close", async () => {
  const bridge = new TestBridge();
  const consumer = await bridge.consumer({ memory: { topic: "t" } });
  await consumer.close();
  await consumer.close();
  await expect(consumer.receive(1, NEVER)).rejects.toMatchObject({ code: "MQB_STANDARD_MEMORY_CLOSED" });
});
