import { lineBatch, messageBatch, texts } from "@mqb/testkit";
import { expect, it } from "vitest";
import { NEVER, TestBridge } from "../opened.ts";

it("hands on a batch as the object that was sent", async () => {
  const bridge = new TestBridge();
  const consumer = await bridge.consumer({ memory: { topic: "t" } });
  const publisher = await bridge.publisher({ memory: { topic: "t" } });
  const batch = lineBatch(1_000);
  expect(await publisher.send(batch, NEVER)).toBeUndefined();
  expect((await consumer.receive(1_000, NEVER)).batch).toBe(batch);
});

it("hands out at most what is asked for, and the rest next", async () => {
  const bridge = new TestBridge();
  const publisher = await bridge.publisher({ memory: { topic: "t" } });
  await publisher.send(lineBatch(250), NEVER);
  const consumer = await bridge.consumer({ memory: { topic: "t" } });
  const lengths: number[] = [];
  const all: string[] = [];
  for (let i = 0; i < 3; i++) {
    const { batch } = await consumer.receive(100, NEVER);
    lengths.push(batch.length);
    all.push(...texts(batch));
  }
  expect(lengths).toEqual([100, 100, 50]);
  expect(all).toEqual(texts(lineBatch(250)));
});

it("joins small batches that wait, in their order", async () => {
  const bridge = new TestBridge();
  const publisher = await bridge.publisher({ memory: { topic: "t" } });
  for (let i = 0; i < 10; i++) await publisher.send(messageBatch(3, { from: i * 3 }), NEVER);
  const consumer = await bridge.consumer({ memory: { topic: "t" } });
  const first = await consumer.receive(20, NEVER);
  const second = await consumer.receive(20, NEVER);
  expect([first.batch.length, second.batch.length]).toEqual([18, 12]);
  expect([...texts(first.batch), ...texts(second.batch)]).toEqual(texts(messageBatch(30)));
});

it("does not take large batches apart to join them", async () => {
  const bridge = new TestBridge();
  const publisher = await bridge.publisher({ memory: { topic: "t" } });
  const large = messageBatch(200);
  await publisher.send(large, NEVER);
  await publisher.send(messageBatch(1), NEVER);
  const consumer = await bridge.consumer({ memory: { topic: "t" } });
  expect((await consumer.receive(1_000, NEVER)).batch).toBe(large);
});

it("shares the messages between the consumers of a topic", async () => {
  const bridge = new TestBridge();
  const one = await bridge.consumer({ memory: { topic: "t" } });
  const two = await bridge.consumer({ memory: { topic: "memory://t" } });
  const waiting = [one.receive(100, NEVER), two.receive(100, NEVER)];
  const publisher = await bridge.publisher({ memory: { url: "t" } });
  await publisher.send(messageBatch(150), NEVER);
  const batches = await Promise.all(waiting);
  expect(batches.map(({ batch }) => batch.length)).toEqual([100, 50]);
});

it("keeps topics apart, also those of other bridges", async () => {
  const bridge = new TestBridge();
  const publisher = await bridge.publisher({ memory: { topic: "t" } });
  await publisher.send(messageBatch(1), NEVER);
  for (const other of [bridge, new TestBridge()]) {
    const consumer = await other.consumer({ memory: { topic: other === bridge ? "u" : "t" } });
    expect(consumer.status?.().pending).toBe(0);
  }
});

it("reports queued batches and the capacity", async () => {
  const bridge = new TestBridge();
  const publisher = await bridge.publisher({ memory: { topic: "t", capacity: 7 } });
  await publisher.send(messageBatch(500), NEVER);
  await publisher.send(messageBatch(1), NEVER);
  const expected = { healthy: true, target: "t", pending: 2, capacity: 7, details: { mode: "queue" } };
  expect(publisher.status?.()).toEqual(expected);
  const consumer = await bridge.consumer({ memory: { topic: "t" } });
  expect(consumer.status?.()).toEqual(expected);
});

it("makes neither timers nor messages for what passes", async () => {
  const bridge = new TestBridge();
  const context = bridge.context();
  const consumer = await bridge.consumer({ memory: { topic: "t", enable_nack: true } }, context);
  const publisher = await bridge.publisher({ memory: { topic: "t" } }, context);
  for (let i = 0; i < 50; i++) {
    const batch = lineBatch(100);
    batch.at = () => {
      throw new Error("a message was made");
    };
    await publisher.send(batch, NEVER);
    await (await consumer.receive(100, NEVER)).commit();
  }
  expect(context.clock.armed).toBe(0);
});
