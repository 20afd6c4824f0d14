import { ACK, batchOf, Message, NACK } from "@mqb/core/plugin";
import { lineBatch, messages, texts } from "@mqb/testkit";
import { expect, it } from "vitest";
import { NEVER } from "../opened.ts";
import { filteredSource } from "./setup.ts";

const some = (...payloads: string[]) => batchOf(payloads.map((text) => new Message(text)));

it("passes a delivery of which everything is kept as it is", async () => {
  const { source, consumer } = await filteredSource();
  const batch = lineBatch(10);
  source.push(batch);
  const delivery = await consumer.receive(100, NEVER);
  expect(delivery.batch).toBe(batch);
  await delivery.commit();
  expect(source.commits[0]!.dispositions).toBeUndefined();
});

it("takes out what does not match, and acknowledges it with the rest", async () => {
  const { source, context, consumer } = await filteredSource();
  source.push(some("drop 0", "a", "drop 1", "b"));
  context.accounting.receive(4);
  const delivery = await consumer.receive(100, NEVER);
  expect(texts(delivery.batch)).toEqual(["a", "b"]);
  await delivery.commit([NACK, ACK]);
  expect(source.commits[0]!.dispositions).toEqual([ACK, NACK, ACK, ACK]);
  expect(context.accounting.snapshot()).toMatchObject({ received: 4, filtered: 2, inFlight: 2 });
});

it("marks a batch that it has emptied, so that it is committed and is not the end", async () => {
  const { source, consumer } = await filteredSource();
  source.push(some("drop 0", "drop 1")).pushEmpty();
  const emptied = await consumer.receive(100, NEVER);
  expect(emptied).toMatchObject({ emptied: true, batch: { length: 0 } });
  expect(source.commits).toHaveLength(0);
  await emptied.commit();
  expect(source.commits[0]!.batch.length).toBe(2);
  const empty = await consumer.receive(100, NEVER);
  expect(empty.batch.length).toBe(0);
  expect(empty.emptied).toBeUndefined();
});

it("passes on that a middleware below has emptied a batch", async () => {
  const { source, consumer } = await filteredSource();
  source.pushEmpty(true);
  expect((await consumer.receive(100, NEVER)).emptied).toBe(true);
});

it("shares the slab of what it keeps", async () => {
  const { source, consumer } = await filteredSource("message 3");
  const batch = lineBatch(10);
  source.push(batch);
  const kept = (await consumer.receive(100, NEVER)).batch;
  expect(kept.length).toBe(9);
  expect(kept.slab?.bytes).toBe(batch.slab?.bytes);
});

it("closes the source", async () => {
  const { source, consumer } = await filteredSource();
  await consumer.close();
  expect(source.closes).toBe(1);
});

it("names the missing expression language when it is opened", async () => {
  const { fakeContext } = await import("@mqb/testkit");
  const { source } = await filteredSource();
  const standard = (await import("../../src/index.ts")).default;
  const settings = { expression: "a", on_error: "fail" };
  await expect(async () =>
    standard.middlewares!["filter"]!.input!(source, settings, fakeContext()),
  ).rejects.toMatchObject({
    kind: "config",
  });
});

it("asks its source for no message object", async () => {
  const { source, consumer } = await filteredSource("7");
  const batch = lineBatch(100);
  batch.at = () => {
    throw new Error("a message was made");
  };
  source.push(batch);
  expect((await consumer.receive(1_000, NEVER)).batch.length).toBe(81);
});

it("keeps the positions of messages apart from those of other batches", async () => {
  const { source, consumer } = await filteredSource();
  source.push(batchOf(messages(3))).push(some("drop", "x"));
  await (await consumer.receive(10, NEVER)).commit();
  const second = await consumer.receive(10, NEVER);
  await second.commit([NACK]);
  expect(source.commits.map(({ dispositions }) => dispositions)).toEqual([undefined, [ACK, NACK]]);
});
