import { ACK, batchOf, Message, NACK, nack, reply } from "@mqb/core/plugin";
import { messages, texts } from "@mqb/testkit";
import { expect, it } from "vitest";
import { NEVER } from "../opened.ts";
import { packedMessage } from "../pack/setup.ts";
import { unpackedSource } from "./setup.ts";

const frame = (count: number, from = 0) => packedMessage(messages(count, { from }));

it("hands out no more than it is asked for, and the rest at the next call", async () => {
  const { source, consumer } = unpackedSource();
  source.push([await frame(5)]);
  expect(texts((await consumer.receive(2, NEVER)).batch)).toEqual(["message 0", "message 1"]);
  expect(texts((await consumer.receive(2, NEVER)).batch)).toEqual(["message 2", "message 3"]);
  expect(texts((await consumer.receive(2, NEVER)).batch)).toEqual(["message 4"]);
  expect(source.asked).toHaveLength(1);
});

it("acks a packed message when everything in it has settled, whatever settles first", async () => {
  const { source, consumer } = unpackedSource();
  source.push([await frame(5)]);
  const parts = [await consumer.receive(2, NEVER), await consumer.receive(2, NEVER), await consumer.receive(2, NEVER)];
  await parts[2]!.commit();
  await parts[0]!.commit();
  expect(source.commits).toHaveLength(0);
  await parts[1]!.commit();
  expect(source.commits).toHaveLength(1);
  expect(source.commits[0]!.dispositions).toBeUndefined();
});

it("nacks a packed message when one in it is nacked, with the first reason", async () => {
  const { source, consumer } = unpackedSource();
  source.push([await frame(4)]);
  const [first, second] = [await consumer.receive(2, NEVER), await consumer.receive(2, NEVER)];
  const reason = new Error("not now");
  await first.commit([ACK, nack(reason)]);
  await second.commit([ACK, NACK]);
  expect(source.commits[0]!.dispositions).toEqual([nack(reason)]);
});

it("keeps the fates of packed messages of one delivery apart", async () => {
  const { source, consumer } = unpackedSource();
  source.push([await frame(1)]).push([await frame(2), await frame(1, 2), await frame(2, 3)]);
  await (await consumer.receive(10, NEVER)).commit();
  const { batch, commit } = await consumer.receive(10, NEVER);
  expect(texts(batch)).toEqual([0, 1, 2, 3, 4].map((n) => `message ${n}`));
  await commit([ACK, NACK, ACK, ACK, ACK]);
  expect(source.commits[1]!.dispositions).toEqual([NACK, ACK, ACK]);
});

it("passes the answer to a message on that was packed alone, and none for one of several", async () => {
  const { source, consumer } = unpackedSource();
  source.push([await frame(1)]).push([await frame(2)]);
  const answer = reply(new Message("yes"));
  await (await consumer.receive(10, NEVER)).commit([answer]);
  await (await consumer.receive(10, NEVER)).commit([answer, answer]);
  expect(source.commits.map(({ dispositions }) => dispositions)).toEqual([[answer], undefined]);
});

it("lets a failed commit of the source through at the last part, so that the route reconnects", async () => {
  const { source, consumer } = unpackedSource();
  source.push([await frame(2)]);
  const [first, last] = [await consumer.receive(1, NEVER), await consumer.receive(1, NEVER)];
  const gone = new Error("gone");
  source.failNextCommit(gone);
  await first.commit();
  await expect(last.commit()).rejects.toBe(gone);
});

it("counts every message that comes out of a packed one", async () => {
  const { source, context, consumer } = unpackedSource();
  context.accounting.receive(1);
  source.push([await frame(5)]);
  await consumer.receive(2, NEVER);
  expect(context.accounting.snapshot()).toMatchObject({ received: 5, inFlight: 5 });
  expect(context.accounting.imbalance()).toBe(0);
});

it("acks a packed message with nothing in it at once, and it is not the end of the source", async () => {
  const { source, context, consumer } = unpackedSource({ format: "benthos_binary" });
  context.accounting.receive(1);
  source.push(batchOf([new Message(Buffer.alloc(4))]));
  const empty = await consumer.receive(2, NEVER);
  expect(empty).toMatchObject({ emptied: true, batch: { length: 0 } });
  await empty.commit();
  expect(source.commits).toHaveLength(1);
  expect(context.accounting.snapshot()).toMatchObject({ received: 1, filtered: 1, inFlight: 0 });
});

it("asks the source for no more packed messages than fill a batch", async () => {
  const { source, consumer } = unpackedSource();
  for (let i = 0; i < 4; i++) source.push([await frame(100, 100 * i)]);
  for (let i = 0; i < 4; i++) await (await consumer.receive(100, NEVER)).commit();
  expect(source.asked).toEqual([16, 1, 1, 1]);
  for (let i = 0; i < 2; i++) source.push([await frame(2)]);
  await consumer.receive(100, NEVER);
  await consumer.receive(100, NEVER);
  expect(source.asked.at(-1)).toBe(50);
});

it("hands nothing out that it holds when it is closed", async () => {
  const { source, consumer } = unpackedSource();
  source.push([await frame(5)]);
  await (await consumer.receive(2, NEVER)).commit();
  await consumer.close();
  expect(source.closed).toBe(true);
  expect(source.commits).toHaveLength(0);
});
