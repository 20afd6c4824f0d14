import { ACK, NACK } from "@mqb/core/plugin";
import { messageBatch, texts } from "@mqb/testkit";
import { expect, it } from "vitest";
import { NEVER, TestBridge } from "../opened.ts";

it("brings nacked messages back before newer ones, in their order", async () => {
  const bridge = new TestBridge();
  const consumer = await bridge.consumer({ memory: { topic: "t", enable_nack: true } });
  const publisher = await bridge.publisher({ memory: { topic: "t" } });
  await publisher.send(messageBatch(4), NEVER);
  await publisher.send(messageBatch(2, { from: 4 }), NEVER);
  const first = await consumer.receive(4, NEVER);
  await first.commit([NACK, ACK, NACK, ACK]);
  expect(texts((await consumer.receive(10, NEVER)).batch)).toEqual(["message 0", "message 2"]);
  expect(texts((await consumer.receive(10, NEVER)).batch)).toEqual(["message 4", "message 5"]);
});

it("does not let a message that always fails hold up the others", async () => {
  const bridge = new TestBridge();
  const consumer = await bridge.consumer({ memory: { topic: "t", enable_nack: true } });
  const publisher = await bridge.publisher({ memory: { topic: "t" } });
  await publisher.send(messageBatch(2), NEVER);
  const seen: string[] = [];
  for (let i = 0; i < 6; i++) {
    const delivery = await consumer.receive(1, NEVER);
    const [text] = texts(delivery.batch);
    seen.push(text!);
    await delivery.commit(text === "message 0" ? [NACK] : undefined);
  }
  expect(seen).toContain("message 1");
  expect(seen.filter((text) => text === "message 0").length).toBeGreaterThan(3);
});

it("hands returned messages on alone, so that those beside them do not share their count of returns", async () => {
  const bridge = new TestBridge();
  const consumer = await bridge.consumer({ memory: { topic: "t", enable_nack: true } });
  const publisher = await bridge.publisher({ memory: { topic: "t" } });
  await publisher.send(messageBatch(1), NEVER);
  for (let i = 0; i < 2; i++) await (await consumer.receive(10, NEVER)).commit([NACK]);
  const last = await consumer.receive(10, NEVER);
  await publisher.send(messageBatch(1, { from: 1 }), NEVER);
  await last.commit([NACK]);
  await publisher.send(messageBatch(1, { from: 2 }), NEVER);
  const batches = [
    await consumer.receive(10, NEVER),
    await consumer.receive(10, NEVER),
    await consumer.receive(10, NEVER),
  ];
  expect(batches.map(({ batch }) => texts(batch))).toEqual([["message 1"], ["message 0"], ["message 2"]]);
});

it("puts returned messages into a full topic without waiting for room", async () => {
  const bridge = new TestBridge();
  const consumer = await bridge.consumer({ memory: { topic: "t", enable_nack: true } });
  const publisher = await bridge.publisher({ memory: { topic: "t", capacity: 1 } });
  await publisher.send(messageBatch(1), NEVER);
  const delivery = await consumer.receive(1, NEVER);
  await publisher.send(messageBatch(1, { from: 1 }), NEVER);
  await delivery.commit([NACK]);
  expect(texts((await consumer.receive(1, NEVER)).batch)).toEqual(["message 0"]);
});

it("says so when a nacked message is lost, and counts it", async () => {
  const bridge = new TestBridge();
  const context = bridge.context();
  const consumer = await bridge.consumer({ memory: { topic: "t" } }, context);
  const publisher = await bridge.publisher({ memory: { topic: "t" } });
  await publisher.send(messageBatch(3), NEVER);
  await (await consumer.receive(3, NEVER)).commit([NACK, ACK, NACK]);
  expect(context.log.at("warn")).toEqual([expect.stringMatching(/2 nacked message.*topic t are lost.*enable_nack/)]);
  expect(consumer.status?.()).toMatchObject({ pending: 0, details: { lost: 2 } });
});

it("gives unsettled batches back when the consumer closes", async () => {
  const bridge = new TestBridge();
  const publisher = await bridge.publisher({ memory: { topic: "t" } });
  for (const from of [0, 100, 200]) await publisher.send(messageBatch(100, { from }), NEVER);
  const consumer = await bridge.consumer({ memory: { topic: "t", enable_nack: true } });
  const deliveries = [await consumer.receive(100, NEVER), await consumer.receive(100, NEVER)];
  await deliveries[0]!.commit();
  await consumer.close();
  await expect(deliveries[1]!.commit()).rejects.toMatchObject({ code: "MQB_STANDARD_MEMORY_RETURNED" });
  const next = await bridge.consumer({ memory: { topic: "t", enable_nack: true } });
  expect(texts((await next.receive(100, NEVER)).batch)[0]).toBe("message 100");
  expect(texts((await next.receive(100, NEVER)).batch)[0]).toBe("message 200");
});

it("gives a nacked message to whoever waits", async () => {
  const bridge = new TestBridge();
  const consumer = await bridge.consumer({ memory: { topic: "t", enable_nack: true } });
  const other = await bridge.consumer({ memory: { topic: "t", enable_nack: true } });
  const publisher = await bridge.publisher({ memory: { topic: "t" } });
  await publisher.send(messageBatch(1), NEVER);
  const delivery = await consumer.receive(1, NEVER);
  const waiting = other.receive(1, NEVER);
  await delivery.commit([NACK]);
  expect(texts((await waiting).batch)).toEqual(["message 0"]);
});

it("refuses a wrong number of dispositions", async () => {
  const bridge = new TestBridge();
  const consumer = await bridge.consumer({ memory: { topic: "t" } });
  const publisher = await bridge.publisher({ memory: { topic: "t" } });
  await publisher.send(messageBatch(3), NEVER);
  await expect((await consumer.receive(3, NEVER)).commit([ACK])).rejects.toThrow("1 dispositions for a batch of 3");
});
