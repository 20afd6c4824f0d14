import { CollectingPublisher, fakeContext, isPending, messageBatch, within } from "@mqb/testkit";
import { expect, it } from "vitest";
import standard from "../../src/index.ts";
import { NEVER } from "../opened.ts";

async function setUp(messages_per_second: number, session = new Map<string, unknown>()) {
  const context = fakeContext({ side: "output", session });
  const sink = new CollectingPublisher();
  const publisher = await standard.middlewares!["limiter"]!.output!(sink, { messages_per_second }, context);
  return { clock: context.clock, sink, publisher };
}

it("paces by messages, not by batches", async () => {
  const { clock, sink, publisher } = await setUp(100);
  await publisher.send(messageBatch(50), NEVER);
  const second = publisher.send(messageBatch(10), NEVER);
  await clock.advance(499);
  expect([sink.sends.length, await isPending(second)]).toEqual([1, true]);
  await clock.advance(1);
  await within(second, "the second batch goes out after the time of the first");
  const third = publisher.send(messageBatch(1), NEVER);
  await clock.advance(100);
  await within(third, "and the third after that of the second");
  expect(clock.pending).toBe(0);
});

it("sends that come at the same time go out one after another, in the order in which they came", async () => {
  const { clock, sink, publisher } = await setUp(10);
  const sends = [0, 1, 2, 3].map((n) => publisher.send(messageBatch(1, { from: n }), NEVER));
  await clock.advance(200);
  expect(sink.messages.map((message) => message.text())).toEqual(["message 0", "message 1", "message 2"]);
  await clock.advance(100);
  await within(Promise.all(sends), "all go out");
});

it("lets no burst pass after a silence, beyond what makes up for late timers", async () => {
  const { clock, sink, publisher } = await setUp(10);
  await clock.advance(60_000);
  const sends = [0, 1, 2, 3].map((n) => publisher.send(messageBatch(1, { from: n }), NEVER));
  await clock.advance(0);
  expect(sink.sends.length).toBe(1);
  await clock.advance(250);
  await within(Promise.all(sends), "all go out");
});

it.each([1e-9, 0.001])("stops at once at a rate of %d in a second", async (rate) => {
  const { clock, sink, publisher } = await setUp(rate);
  await publisher.send(messageBatch(1), NEVER);
  const stop = new AbortController();
  const failure = expect(publisher.send(messageBatch(1), stop.signal)).rejects.toMatchObject({
    code: "MQB_STANDARD_PAUSE_CUT",
    kind: "retryable",
  });
  await clock.advance(500_000);
  expect(sink.sends.length).toBe(1);
  stop.abort();
  await failure;
  expect(clock.pending).toBe(0);
});

it("the time of a send that gives up goes to the next one: many that cannot wait do not keep each other out", async () => {
  const { clock, sink, publisher } = await setUp(10);
  await publisher.send(messageBatch(3), NEVER);
  for (let n = 0; n < 20; n++) {
    const stop = new AbortController();
    const sends = Promise.allSettled([0, 1, 2].map(() => publisher.send(messageBatch(3), stop.signal)));
    await clock.advance(200);
    stop.abort();
    await sends;
  }
  // 4 seconds at 10 messages in a second, in threes, of which none can wait for longer than 200 ms.
  expect(sink.messages.length).toBeGreaterThanOrEqual(30);
  expect(sink.messages.length).toBeLessThanOrEqual(43);
  expect(clock.pending).toBe(0);
});

it("a close ends a wait, and sends nothing", async () => {
  const { clock, sink, publisher } = await setUp(1);
  await publisher.send(messageBatch(1), NEVER);
  const failure = expect(publisher.send(messageBatch(1), NEVER)).rejects.toMatchObject({ kind: "retryable" });
  await clock.waiting();
  await publisher.close();
  await failure;
  expect(sink.violations).toEqual([]);
  expect(clock.pending).toBe(0);
});

it("goes on in its pace after a reconnect", async () => {
  const session = new Map<string, unknown>();
  const first = await setUp(1, session);
  await first.publisher.send(messageBatch(10), NEVER);
  const context = fakeContext({ side: "output", session, clock: first.clock });
  const sink = new CollectingPublisher();
  const again = await standard.middlewares!["limiter"]!.output!(sink, { messages_per_second: 1 }, context);
  const sending = again.send(messageBatch(1), NEVER);
  await first.clock.advance(9_999);
  expect(sink.sends.length).toBe(0);
  await first.clock.advance(1);
  await within(sending, "it goes out");
});
