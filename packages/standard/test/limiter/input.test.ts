import type { InputCapabilities } from "@mqb/core/plugin";
import { fakeContext, isPending, messageBatch, ScriptedConsumer, within } from "@mqb/testkit";
import { expect, it } from "vitest";
import standard from "../../src/index.ts";
import { NEVER } from "../opened.ts";

async function setUp(messages_per_second: number, draining = false, below: Partial<InputCapabilities> = {}) {
  const context = fakeContext({ draining, below });
  const source = new ScriptedConsumer();
  const consumer = await standard.middlewares!["limiter"]!.input!(source, { messages_per_second }, context);
  return { clock: context.clock, source, consumer };
}

it("asks for no more than a quarter of a second, and for at least one", async () => {
  const { clock, source, consumer } = await setUp(100);
  source.push(messageBatch(100));
  expect((await consumer.receive(512, NEVER)).batch.length).toBe(25);
  const second = consumer.receive(10, NEVER);
  await clock.advance(249);
  expect(source.asked).toEqual([25]);
  await clock.advance(1);
  expect((await within(second, "it comes")).batch.length).toBe(10);
  const slow = await setUp(0.25);
  slow.source.push(messageBatch(2));
  expect((await slow.consumer.receive(512, NEVER)).batch.length).toBe(1);
});

it.each(["its signal aborts", "it closes"])("ends a pause with nothing when %s", async (how) => {
  const { clock, source, consumer } = await setUp(0.001);
  source.push(messageBatch(2));
  await consumer.receive(1, NEVER);
  const stop = new AbortController();
  const waiting = consumer.receive(1, stop.signal);
  await clock.waiting();
  if (how === "it closes") await consumer.close();
  else stop.abort();
  expect((await within(waiting, "it ends")).batch.length).toBe(0);
  expect(source.violations).toEqual([]);
  expect(clock.pending).toBe(0);
});

it("in a drain, its pause is not taken for the end of the source, and nothing is lost by it", async () => {
  const { clock, source, consumer } = await setUp(0.5, true);
  source.push(messageBatch(2)).pushEmpty();
  expect((await consumer.receive(512, NEVER)).batch.length).toBe(1);
  const silence = new AbortController();
  const second = consumer.receive(512, silence.signal);
  await clock.advance(1_000);
  expect([source.asked.length, await isPending(second)]).toEqual([2, true]);
  // What the route does when it hears nothing for a second.
  silence.abort();
  const pause = await within(second, "it answers");
  expect([pause.batch.length, pause.emptied]).toEqual([0, "held"]);
  await pause.commit();
  const again = consumer.receive(512, NEVER);
  await clock.advance(999);
  expect(await isPending(again)).toBe(true);
  await clock.advance(1);
  const delivery = await within(again, "the message comes in its time");
  expect(delivery.batch.at(0).text()).toBe("message 1");
  await delivery.commit();
  const end = await within(consumer.receive(512, NEVER), "the end comes at once");
  expect([end.batch.length, end.emptied]).toEqual([0, undefined]);
});

it("in a drain, gives at once what a source would not take back", async () => {
  const { clock, source, consumer } = await setUp(0.5, true, { acknowledges: false });
  source.push(messageBatch(2));
  await consumer.receive(512, NEVER);
  const stop = new AbortController();
  const second = consumer.receive(512, stop.signal);
  await clock.waiting();
  stop.abort();
  expect((await within(second, "it comes")).batch.length).toBe(1);
});
