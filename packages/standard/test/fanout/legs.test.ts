import { ACCEPTED, DEAD_LETTERED, FILTERED, failed, Message, type Outcome, type Publisher } from "@mqb/core/plugin";
import { fakeContext, lineBatch, messageBatch, texts, within } from "@mqb/testkit";
import { expect, it } from "vitest";
import standard from "../../src/index.ts";
import { busy, cut, rejected } from "../failures.ts";
import { NEVER } from "../opened.ts";
import { setUp, types } from "./setup.ts";

it("gives every leg the batch itself, and makes no message of it", async () => {
  const { sinks, publisher } = await setUp(3);
  const batch = lineBatch(4);
  expect(await publisher.send(batch, NEVER)).toBeUndefined();
  for (const sink of sinks) expect(sink.sends).toEqual([batch]);
  for (const sink of sinks) expect(sink.sends[0]).toBe(batch);
});

it("sends to all legs at the same time and waits for all", async () => {
  const { sinks, publisher } = await setUp(3);
  for (const sink of sinks) sink.stall();
  const sending = publisher.send(messageBatch(1), NEVER);
  await Promise.all(sinks.map((sink) => sink.sent(1)));
  for (const sink of sinks) sink.release();
  expect(await within(sending, "the fanout settles")).toBeUndefined();
});

it("fails a message by position where one leg fails it", async () => {
  const { sinks, publisher } = await setUp(3);
  sinks[0]!.failAt([1], busy);
  sinks[2]!.failAt([3], rejected);
  expect(await publisher.send(messageBatch(5), NEVER)).toEqual([
    ACCEPTED,
    failed(busy),
    ACCEPTED,
    failed(rejected),
    ACCEPTED,
  ]);
});

it("fails all messages when a leg cannot say which one failed, and does not lose what other legs said", async () => {
  const { sinks, publisher } = await setUp(2);
  sinks[0]!.rejectNext(cut);
  sinks[1]!.failAt([1], rejected);
  expect(await publisher.send(messageBatch(2), NEVER)).toEqual([failed(cut), failed(cut)]);
  expect(texts(sinks[1]!.messages)).toEqual(["message 0"]);
});

it.each([
  [[rejected, busy], busy],
  [[busy, rejected], busy],
  [[busy, cut], cut],
  [[rejected, cut, busy], cut],
])("of several errors for a message gives the one that keeps it with its source: %#", async (errors, expected) => {
  const { sinks, publisher } = await setUp(errors.length);
  for (const [index, error] of errors.entries()) sinks[index]!.failAt([0], error);
  expect(await publisher.send(messageBatch(1), NEVER)).toEqual([failed(expected)]);
});

it.each<[string, Outcome[], Outcome]>([
  ["accepted before dead-lettered", [DEAD_LETTERED, ACCEPTED], ACCEPTED],
  ["dead-lettered before filtered", [FILTERED, DEAD_LETTERED], DEAD_LETTERED],
  ["filtered when all are", [FILTERED, FILTERED], FILTERED],
])("counts a message as %s", async (_, outcomes, expected) => {
  const legs = outcomes.map((one): Publisher => ({ send: async () => [one], close: async () => {} }));
  const context = fakeContext({ openPublisher: async (endpoint) => legs[endpoint as number]! });
  const publisher = await standard.endpoints!["fanout"]!.output!.open([0, 1], context);
  expect(await publisher.send(messageBatch(1), NEVER)).toEqual([expected]);
});

it("answers with the first leg in the list that answers, and warns once of others", async () => {
  const { sinks, publisher, context } = await setUp(3);
  sinks[1]!.replyWith((message) => new Message(`one: ${message.text()}`));
  sinks[2]!.replyWith((message) => new Message(`two: ${message.text()}`));
  for (let n = 0; n < 2; n++) {
    const outcomes = await publisher.send(messageBatch(2), NEVER);
    expect(outcomes!.map((one) => one.type === "replied" && one.message.text())).toEqual([
      "one: message 0",
      "one: message 1",
    ]);
  }
  expect(context.log.at("warn")).toEqual([expect.stringContaining("only the first answer counts")]);
  expect(context.log.at("debug")).toHaveLength(1);
});

it("gives no answer when a leg fails", async () => {
  const { sinks, publisher } = await setUp(2);
  sinks[0]!.replyWith((message) => message);
  sinks[1]!.failAt([1], busy);
  expect(types(await publisher.send(messageBatch(2), NEVER))).toEqual(["replied", "failed"]);
});

it("keeps the order of each leg when the route sends in order", async () => {
  const { sinks, publisher } = await setUp(2);
  sinks[1]!.failAt([0], busy);
  for (let from = 0; from < 6; from += 2) await publisher.send(messageBatch(2, { from }), NEVER);
  expect(texts(sinks[0]!.messages)).toEqual([0, 1, 2, 3, 4, 5].map((n) => `message ${n}`));
});

it("does not lose the outcomes of others for a leg that hears nothing of a stop", async () => {
  const deaf: Publisher = { send: () => new Promise(() => {}), close: async () => {} };
  const { sinks, clock, session } = await setUp(1);
  const context = fakeContext({ clock, session, openPublisher: async (leg) => (leg === 0 ? sinks[0]! : deaf) });
  const publisher = await standard.endpoints!["fanout"]!.output!.open([0, 1], context);
  const stop = new AbortController();
  const batch = messageBatch(2);
  const sending = publisher.send(batch, stop.signal);
  await sinks[0]!.collected(2);
  stop.abort();
  const outcomes = await clock.runUntil(sending);
  expect(outcomes).toEqual(
    [0, 1].map(() => failed(expect.objectContaining({ message: expect.stringContaining("[1]") }))),
  );
  // Sent again, only the leg that was given up gets them.
  const again = await (await setUpAgain()).send(batch, NEVER);
  expect(again).toEqual([ACCEPTED, ACCEPTED]);
  expect(sinks[0]!.sends).toHaveLength(1);

  async function setUpAgain() {
    const second = fakeContext({
      session,
      openPublisher: async (leg) => (leg === 0 ? sinks[0]! : { ...deaf, send: async () => undefined }),
    });
    return standard.endpoints!["fanout"]!.output!.open([0, 1], second);
  }
});

it("does not take it for accepted when a leg says less than it should", async () => {
  const { sinks, publisher } = await setUp();
  sinks[1]!.send = async () => [ACCEPTED];
  const broken = failed(expect.objectContaining({ code: "MQB_STANDARD_PART_OUTCOMES", kind: "connection" }));
  expect(await publisher.send(messageBatch(2), NEVER)).toEqual([broken, broken]);
});

it("flushes and closes every leg, also when one fails, and says that it did", async () => {
  const { sinks, publisher } = await setUp(3);
  sinks[0]!.flush = async () => Promise.reject(busy);
  sinks[1]!.close = async () => Promise.reject(cut);
  await expect(publisher.flush!()).rejects.toBe(busy);
  await expect(publisher.close()).rejects.toBe(cut);
  expect(sinks.map((sink) => [sink.flushes, sink.closes])).toEqual([
    [0, 1],
    [1, 0],
    [1, 1],
  ]);
});

it("is healthy when all legs are, and shows each", async () => {
  const { sinks, publisher } = await setUp(2);
  expect(publisher.status!()).toMatchObject({ healthy: true, target: "fanout: collecting, collecting" });
  sinks[1]!.health = { healthy: false, target: "b", pending: 3, error: "down" };
  expect(publisher.status!()).toMatchObject({
    healthy: false,
    pending: 3,
    error: "down",
    details: { fanout: { "[0]": { healthy: true }, "[1]": { healthy: false, target: "b" } } },
  });
});

it("closes the legs that it has opened when another cannot be opened", async () => {
  const { sinks } = await setUp(1);
  const context = fakeContext({
    openPublisher: async (leg) => (leg === 0 ? sinks[0]! : Promise.reject(cut)),
  });
  await expect(standard.endpoints!["fanout"]!.output!.open([0, 1], context)).rejects.toBe(cut);
  expect(sinks[0]!.closed).toBe(true);
});
