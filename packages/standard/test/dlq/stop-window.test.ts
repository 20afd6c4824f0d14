import { ACCEPTED, DEAD_LETTERED, type Outcome } from "@mqb/core/plugin";
import { messageBatch } from "@mqb/testkit";
import { expect, it } from "vitest";
import { rejected } from "../failures.ts";
import { NEVER } from "../opened.ts";
import { setUp } from "./setup.ts";

const count = (outcomes: readonly Outcome[], type: Outcome["type"]) =>
  outcomes.filter((one) => one.type === type).length;

it("stops the route when too many of the last messages failed for good", async () => {
  const { sink, letters, publisher } = await setUp({ stop_window: 100, stop_threshold: 20 });
  sink.failWhen(() => rejected);
  const outcomes = (await publisher.send(messageBatch(512), NEVER))!;
  expect(count(outcomes, "dead_lettered")).toBe(21);
  expect(letters.messages).toHaveLength(21);
  expect(outcomes[21]).toMatchObject({ type: "failed", error: { code: "MQB_STANDARD_DLQ_THRESHOLD", kind: "config" } });
  expect(String((outcomes[21] as { error: Error }).error)).toMatch(/more than 20 of the last 100 messages.*rejects/);
  expect(count(outcomes, "failed")).toBe(512 - 21);
});

it("sends nothing any more after that", async () => {
  const { sink, publisher } = await setUp({ stop_window: 2, stop_threshold: 0 });
  sink.failWhen(() => rejected);
  expect(await publisher.send(messageBatch(1), NEVER)).toEqual([DEAD_LETTERED]);
  await expect(publisher.send(messageBatch(1), NEVER)).rejects.toMatchObject({ code: "MQB_STANDARD_DLQ_THRESHOLD" });
  expect(sink.sends).toHaveLength(1);
});

it("forgets failures that lie further back than the window", async () => {
  const { sink, publisher } = await setUp({ stop_window: 100, stop_threshold: 2 });
  sink.failWhen((_, index) => (index === 0 ? rejected : undefined));
  for (let i = 0; i < 50; i++) {
    expect(await publisher.send(messageBatch(60), NEVER)).toEqual([DEAD_LETTERED, ...new Array(59).fill(ACCEPTED)]);
  }
});

it("counts batches that are accepted without a word", async () => {
  const { sink, publisher } = await setUp({ stop_window: 10, stop_threshold: 1 });
  for (let i = 0; i < 10; i++) {
    sink.failAt([0], rejected);
    expect(await publisher.send(messageBatch(1), NEVER)).toEqual([DEAD_LETTERED]);
    sink.failWhen(undefined);
    expect(await publisher.send(messageBatch(10), NEVER)).toBeUndefined();
  }
});

it("does not count a redelivered message again", async () => {
  const { sink, publisher } = await setUp({ stop_window: 10, stop_threshold: 1 });
  sink.failAt([0], rejected);
  const batch = messageBatch(1);
  for (let i = 0; i < 5; i++) expect(await publisher.send(batch, NEVER)).toEqual([DEAD_LETTERED]);
});

it.each([
  ["within", [0, 2], true],
  ["beyond", [0, 3], false],
])("takes exactly the last messages: two failures %s a window of 3", async (_, positions, stops) => {
  const { sink, publisher } = await setUp({ stop_window: 3, stop_threshold: 1 });
  sink.failAt(positions, rejected);
  await publisher.send(messageBatch(4), NEVER);
  const next = publisher.send(messageBatch(1, { from: 4 }), NEVER);
  if (stops) await expect(next).rejects.toMatchObject({ code: "MQB_STANDARD_DLQ_THRESHOLD" });
  else await expect(next).resolves.toBeDefined();
});
