import { failed, MqbError } from "@mqb/core/plugin";
import { messageBatch, within } from "@mqb/testkit";
import { expect, it, vi } from "vitest";
import { busy } from "../failures.ts";
import { NEVER } from "../opened.ts";
import { setUp } from "./setup.ts";

/** The pauses that a send of a message that always fails makes. */
async function pauses(config: object, error: unknown = busy): Promise<number[]> {
  const { sink, clock, publisher } = setUp(config);
  sink.failAt([0], error);
  const sent = publisher.send(messageBatch(1), NEVER);
  const seen: number[] = [];
  for (let attempt = 2; attempt <= ((config as { max_attempts?: number }).max_attempts ?? 3); attempt++) {
    await clock.waiting();
    seen.push(clock.nextIn!);
    await clock.advance(clock.nextIn!);
  }
  await within(sent, "the send ends");
  return seen;
}

it("grows from attempt to attempt up to the longest pause", async () => {
  expect(await pauses({})).toEqual([100, 200]);
  expect(await pauses({ max_attempts: 6, initial_interval_ms: 10, max_interval_ms: 100, multiplier: 3 })).toEqual([
    10, 30, 90, 100, 100,
  ]);
  expect(await pauses({ initial_interval_ms: 700, max_interval_ms: 50 })).toEqual([50, 50]);
});

it("waits as long as the other side asks for, also when an error in the chain of causes says so", async () => {
  const asks = new MqbError("MQB_TEST_LATER", "retryable", "later", { retryAfterMs: 9_000 });
  expect(await pauses({}, asks)).toEqual([9_000, 9_000]);
  expect(await pauses({}, new Error("wrapped", { cause: asks }))).toEqual([9_000, 9_000]);
  const soon = new MqbError("MQB_TEST_SOON", "retryable", "soon", { retryAfterMs: 1 });
  expect(await pauses({}, soon)).toEqual([100, 200]);
});

it("is shortened by a random share up to the jitter", async () => {
  const random = vi.spyOn(Math, "random");
  random.mockReturnValue(0);
  expect(await pauses({ jitter: 0.5 })).toEqual([100, 200]);
  random.mockReturnValue(0.5);
  expect(await pauses({ jitter: 0.5 })).toEqual([75, 150]);
});

it("ends with the signal; what failed stays retryable", async () => {
  const { sink, clock, publisher } = setUp();
  sink.failAt([1], busy);
  const stop = new AbortController();
  const sent = publisher.send(messageBatch(2), stop.signal);
  await clock.waiting();
  stop.abort();
  const outcomes = await within(sent, "the send ends");
  expect(outcomes![1]).toEqual(failed(busy));
  expect(clock.pending).toBe(0);
  expect(sink.sends).toHaveLength(1);
});

it("ends when the publisher closes", async () => {
  const { sink, clock, publisher } = setUp();
  sink.failAt([0], busy);
  const sent = publisher.send(messageBatch(1), NEVER);
  await clock.waiting();
  await publisher.close();
  expect(await within(sent, "the send ends")).toEqual([failed(busy)]);
  expect(sink.closes).toBe(1);
  expect(clock.pending).toBe(0);
});
