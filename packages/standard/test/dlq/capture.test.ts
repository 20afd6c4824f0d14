import { ACCEPTED, DEAD_LETTERED, failed, MqbError } from "@mqb/core/plugin";
import { messageBatch, texts } from "@mqb/testkit";
import { expect, it } from "vitest";
import { errors } from "../../src/errors.ts";
import { busy, cut, rejected } from "../failures.ts";
import { NEVER } from "../opened.ts";
import { setUp } from "./setup.ts";

const exhausted = errors.RETRIES_EXHAUSTED({ attempts: 2 }, { cause: busy, exhausted: true });

it("passes what is accepted, and opens no letter for it", async () => {
  const { sink, letters, publisher } = await setUp();
  const batch = messageBatch(2);
  expect(await publisher.send(batch, NEVER)).toBeUndefined();
  expect(sink.sends[0]).toBe(batch);
  expect(letters.sends).toEqual([]);
});

it("takes permanent failures and exhausted retries, in order, and nothing else", async () => {
  const { sink, letters, publisher } = await setUp();
  const errorsByPosition = [undefined, rejected, busy, exhausted, cut];
  sink.failWhen((_, index) => errorsByPosition[index]);
  expect(await publisher.send(messageBatch(5), NEVER)).toEqual([
    ACCEPTED,
    DEAD_LETTERED,
    failed(busy),
    DEAD_LETTERED,
    failed(cut),
  ]);
  expect(letters.sends.map((batch) => texts(batch))).toEqual([["message 1", "message 3"]]);
});

it("adds why, from which route and when, and keeps the rest of the message", async () => {
  const { sink, letters, clock, publisher } = await setUp();
  sink.failWhen((_, index) => (index === 0 ? rejected : exhausted));
  const batch = messageBatch(2, { metadata: true });
  await publisher.send(batch, NEVER);
  expect(letters.messages.map((message) => Object.fromEntries(message.metadata))).toEqual([
    {
      n: "0",
      "mq_bridge.dlq.error": "non-retryable error: the sink rejects the message",
      "mq_bridge.dlq.route": "orders",
      "mq_bridge.dlq.timestamp_ms": String(clock.now()),
    },
    expect.objectContaining({
      "mq_bridge.dlq.error": "retryable error: Retries exhausted after 2 attempts: retryable error: the sink is busy",
    }),
  ]);
  expect(letters.messages.map((message) => message.id)).toEqual([batch.id(0), batch.id(1)]);
});

it("names the cause of an error that is none of mqb", async () => {
  const { sink, letters, publisher } = await setUp();
  const wrapped = new MqbError("MQB_TEST_BAD", "permanent", "cannot write row 5", {
    cause: new Error("value too long"),
  });
  sink.failAt([0], wrapped);
  await publisher.send(messageBatch(1), NEVER);
  expect(letters.messages[0]!.metadata.get("mq_bridge.dlq.error")).toBe(
    "non-retryable error: cannot write row 5: value too long",
  );
});

it("takes a batch that fails for good as a whole", async () => {
  const { sink, letters, publisher } = await setUp();
  sink.rejectNext(rejected);
  expect(await publisher.send(messageBatch(2), NEVER)).toEqual([DEAD_LETTERED, DEAD_LETTERED]);
  expect(letters.messages).toHaveLength(2);
});

it.each([
  ["retryable", busy],
  ["connection", cut],
])("leaves a %s failure of the whole batch to the route", async (_, error) => {
  const { sink, letters, publisher } = await setUp();
  sink.rejectNext(error);
  await expect(publisher.send(messageBatch(2), NEVER)).rejects.toBe(error);
  expect(letters.sends).toEqual([]);
});

it("sends its letters one batch after another", async () => {
  const { sink, letters, publisher } = await setUp();
  sink.failAt([0], rejected);
  letters.stall();
  const sends = [0, 1, 2].map((n) => publisher.send(messageBatch(1, { from: n }), NEVER));
  await letters.sent(1);
  letters.release();
  await Promise.all(sends);
  expect(letters.maxInFlight).toBe(1);
  expect(letters.messages.map((message) => message.text())).toEqual(["message 0", "message 1", "message 2"]);
});

it("logs at once, and then their sum at most every ten seconds and at the end", async () => {
  const { sink, context, clock, publisher } = await setUp();
  sink.failWhen(() => rejected);
  const told = () => context.log.at("warn").map((line) => Number.parseInt(line, 10));
  const send = (count: number) => publisher.send(messageBatch(count), NEVER);
  await send(100);
  expect(context.log.at("warn")).toEqual([expect.stringMatching(/^100 message\(s\) failed for good.*rejects/)]);
  await send(1);
  await send(2);
  expect(told()).toEqual([100]);
  await clock.advance(10_000);
  await send(3);
  await send(5);
  expect(told()).toEqual([100, 6]);
  await publisher.close();
  expect(told()).toEqual([100, 6, 5]);
});

it("flushes and closes both endpoints, and reports both", async () => {
  const { sink, letters, publisher } = await setUp();
  letters.health = { healthy: false, target: "letters" };
  expect(publisher.status?.()).toMatchObject({
    healthy: false,
    target: "collecting",
    details: { dead_lettered: 0, dlq: "letters" },
  });
  await publisher.flush?.();
  await publisher.close();
  expect([sink.flushes, letters.flushes, sink.closes, letters.closes]).toEqual([1, 1, 1, 1]);
});
