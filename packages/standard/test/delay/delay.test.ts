import { CollectingPublisher, fakeContext, isPending, messageBatch, ScriptedConsumer, within } from "@mqb/testkit";
import { expect, it } from "vitest";
import standard from "../../src/index.ts";
import { NEVER } from "../opened.ts";

const delay = standard.middlewares!["delay"]!;

it("pauses before each receive", async () => {
  const context = fakeContext();
  const source = new ScriptedConsumer().push(messageBatch(1)).push(messageBatch(1));
  const consumer = await delay.input!(source, { delay_ms: 100 }, context);
  for (let i = 1; i <= 2; i++) {
    const received = consumer.receive(1, NEVER);
    await context.clock.advance(99);
    expect(source.asked).toHaveLength(i - 1);
    await context.clock.advance(1);
    expect((await within(received, "the batch comes")).batch.length).toBe(1);
  }
});

it("pauses behind each batch in a drain, where silence is the end, and gives the batch when it is told to stop", async () => {
  const context = fakeContext({ draining: true });
  const source = new ScriptedConsumer().push(messageBatch(1)).push(messageBatch(1)).pushEmpty();
  const consumer = await delay.input!(source, { delay_ms: 2000 }, context);
  const silence = new AbortController();
  const first = consumer.receive(1, silence.signal);
  await context.clock.advance(1000);
  expect([source.asked.length, await isPending(first)]).toEqual([1, true]);
  silence.abort();
  expect((await within(first, "the batch comes")).batch.length).toBe(1);

  const second = consumer.receive(1, NEVER);
  await context.clock.advance(2000);
  expect((await within(second, "the batch comes")).batch.length).toBe(1);
  expect((await within(consumer.receive(1, NEVER), "the end comes at once")).batch.length).toBe(0);
});

it("pauses before each send", async () => {
  const context = fakeContext();
  const sink = new CollectingPublisher();
  const publisher = await delay.output!(sink, { delay_ms: 100 }, context);
  const sent = publisher.send(messageBatch(1), NEVER);
  await context.clock.advance(99);
  expect(sink.sends).toHaveLength(0);
  expect(await isPending(sent)).toBe(true);
  await context.clock.advance(1);
  await within(sent, "the batch is sent");
});

it("pauses not at all with 0", async () => {
  const context = fakeContext();
  const publisher = await delay.output!(new CollectingPublisher(), { delay_ms: 0 }, context);
  await publisher.send(messageBatch(1), NEVER);
  expect(context.clock.armed).toBe(0);
});

it.each(["its signal aborts", "it closes"])("ends a pause when %s", async (how) => {
  const context = fakeContext();
  const source = new ScriptedConsumer();
  const consumer = await delay.input!(source, { delay_ms: 100 }, context);
  const stop = new AbortController();
  const received = consumer.receive(1, stop.signal);
  if (how === "its signal aborts") stop.abort();
  else await consumer.close();
  await source.received(1);
  expect(context.clock.pending).toBe(0);
  stop.abort();
  expect((await within(received, "receive ends")).batch.length).toBe(0);
});
