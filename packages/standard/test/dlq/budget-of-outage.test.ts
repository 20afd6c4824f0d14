import { ACCEPTED, DEAD_LETTERED, type Message } from "@mqb/core/plugin";
import { messageBatch, texts } from "@mqb/testkit";
import { expect, it } from "vitest";
import { busy, cut, rejected } from "../failures.ts";
import { NEVER } from "../opened.ts";
import { setUp } from "./setup.ts";

const OUTAGE = 10;
const LIMITS = [{ stop_after: 3 }, { stop_window: 100, stop_threshold: 3 }];

it.each([
  ["fails as a whole", LIMITS[0]!, true, busy],
  ["fails as a whole", LIMITS[1]!, true, cut],
  ["refuses each letter", LIMITS[0]!, false, busy],
  ["refuses each letter", LIMITS[1]!, false, busy],
])("an endpoint that %s for a while does not use up %j", async (_, limits, thrown, error) => {
  const { sink, letters, publisher } = await setUp(limits);
  sink.failWhen(() => rejected);
  const batch = messageBatch(3);
  for (let i = 0; i < OUTAGE; i++) {
    if (thrown) letters.rejectNext(error);
    else letters.failAt([0, 1, 2], error);
    const outcomes = await publisher.send(batch, NEVER);
    expect(outcomes!.map(({ type }) => type)).toEqual(["failed", "failed", "failed"]);
  }
  letters.failWhen(undefined);
  expect(await publisher.send(batch, NEVER)).toEqual([DEAD_LETTERED, DEAD_LETTERED, DEAD_LETTERED]);
  // Three are counted, each once: there is room for one that is too many.
  expect(await publisher.send(messageBatch(1, { from: 3 }), NEVER)).toEqual([DEAD_LETTERED]);
  await expect(publisher.send(messageBatch(1, { from: 4 }), NEVER)).rejects.toMatchObject({ kind: "config" });
  expect(letters.messages.length).toBe(4);
});

it("asks an endpoint that takes nothing once per batch, however many letters there are", async () => {
  const { sink, letters, publisher } = await setUp({ stop_after: 2 });
  sink.failWhen(() => rejected);
  letters.failWhen(() => busy);
  const outcomes = await publisher.send(messageBatch(100), NEVER);
  expect(outcomes!.every(({ type }) => type === "failed")).toBe(true);
  expect(letters.sends.length).toBe(1);
});

it("a letter that is never taken keeps none of the others out, and the budget ends the route", async () => {
  const { sink, letters, publisher } = await setUp({ stop_after: 2 });
  sink.failWhen(() => rejected);
  letters.failWhen((message: Message) => (message.text() === "message 1" ? busy : undefined));
  const outcomes = await publisher.send(messageBatch(6), NEVER);
  expect(outcomes!.map(({ type }) => type)).toEqual([
    "dead_lettered",
    "failed",
    "dead_lettered",
    "dead_lettered",
    "failed",
    "failed",
  ]);
  expect(texts(letters.messages)).toEqual(["message 0", "message 2", "message 3"]);
  await expect(publisher.send(messageBatch(1), NEVER)).rejects.toMatchObject({ code: "MQB_STANDARD_DLQ_BUDGET" });
});

it("batches that come meanwhile are not stopped by letters that are still under way", async () => {
  const { sink, letters, publisher } = await setUp({ stop_after: 0 });
  sink.failWhen((message: Message) => (message.text() === "message 0" ? rejected : undefined));
  letters.rejectNext(busy);
  const [first, second] = await Promise.all([
    publisher.send(messageBatch(1), NEVER),
    publisher.send(messageBatch(1, { from: 1 }), NEVER),
  ]);
  expect(first).toMatchObject([{ type: "failed", error: { kind: "retryable" } }]);
  expect(second ?? [ACCEPTED]).toEqual([ACCEPTED]);
});
