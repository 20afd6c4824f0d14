import { isMqbError } from "@mqb/core/plugin";
import { type FakeContext, isPending, messageBatch, texts, within } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { NEVER, TestBridge } from "../opened.ts";

it("makes the sender wait while all slots are taken, and lets waiting senders in by turn", async () => {
  const bridge = new TestBridge();
  const publisher = await bridge.publisher({ memory: { topic: "t", capacity: 2 } });
  await publisher.send(messageBatch(100, { from: 0 }), NEVER);
  await publisher.send(messageBatch(100, { from: 100 }), NEVER);
  const third = publisher.send(messageBatch(100, { from: 200 }), NEVER);
  const fourth = publisher.send(messageBatch(100, { from: 300 }), NEVER);
  expect(await isPending(third)).toBe(true);

  const consumer = await bridge.consumer({ memory: { topic: "t" } });
  const received = [await consumer.receive(1_000, NEVER)];
  await within(third, "the third send gets the free slot");
  expect(await isPending(fourth)).toBe(true);
  received.push(await consumer.receive(1_000, NEVER));
  await within(fourth, "the fourth send gets the next one");
  received.push(await consumer.receive(1_000, NEVER), await consumer.receive(1_000, NEVER));
  expect(received.flatMap(({ batch }) => texts(batch))).toEqual(texts(messageBatch(400)));
});

it("keeps a slot taken until the last message of its batch is", async () => {
  const bridge = new TestBridge();
  const publisher = await bridge.publisher({ memory: { topic: "t", capacity: 1 } });
  await publisher.send(messageBatch(100), NEVER);
  const next = publisher.send(messageBatch(1), NEVER);
  const consumer = await bridge.consumer({ memory: { topic: "t" } });
  await consumer.receive(99, NEVER);
  expect(await isPending(next)).toBe(true);
  await consumer.receive(99, NEVER);
  await within(next, "the slot becomes free");
});

it("takes the largest capacity that a side of the topic gives", async () => {
  const bridge = new TestBridge();
  await bridge.consumer({ memory: { topic: "t", capacity: 3 } });
  const publisher = await bridge.publisher({ memory: { topic: "t", capacity: 1 } });
  expect(publisher.status?.().capacity).toBe(3);
});

it("lets waiting senders in when another side gives a larger capacity", async () => {
  const bridge = new TestBridge();
  const publisher = await bridge.publisher({ memory: { topic: "t", capacity: 1 } });
  await publisher.send(messageBatch(1), NEVER);
  const waiting = publisher.send(messageBatch(1), NEVER);
  await bridge.consumer({ memory: { topic: "t", capacity: 2 } });
  await within(waiting, "there is room");
});

it("gives a waiting send up when its signal aborts, and only that one", async () => {
  const bridge = new TestBridge();
  const publisher = await bridge.publisher({ memory: { topic: "t", capacity: 1 } });
  await publisher.send(messageBatch(1, { from: 0 }), NEVER);
  const stop = new AbortController();
  const given = publisher.send(messageBatch(1, { from: 1 }), stop.signal);
  const kept = publisher.send(messageBatch(1, { from: 2 }), NEVER);
  stop.abort();
  await expect(given).rejects.toMatchObject({ code: "MQB_STANDARD_MEMORY_FULL", kind: "retryable" });
  const consumer = await bridge.consumer({ memory: { topic: "t" } });
  const first = await consumer.receive(1, NEVER);
  await within(kept, "the other send goes on");
  const second = await consumer.receive(1, NEVER);
  expect([...texts(first.batch), ...texts(second.batch)]).toEqual(["message 0", "message 2"]);
});

it("refuses to wait with a signal that is aborted already", async () => {
  const bridge = new TestBridge();
  const publisher = await bridge.publisher({ memory: { topic: "t", capacity: 1 } });
  await publisher.send(messageBatch(1), NEVER);
  await expect(publisher.send(messageBatch(1), AbortSignal.abort())).rejects.toSatisfy(isMqbError);
});

it("does not keep listening to the signals of sends that are over", async () => {
  const bridge = new TestBridge();
  const publisher = await bridge.publisher({ memory: { topic: "t", capacity: 1 } });
  const consumer = await bridge.consumer({ memory: { topic: "t" } });
  let listeners = 0;
  for (let i = 0; i < 200; i++) {
    const { signal } = new AbortController();
    const { addEventListener, removeEventListener } = signal;
    signal.addEventListener = (...given: Parameters<typeof addEventListener>) => {
      listeners++;
      addEventListener.apply(signal, given);
    };
    signal.removeEventListener = (...given: Parameters<typeof removeEventListener>) => {
      listeners--;
      removeEventListener.apply(signal, given);
    };
    await publisher.send(messageBatch(1), signal);
    const waiting = publisher.send(messageBatch(1), signal);
    await consumer.receive(1, NEVER);
    await waiting;
    await consumer.receive(1, NEVER);
  }
  expect(listeners).toBeLessThan(20);
  await publisher.close();
  expect(listeners).toBe(0);
});

it("ends waiting sends when the publisher closes; the batch is not in the topic", async () => {
  const bridge = new TestBridge();
  const publisher = await bridge.publisher({ memory: { topic: "t", capacity: 1 } });
  await publisher.send(messageBatch(1), NEVER);
  const waiting = publisher.send(messageBatch(1), NEVER);
  await publisher.close();
  await publisher.close();
  await expect(waiting).rejects.toMatchObject({ code: "MQB_STANDARD_MEMORY_CLOSED", kind: "connection" });
  await expect(publisher.send(messageBatch(1), NEVER)).rejects.toMatchObject({ code: "MQB_STANDARD_MEMORY_CLOSED" });
  const consumer = await bridge.consumer({ memory: { topic: "t" } });
  await consumer.receive(10, NEVER);
  expect(consumer.status?.().pending).toBe(0);
});

describe("a sender that waits because nobody reads the topic", () => {
  const fill = async (context: FakeContext, bridge: TestBridge) => {
    const publisher = await bridge.publisher({ memory: { topic: "t", capacity: 1 } }, context);
    await publisher.send(messageBatch(1), NEVER);
    const waiting = publisher.send(messageBatch(1), NEVER);
    waiting.catch(() => {});
    return { publisher, waiting };
  };

  it("says so once, after five seconds", async () => {
    const bridge = new TestBridge();
    const context = bridge.context();
    const { publisher, waiting } = await fill(context, bridge);
    await context.clock.advance(4999);
    expect(context.log.at("warn")).toEqual([]);
    await context.clock.advance(60_000);
    publisher.send(messageBatch(1), NEVER).catch(() => {});
    await context.clock.advance(60_000);
    expect(context.log.at("warn")).toEqual([expect.stringContaining("the memory topic t is full (1 batches)")]);
    expect(await isPending(waiting)).toBe(true);
    await publisher.close();
  });

  it("says nothing of a slow reader, and leaves no timer behind", async () => {
    const bridge = new TestBridge();
    const context = bridge.context();
    const { publisher } = await fill(context, bridge);
    const consumer = await bridge.consumer({ memory: { topic: "t" } });
    await context.clock.advance(60_000);
    expect(context.log.at("warn")).toEqual([]);
    await consumer.close();
    await context.clock.advance(6000);
    expect(context.log.at("warn")).toHaveLength(1);
    await publisher.close();
    expect(context.clock.pending).toBe(0);
  });
});
