import { ACCEPTED, batchOf, Message } from "@mqb/core/plugin";
import { messageBatch, messages, texts } from "@mqb/testkit";
import { expect, it } from "vitest";
import { Taken } from "../../src/fanout/taken.ts";
import { busy, cut, rejected } from "../failures.ts";
import { NEVER } from "../opened.ts";
import { setUp, types } from "./setup.ts";

it("sends a message again only to the leg that has failed it", async () => {
  const { sinks, publisher } = await setUp(3);
  sinks[1]!.failAt([1, 3], busy);
  const batch = messageBatch(5);
  await publisher.send(batch, NEVER);
  sinks[1]!.failWhen(undefined);
  expect(types(await publisher.send(batch.select(Uint32Array.of(1, 3)), NEVER))).toEqual(["accepted", "accepted"]);
  expect(sinks.map((sink) => sink.sends.map((sent) => texts(sent)))).toEqual([
    [["message 0", "message 1", "message 2", "message 3", "message 4"]],
    [
      ["message 0", "message 1", "message 2", "message 3", "message 4"],
      ["message 1", "message 3"],
    ],
    [["message 0", "message 1", "message 2", "message 3", "message 4"]],
  ]);
});

it("does so across a reconnect, and beside messages that are new", async () => {
  const first = await setUp();
  first.sinks[1]!.rejectNext(cut);
  const list = messages(4);
  await first.publisher.send(batchOf(list.slice(0, 2)), NEVER);
  const second = await setUp(2, first.session);
  expect(types(await second.publisher.send(batchOf(list), NEVER))).toEqual(new Array(4).fill("accepted"));
  expect(texts(second.sinks[0]!.messages)).toEqual(["message 2", "message 3"]);
  expect(texts(second.sinks[1]!.messages)).toEqual(["message 0", "message 1", "message 2", "message 3"]);
});

it("remembers over several failures which legs are left", async () => {
  const { sinks, publisher } = await setUp(3);
  const batch = messageBatch(1);
  sinks[1]!.rejectNext(busy);
  sinks[2]!.rejectNext(busy);
  sinks[2]!.rejectNext(busy);
  for (let attempt = 0; attempt < 3; attempt++) await publisher.send(batch, NEVER);
  expect(sinks.map((sink) => sink.messages.length)).toEqual([1, 1, 1]);
  expect(sinks.map((sink) => sink.sends.length)).toEqual([1, 2, 3]);
});

it("forgets a message when all legs have it: the next one like it goes to all", async () => {
  const { sinks, publisher } = await setUp();
  const batch = messageBatch(1);
  sinks[1]!.rejectNext(busy);
  for (let n = 0; n < 3; n++) await publisher.send(batch, NEVER);
  expect(sinks.map((sink) => sink.messages.length)).toEqual([2, 2]);
});

it("gives the answer that was made before the failure", async () => {
  const { sinks, publisher } = await setUp();
  sinks[0]!.replyWith((message) => new Message(`answer to ${message.text()}`));
  sinks[1]!.rejectNext(busy);
  const batch = messageBatch(1);
  expect(types(await publisher.send(batch, NEVER))).toEqual(["failed"]);
  const [outcome] = (await publisher.send(batch, NEVER))!;
  expect(outcome?.type === "replied" && outcome.message.text()).toBe("answer to message 0");
  expect(sinks[0]!.sends).toHaveLength(1);
});

it("takes messages of one id with other payloads for others", async () => {
  const { sinks, publisher } = await setUp();
  const [one] = messages(1);
  sinks[1]!.rejectNext(busy);
  await publisher.send(batchOf([one!]), NEVER);
  await publisher.send(batchOf([one!.with({ payload: Buffer.from("other") })]), NEVER);
  expect(texts(sinks[0]!.messages)).toEqual(["message 0", "other"]);
});

it("sends both of two messages that cannot be told apart to a leg that failed one of them", async () => {
  const { sinks, publisher } = await setUp();
  const [one] = messages(1);
  const twins = batchOf([one!, one!]);
  sinks[0]!.failAt([0], busy);
  sinks[1]!.failAt([1], busy);
  await publisher.send(twins, NEVER);
  for (const sink of sinks) sink.failWhen(undefined);
  await publisher.send(twins, NEVER);
  for (const sink of sinks) expect(sink.messages.length).toBeGreaterThanOrEqual(2);
});

it("does not keep what is dropped for good", async () => {
  const { sinks, publisher, session } = await setUp();
  sinks[1]!.failAt([0], rejected);
  await publisher.send(messageBatch(1), NEVER);
  expect((session.get("fanout taken") as Taken).size).toBe(0);
});

it("keeps no more than so many messages, the younger ones", () => {
  const taken = new Taken();
  for (let n = 0; n < 70_000; n++) taken.remember(`key ${n}`, [ACCEPTED, undefined], 0);
  expect(taken.size).toBeLessThanOrEqual(65_536);
  expect(taken.get("key 69999")).toEqual([ACCEPTED, undefined]);
  expect(taken.get("key 0")).toBeUndefined();
});

it("keeps nothing that does not come again within a quarter of an hour", async () => {
  const { sinks, publisher, session, clock } = await setUp();
  sinks[1]!.rejectNext(busy);
  await publisher.send(messageBatch(3), NEVER);
  const taken = session.get("fanout taken") as Taken;
  expect(taken.size).toBe(3);
  await clock.advance(16 * 60_000);
  await publisher.send(messageBatch(1), NEVER);
  expect(taken.size).toBe(0);
});

it("keeps no more than so many bytes of answers", () => {
  const taken = new Taken();
  const answer = { type: "replied", message: new Message(Buffer.alloc(1024 * 1024)) } as const;
  for (let n = 0; n < 100; n++) taken.remember(`key ${n}`, [answer, undefined], 0);
  expect(taken.size).toBeLessThan(33);
  expect(taken.get("key 99")).toEqual([answer, undefined]);
});
