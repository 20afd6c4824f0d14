import { batchOf, type Message } from "@mqb/core/plugin";
import { FakeClock, texts } from "@mqb/testkit";
import { expect, it } from "vitest";
import { busy } from "../failures.ts";
import { NEVER } from "../opened.ts";
import { message } from "../weak-join/setup.ts";
import { run, setUp } from "./setup.ts";

const JOIN = { weak_join: { group_by: "g", expected_count: 2, timeout_ms: 60_000 } };

it("a joined message that fails brings its members back, which are joined again", async () => {
  const clock = new FakeClock();
  const { sink, bridge } = setUp({ clock, drainIdleMs: 1_000 });
  const publisher = await bridge.openPublisher({ memory: { topic: "t", capacity: 100 } });
  await publisher.send(batchOf([message("x", "1"), message("y", "2"), message("y", "3"), message("x", "4")]), NEVER);
  let failures = 1;
  sink.failWhen((joined: Message) => (joined.text() === "[1,4]" && failures-- > 0 ? busy : undefined));
  const input = { memory: { topic: "t", enable_nack: true }, middlewares: [JOIN] };
  const route = bridge.route("r", { input, output: { sink: {} }, exit_on_empty: true });
  await route.start();
  const result = await clock.runUntil(route.done, 60_000);
  // Both members were received twice; one of them stands for the group that failed.
  expect(result).toMatchObject({
    outcome: "completed",
    accounting: { received: 6, delivered: 2, filtered: 3, nacked: 1, dropped: 0, inFlight: 0 },
  });
  expect(texts(sink.messages)).toEqual(["[2,3]", "[1,4]"]);
});

it("a drain of a source that is only silent at its end lets open groups fire without their time", async () => {
  const clock = new FakeClock();
  const { sink, bridge } = setUp({ clock, drainIdleMs: 1_000 });
  const publisher = await bridge.openPublisher({ memory: { topic: "t", capacity: 100 } });
  for (const one of [message("x", "1"), message("y", "2"), message("x", "3")]) {
    await publisher.send(batchOf([one]), NEVER);
  }
  const input = { memory: { topic: "t", enable_nack: true }, middlewares: [JOIN] };
  const route = bridge.route("r", { input, output: { sink: {} }, exit_on_empty: true });
  await route.start();
  const result = await clock.runUntil(route.done, 10_000);
  expect(result).toMatchObject({ outcome: "completed", accounting: { received: 3, delivered: 2, filtered: 1 } });
  expect(texts(sink.messages)).toEqual(["[1,3]", "[2]"]);
});

it("a stop with open groups fires none, and acks none of their members", async () => {
  const clock = new FakeClock();
  const { source, sink, bridge } = setUp({ clock });
  source.push([message("x", "1"), message("y", "2"), message("x", "3")]);
  const route = bridge.route("r", { input: { source: {}, middlewares: [JOIN] }, output: { sink: {} } });
  await route.start();
  await clock.runUntil(sink.collected(1), 1_000);
  await source.received(2);
  void route.stop();
  const result = await clock.runUntil(route.done, 5_000);
  expect(result.accounting).toMatchObject({ received: 3, delivered: 1, filtered: 1, nacked: 1, inFlight: 0 });
  expect(texts(sink.messages)).toEqual(["[1,3]"]);
  expect(source.deliveries.map((one) => [one.batch.length, one.commits])).toEqual([
    [3, 0],
    [0, 1],
  ]);
});

it("many groups in many small batches all arrive, each once, with many workers", async () => {
  const { source, sink, bridge } = setUp();
  const groups = 200;
  for (let from = 0; from < 3 * groups; from += 7) {
    const members = Array.from({ length: Math.min(7, 3 * groups - from) }, (_, i) => from + i);
    source.push(members.map((n) => message(String((n * 17) % groups), String(n))));
  }
  source.pushEmpty().pushEmpty();
  const join = { weak_join: { group_by: "g", expected_count: 3, timeout_ms: 60_000 } };
  const input = { source: {}, middlewares: [join] };
  const result = await run(bridge, "r", { input, output: { sink: {} }, concurrency: 8, exit_on_empty: true });
  expect(result).toMatchObject({ outcome: "completed", accounting: { received: 600, delivered: 200, filtered: 400 } });
  const members = sink.messages.flatMap((one) => one.json() as number[]).sort((a, b) => a - b);
  expect(members).toEqual(Array.from({ length: 600 }, (_, n) => n));
  expect(source.deliveries.every((one) => one.commits === 1)).toBe(true);
});

it("a drain ends at a sink that never takes a joined message, however many batches its members come in", async () => {
  const clock = new FakeClock();
  const { source, sink, bridge } = setUp({ clock });
  sink.failWhen(() => busy);
  const members = [message("x", "1"), message("x", "2")];
  // What is nacked comes again, one message at a time.
  const again = (): void => {
    for (const one of members) source.push([one]);
  };
  again();
  const receive = source.receive.bind(source);
  source.receive = async (max, signal) => {
    const delivery = await receive(max, signal);
    return {
      batch: delivery.batch,
      commit: async (dispositions) => {
        await delivery.commit(dispositions);
        if (delivery.batch.length > 0 && delivery.batch.at(0).text() === "2") again();
      },
    };
  };
  const input = { source: {}, middlewares: [JOIN] };
  const route = bridge.route("r", { input, output: { sink: {} }, exit_on_empty: true });
  await route.start();
  const result = await clock.runUntil(route.done, 600_000);
  expect(result).toMatchObject({ outcome: "failed", accounting: { delivered: 0, inFlight: 0 } });
  expect(sink.sends.length).toBe(10);
});

it("a drain ends at a sink that never takes a joined message, also of a source that does not know its end", async () => {
  const clock = new FakeClock();
  const { sink, bridge } = setUp({ clock, drainIdleMs: 1_000 });
  sink.failWhen(() => busy);
  const publisher = await bridge.openPublisher({ memory: { topic: "t", capacity: 100 } });
  for (const text of ["1", "2"]) await publisher.send(batchOf([message("x", text)]), NEVER);
  const input = { memory: { topic: "t", enable_nack: true }, middlewares: [JOIN] };
  const route = bridge.route("r", { input, output: { sink: {} }, exit_on_empty: true });
  await route.start();
  const result = await clock.runUntil(route.done, 600_000);
  expect(result).toMatchObject({ outcome: "failed", accounting: { delivered: 0, inFlight: 0 } });
  expect(sink.sends.length).toBe(10);
});
