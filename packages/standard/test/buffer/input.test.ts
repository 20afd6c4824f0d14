import { ACK, type Delivery, type InputCapabilities, nack } from "@mqb/core/plugin";
import { fakeContext, isPending, messageBatch, ScriptedConsumer, texts, within } from "@mqb/testkit";
import { expect, it } from "vitest";
import standard from "../../src/index.ts";
import { cut } from "../failures.ts";
import { NEVER } from "../opened.ts";

async function setUp(config: object = {}, draining = false, below: Partial<InputCapabilities> = {}) {
  const context = fakeContext({ draining, below });
  const source = new ScriptedConsumer();
  const settings = { max_messages: 10, max_delay_ms: 20, ...config };
  const consumer = await standard.middlewares!["buffer"]!.input!(source, settings, context);
  return { clock: context.clock, source, consumer };
}

const came = (received: Promise<Delivery>) => within(received, "the batch comes");

it("makes one batch of what comes until it is enough, and asks for no more than is missing", async () => {
  const { clock, source, consumer } = await setUp();
  source
    .push(messageBatch(4))
    .push(messageBatch(3, { from: 4 }))
    .push(messageBatch(9, { from: 7 }));
  const first = await came(consumer.receive(512, NEVER));
  expect(texts(first.batch)).toEqual(Array.from({ length: 10 }, (_, n) => `message ${n}`));
  expect(source.asked).toEqual([10, 6, 3]);
  expect(clock.pending).toBe(0);
});

it("waits for more no longer than its delay; what comes then is in the next batch", async () => {
  const { clock, source, consumer } = await setUp();
  source.push(messageBatch(1));
  const first = consumer.receive(512, NEVER);
  await source.received(2);
  await clock.advance(10);
  source.push(messageBatch(1, { from: 1 }));
  await source.received(3);
  await clock.advance(9);
  expect(await isPending(first)).toBe(true);
  await clock.advance(1);
  expect(texts((await came(first)).batch)).toEqual(["message 0", "message 1"]);
  source.push(messageBatch(1, { from: 2 }));
  const second = consumer.receive(512, NEVER);
  await clock.advance(20);
  expect(texts((await came(second)).batch)).toEqual(["message 2"]);
  expect(source.violations).toEqual([]);
});

it("commits what it has joined one after another, each with its own dispositions", async () => {
  const { source, consumer } = await setUp({ max_messages: 4 });
  source
    .push(messageBatch(1))
    .pushEmpty(true)
    .push(messageBatch(3, { from: 1 }));
  const delivery = await came(consumer.receive(512, NEVER));
  await delivery.commit([ACK, ACK, nack(cut), ACK]);
  expect(source.commits.map((one) => one.dispositions?.map(({ type }) => type))).toEqual([
    ["ack"],
    undefined,
    ["ack", "nack", "ack"],
  ]);
  expect(source.violations).toEqual([]);
});

it("asks a source again that has nothing for now", async () => {
  const { clock, source, consumer } = await setUp();
  source
    .push(messageBatch(1))
    .pushEmpty()
    .push(messageBatch(1, { from: 1 }));
  const received = consumer.receive(512, NEVER);
  await clock.advance(20);
  const delivery = await came(received);
  expect(delivery.batch.length).toBe(2);
  await delivery.commit();
  expect(source.commits.length).toBe(3);
});

it("in a drain, what has come goes on at once at the end of the source", async () => {
  const { clock, source, consumer } = await setUp({ max_delay_ms: 60_000 }, true);
  source.push(messageBatch(2)).pushEmpty().pushEmpty();
  expect((await came(consumer.receive(512, NEVER))).batch.length).toBe(2);
  const end = await came(consumer.receive(512, NEVER));
  expect([end.batch.length, end.emptied]).toEqual([0, undefined]);
  expect(clock.pending).toBe(0);
});

it("an error while it gathers comes behind what was there", async () => {
  const { source, consumer } = await setUp();
  source.push(messageBatch(2)).pushError(cut);
  expect((await came(consumer.receive(512, NEVER))).batch.length).toBe(2);
  await expect(consumer.receive(512, NEVER)).rejects.toBe(cut);
});

it("an abort ends the gathering, and gives what has come", async () => {
  const { clock, source, consumer } = await setUp();
  source.push(messageBatch(2));
  const stop = new AbortController();
  const received = consumer.receive(512, stop.signal);
  await source.received(2);
  stop.abort();
  expect((await came(received)).batch.length).toBe(2);
  expect(clock.pending).toBe(0);
});

it("leaves no read open at a source that takes nothing back", async () => {
  const { clock, source, consumer } = await setUp({}, false, { acknowledges: false });
  source.push(messageBatch(2));
  const received = consumer.receive(512, NEVER);
  await source.received(2);
  await clock.advance(20);
  expect((await came(received)).batch.length).toBe(2);
  expect(source.lastSignal!.aborted).toBe(true);
  source.push(messageBatch(1));
  const next = consumer.receive(512, NEVER);
  await clock.advance(20);
  expect((await came(next)).batch.length).toBe(1);
});

it("with a delay of 0, passes on what comes", async () => {
  const { clock, source, consumer } = await setUp({ max_delay_ms: 0 });
  source.push(messageBatch(1)).push(messageBatch(1));
  expect((await came(consumer.receive(512, NEVER))).batch.length).toBe(1);
  expect(clock.armed).toBe(0);
});
