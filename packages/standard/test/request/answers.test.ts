import { ACCEPTED, FILTERED, failed, Message } from "@mqb/core/plugin";
import { messageBatch, texts } from "@mqb/testkit";
import { expect, it } from "vitest";
import { busy, cut, failures, rejected } from "../failures.ts";
import { NEVER } from "../opened.ts";
import { setUp } from "./setup.ts";

const answer = (message: Message) =>
  new Message(`re: ${message.text()}`, new Map([["http_status_code", "200"]]), message.id);

it("sends the answers on, in order, with one send, with their own metadata", async () => {
  const { to, forward, open } = await setUp();
  const publisher = await open();
  to.replyWith(answer);
  const batch = messageBatch(3, { metadata: true });
  expect(await publisher.send(batch, NEVER)).toEqual([ACCEPTED, ACCEPTED, ACCEPTED]);
  expect(to.sends).toEqual([batch]);
  expect(forward.sends).toHaveLength(1);
  expect(texts(forward.messages)).toEqual(["re: message 0", "re: message 1", "re: message 2"]);
  expect([...forward.messages[0]!.metadata]).toEqual([["http_status_code", "200"]]);
  expect(forward.messages.map(({ id }) => id)).toEqual([0, 1, 2].map((at) => batch.id(at)));
});

it.each([busy, rejected, cut])("sends the message itself on where the request failed: %s", async (error) => {
  const { to, forward, open, context } = await setUp();
  const publisher = await open();
  to.replyWith(answer);
  to.failAt([1], error);
  expect(await publisher.send(messageBatch(3), NEVER)).toEqual([ACCEPTED, ACCEPTED, ACCEPTED]);
  expect(texts(forward.messages)).toEqual(["re: message 0", "message 1", "re: message 2"]);
  expect(context.log.at("warn")).toEqual([expect.stringContaining("passed on instead of answers")]);
});

it("sends all messages themselves on when the request failed as a whole", async () => {
  const { to, forward, open } = await setUp();
  const publisher = await open();
  to.rejectNext(busy);
  await publisher.send(messageBatch(2), NEVER);
  expect(texts(forward.messages)).toEqual(["message 0", "message 1"]);
});

it("passes on what `forward_to` says, by position", async () => {
  const { to, forward, open } = await setUp();
  const publisher = await open();
  to.replyWith(answer);
  forward.failAt([1], rejected);
  expect(await publisher.send(messageBatch(2), NEVER)).toEqual([ACCEPTED, failed(rejected)]);
  forward.failWhen(undefined);
  forward.rejectNext(cut);
  expect(await publisher.send(messageBatch(2), NEVER)).toEqual([failed(cut), failed(cut)]);
});

it("sends nothing on for a message that is taken without an answer, or taken out", async () => {
  const { to, forward, open } = await setUp();
  const publisher = await open();
  to.send = async () => [ACCEPTED, FILTERED, { type: "replied", message: new Message("re") }, ACCEPTED];
  forward.failAt([0], busy);
  expect(await publisher.send(messageBatch(4), NEVER)).toEqual([ACCEPTED, FILTERED, failed(busy), ACCEPTED]);
  to.send = async () => undefined;
  expect(await publisher.send(messageBatch(4), NEVER)).toBeUndefined();
  expect(forward.sends).toHaveLength(1);
});

it("fails a request that should have answered the sender, and never answers with the question", async () => {
  const { to, forward, open } = await setUp({ answers: true });
  const publisher = await open();
  to.replyWith(answer);
  forward.replyWith((message) => message);
  to.failAt([0], busy);
  const outcomes = await publisher.send(messageBatch(2), NEVER);
  expect(outcomes![0]).toEqual(failed(busy));
  expect(outcomes![1]).toMatchObject({ type: "replied" });
  expect(texts(forward.messages)).toEqual(["re: message 1"]);
});

it("never answers with the question, also where it was not known that an answer would come", async () => {
  const { to, forward, open } = await setUp({ answers: false });
  const publisher = await open();
  to.rejectNext(busy);
  forward.replyWith((message) => message);
  expect(await publisher.send(messageBatch(1), NEVER)).toEqual([failed(busy)]);
});

it("keeps with the source what was given up because of a stop", async () => {
  const { to, forward, open } = await setUp();
  const publisher = await open();
  to.stall();
  const stop = new AbortController();
  const sending = publisher.send(messageBatch(1), stop.signal);
  await to.sent(1);
  stop.abort();
  expect(await sending).toEqual([failed(expect.anything())]);
  expect(forward.sends).toEqual([]);
});

it("fails with what is wrong with the configuration", async () => {
  const { to, forward, open } = await setUp();
  const publisher = await open();
  const wrong = failures.CONFIG({});
  to.failAt([0], wrong);
  expect(await publisher.send(messageBatch(1), NEVER)).toEqual([failed(wrong)]);
  expect(forward.sends).toEqual([]);
});

it("flushes, closes and reports both ends", async () => {
  const { to, forward, open } = await setUp();
  const publisher = await open();
  to.health = { healthy: false, target: "scores", error: "down" };
  expect(publisher.status!()).toMatchObject({ healthy: false, target: "scores -> collecting", error: "down" });
  await publisher.flush!();
  await publisher.close();
  expect([to.flushes, to.closes, forward.flushes, forward.closes]).toEqual([1, 1, 1, 1]);
});
