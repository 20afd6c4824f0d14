import { ACK, batchOf, Message, NACK } from "@mqb/core/plugin";
import { isPending, messageBatch, texts, turns, within } from "@mqb/testkit";
import { expect, it } from "vitest";
import { cut } from "../failures.ts";
import { NEVER } from "../opened.ts";
import { filteredSource } from "./setup.ts";

/** Ten messages of which every second one is dropped. */
const half = (from: number) =>
  batchOf(Array.from({ length: 10 }, (_, i) => new Message(i % 2 === 0 ? `${from + i}` : `drop ${from + i}`)));

it("reads on to fill a full batch again, and asks only for what is missing", async () => {
  const { source, consumer } = await filteredSource();
  source.push(half(0)).push(half(10));
  const delivery = await consumer.receive(10, NEVER);
  expect(source.asked).toEqual([10, 5]);
  expect(texts(delivery.batch)).toEqual(["0", "2", "4", "6", "8", "10", "12", "14"]);
});

it("does not fill the last gaps of a batch message by message", async () => {
  const { source, consumer } = await filteredSource();
  for (let from = 0; from < 10_000; from += 10) source.push(half(from));
  for (let i = 0; i < 10; i++) await consumer.receive(10, NEVER);
  expect(Math.min(...source.asked)).toBeGreaterThan(2);
});

it("commits what it has joined one after another, each with its own dispositions", async () => {
  const { source, consumer } = await filteredSource();
  source.push(half(0)).push(batchOf([new Message("x"), new Message("drop"), new Message("y")]));
  const delivery = await consumer.receive(10, NEVER);
  expect(texts(delivery.batch)).toEqual(["0", "2", "4", "6", "8", "x", "y"]);
  await delivery.commit([ACK, NACK, ACK, ACK, ACK, ACK, NACK]);
  expect(source.commits.map(({ batch }) => batch.length)).toEqual([10, 3]);
  expect(source.commits.map(({ dispositions }) => dispositions?.map(({ type }) => type))).toEqual([
    ["ack", "ack", "nack", "ack", "ack", "ack", "ack", "ack", "ack", "ack"],
    ["ack", "ack", "nack"],
  ]);
});

it("takes one batch at a time from a source that takes nothing back: what is read ahead would be lost at a stop", async () => {
  const { source, context, consumer } = await filteredSource("drop", { acknowledges: false });
  source.push(half(0)).push(half(10));
  expect(texts((await consumer.receive(10, NEVER)).batch)).toEqual(["0", "2", "4", "6", "8"]);
  expect(source.asked).toEqual([10]);
  expect(context.clock.pending).toBe(0);
  expect((await consumer.receive(10, NEVER)).batch.length).toBe(5);
});

it("passes a short batch on at once", async () => {
  const { source, consumer } = await filteredSource();
  source.push(half(0));
  expect((await consumer.receive(11, NEVER)).batch.length).toBe(5);
  expect(source.asked).toEqual([11]);
});

it("does not wait for a source that has nothing more, and loses nothing that comes later", async () => {
  const { source, context, consumer } = await filteredSource();
  source.push(half(0));
  const first = consumer.receive(10, NEVER);
  await context.clock.waiting();
  await context.clock.advance(10);
  expect((await within(first, "the half-full batch is passed on")).batch.length).toBe(5);
  expect(context.clock.pending).toBe(0);

  source.push(messageBatch(2));
  await turns();
  const second = await within(consumer.receive(10, NEVER), "the open read is the next answer");
  expect(texts(second.batch)).toEqual(["message 0", "message 1"]);
  expect(source.violations).toEqual([]);
  expect(source.asked).toEqual([10, 5]);
});

it("ends the open read with the signal of the next call", async () => {
  const { source, context, consumer } = await filteredSource();
  source.push(half(0));
  const first = consumer.receive(10, NEVER);
  await context.clock.waiting();
  await context.clock.advance(10);
  await first;
  const stop = new AbortController();
  const second = consumer.receive(10, stop.signal);
  expect(await isPending(second)).toBe(true);
  stop.abort();
  expect((await within(second, "the read ends")).batch.length).toBe(0);
  expect(source.violations).toEqual([]);
});

it("ends the open read when it closes", async () => {
  const { source, context, consumer } = await filteredSource();
  source.push(half(0));
  const first = consumer.receive(10, NEVER);
  await context.clock.waiting();
  await context.clock.advance(10);
  await first;
  await consumer.close();
  expect(source.lastSignal?.aborted).toBe(true);
});

it("stops reading ahead when its signal aborts", async () => {
  const { source, context, consumer } = await filteredSource();
  source.push(half(0));
  const stop = new AbortController();
  const first = consumer.receive(10, stop.signal);
  await context.clock.waiting();
  stop.abort();
  expect((await within(first, "what is there is passed on")).batch.length).toBe(5);
});

it("passes on what it has when reading ahead fails, and the failure after it", async () => {
  const { source, consumer } = await filteredSource();
  source.push(half(0)).pushError(cut);
  expect((await consumer.receive(10, NEVER)).batch.length).toBe(5);
  await expect(consumer.receive(10, NEVER)).rejects.toBe(cut);
});

it("takes the end that it meets while filling for the end of this batch, and commits it", async () => {
  const { source, consumer } = await filteredSource();
  source.push(half(0)).pushEmpty().pushEmpty();
  const delivery = await consumer.receive(10, NEVER);
  expect(delivery.batch.length).toBe(5);
  await delivery.commit();
  expect(source.commits).toHaveLength(2);
  expect((await consumer.receive(10, NEVER)).batch.length).toBe(0);
});

it("stops filling when it has read too many bytes", async () => {
  for (const [bytes, asked] of [
    [3 * 1024 * 1024, [4]],
    [1024, [4, 3]],
  ] as const) {
    const { source, consumer } = await filteredSource();
    const dropped = new Message(Buffer.alloc(bytes, "drop"));
    source.push(batchOf([new Message("a"), dropped, dropped, dropped])).push(messageBatch(3));
    await consumer.receive(4, NEVER);
    expect(source.asked).toEqual(asked);
  }
});
