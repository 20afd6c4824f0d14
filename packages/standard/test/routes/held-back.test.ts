import { FakeClock, messageBatch, texts } from "@mqb/testkit";
import { expect, it } from "vitest";
import { NEVER } from "../opened.ts";
import { setUp } from "./setup.ts";

const PATIENT = { buffer: { max_messages: 10_000, max_delay_ms: 180_000 } };

it("a stop writes at once what a buffer waits with, acks it then, and does not use up the grace", async () => {
  const clock = new FakeClock();
  const { source, sink, bridge } = setUp({ clock });
  source.push(messageBatch(5));
  const route = bridge.route("r", { input: { source: {} }, output: { sink: {}, middlewares: [PATIENT] } });
  await route.start();
  await clock.runUntil(source.received(1), 0);
  await clock.advance(1_000);
  expect([sink.sends.length, source.commits.length]).toEqual([0, 0]);
  void route.stop({ graceMs: 10_000 });
  const result = await clock.runUntil(route.done, 1_000);
  expect(result).toMatchObject({ outcome: "stopped", accounting: { delivered: 5, nacked: 0 } });
  expect([sink.messages.length, sink.flushes > 0, source.commits[0]!.dispositions]).toEqual([5, true, undefined]);
});

it("a drain does not wait for company that cannot come", async () => {
  const clock = new FakeClock();
  const { source, sink, bridge } = setUp({ clock });
  source
    .push(messageBatch(3))
    .push(messageBatch(2, { from: 3 }))
    .pushEmpty();
  const config = { input: { source: {} }, output: { sink: {}, middlewares: [PATIENT] }, exit_on_empty: true };
  const route = bridge.route("r", { ...config, concurrency: 4 });
  await route.start();
  expect(await clock.runUntil(route.done, 10_000)).toMatchObject({
    outcome: "completed",
    accounting: { delivered: 5 },
  });
  expect(texts(sink.messages)).toEqual(["message 0", "message 1", "message 2", "message 3", "message 4"]);
});

it("a buffer on an input makes one batch of many small ones, and loses nothing at a stop", async () => {
  const clock = new FakeClock();
  const { source, sink, bridge } = setUp({ clock });
  for (let n = 0; n < 6; n++) source.push(messageBatch(1, { from: n }));
  const input = { source: {}, middlewares: [{ buffer: { max_messages: 4, max_delay_ms: 1_000 } }] };
  const route = bridge.route("r", { input, output: { sink: {} } });
  await route.start();
  await clock.runUntil(sink.sent(1), 0);
  await clock.runUntil(source.received(7), 0);
  void route.stop();
  const result = await clock.runUntil(route.done, 900);
  expect(result).toMatchObject({ outcome: "stopped", accounting: { received: 6, delivered: 6, inFlight: 0 } });
  expect(sink.sends.map((batch) => batch.length)).toEqual([4, 2]);
});

it.each(["input", "output"])(
  "a drain of a source that is only silent at its end is paced to its last message: on the %s",
  async (side) => {
    const clock = new FakeClock();
    const { sink, bridge } = setUp({ clock, drainIdleMs: 1_000 });
    const publisher = await bridge.openPublisher({ memory: { topic: "t", capacity: 100 } });
    for (let n = 0; n < 4; n++) await publisher.send(messageBatch(1, { from: n }), NEVER);
    const middlewares = [{ limiter: { messages_per_second: 0.2 } }];
    const input = { memory: { topic: "t", enable_nack: true }, ...(side === "input" && { middlewares }) };
    const output = { sink: {}, ...(side === "output" && { middlewares }) };
    const route = bridge.route("r", { input, output, batch_size: 1, exit_on_empty: true });
    await route.start();
    const result = await clock.runUntil(route.done, 60_000);
    expect(result).toMatchObject({ outcome: "completed", accounting: { delivered: 4, nacked: 0, dropped: 0 } });
    expect(clock.monotonic()).toBeGreaterThanOrEqual(14_900);
    expect(texts(sink.messages)).toEqual(["message 0", "message 1", "message 2", "message 3"]);
  },
);

it("a stop ends the pause of a limiter at once; what it held goes back to the source", async () => {
  const clock = new FakeClock();
  const { source, sink, bridge } = setUp({ clock });
  source.push(messageBatch(1)).push(messageBatch(1, { from: 1 }));
  const output = { sink: {}, middlewares: [{ limiter: { messages_per_second: 0.001 } }] };
  const route = bridge.route("r", { input: { source: {} }, output, concurrency: 2 });
  await route.start();
  await clock.runUntil(source.received(3), 0);
  void route.stop({ graceMs: 100 });
  const result = await clock.runUntil(route.done, 2_000);
  expect(result.accounting).toMatchObject({ delivered: 1, nacked: 1, inFlight: 0 });
  expect(texts(sink.messages)).toEqual(["message 0"]);
  expect(await source.deliveries[1]!.committed).toMatchObject([{ type: "nack" }]);
});

it("a sink that is stuck fails by its timeout, again and again, and the route can be stopped", async () => {
  const clock = new FakeClock();
  const { source, sink, dead, bridge } = setUp({ clock });
  source.push(messageBatch(2)).push(messageBatch(1, { from: 2 }));
  sink.stall();
  const middlewares = [
    { timeout: { timeout_ms: 1_000 } },
    { retry: { max_attempts: 3, initial_interval_ms: 100 } },
    { dlq: { endpoint: { dead: {} } } },
  ];
  const route = bridge.route("r", { input: { source: {} }, output: { sink: {}, middlewares } });
  await route.start();
  await clock.runUntil(dead.collected(2), 10_000);
  expect(dead.messages[0]!.metadata.get("mq_bridge.dlq.error")).toMatch(
    /after 3 attempts.*not finished within 1000 ms/,
  );
  await clock.runUntil(sink.sent(4), 0);
  void route.stop({ graceMs: 10 });
  const result = await clock.runUntil(route.done, 5_000);
  expect(result.accounting).toMatchObject({ deadLettered: 2, nacked: 1, inFlight: 0 });
});
