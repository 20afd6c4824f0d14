import { ACCEPTED, describeError, isExhausted, type Message, type Outcome } from "@mqb/core/plugin";
import { messageBatch, texts } from "@mqb/testkit";
import { expect, it } from "vitest";
import { busy, cut, rejected } from "../failures.ts";
import { NEVER } from "../opened.ts";
import { setUp } from "./setup.ts";

/** Fails a message with these payloads so often. */
function failing(times: Record<string, number>, error: unknown = busy) {
  const left = { ...times };
  return (message: Message) => ((left[message.text()] ?? 0) > 0 && left[message.text()]!-- > 0 ? error : undefined);
}

const errorOf = (outcome: Outcome | undefined) => (outcome?.type === "failed" ? outcome.error : undefined);

it("passes a batch that is accepted as it is", async () => {
  const { sink, clock, publisher } = setUp();
  const batch = messageBatch(3);
  expect(await publisher.send(batch, NEVER)).toBeUndefined();
  expect(sink.sends).toEqual([batch]);
  expect(sink.sends[0]).toBe(batch);
  expect(clock.armed).toBe(0);
});

it("sends only what failed again, in order, and puts the results into their places", async () => {
  const { sink, clock, publisher } = setUp();
  sink.failWhen(failing({ "message 1": 1, "message 3": 2 }));
  const outcomes = await clock.runUntil(publisher.send(messageBatch(5), NEVER));
  expect(sink.sends.map((batch) => texts(batch))).toEqual([
    texts(messageBatch(5)),
    ["message 1", "message 3"],
    ["message 3"],
  ]);
  expect(outcomes).toEqual(new Array(5).fill(ACCEPTED));
});

it("writes the number of the attempt into the metadata, from the second on", async () => {
  const { sink, clock, publisher } = setUp();
  sink.failWhen(failing({ "message 0": 2 }));
  await clock.runUntil(publisher.send(messageBatch(1, { metadata: true }), NEVER));
  expect(sink.sends.map((batch) => Object.fromEntries(batch.metadata(0)))).toEqual([
    { n: "0" },
    { n: "0", "mq_bridge.retry.attempt": "2" },
    { n: "0", "mq_bridge.retry.attempt": "3" },
  ]);
  expect(new Set(sink.sends.map((batch) => batch.id(0))).size).toBe(1);
});

it("marks what still fails after the last attempt as exhausted, with the cause", async () => {
  const { sink, clock, publisher } = setUp({ max_attempts: 2 });
  sink.failWhen(failing({ "message 1": 9 }));
  const outcomes = await clock.runUntil(publisher.send(messageBatch(2), NEVER));
  expect(outcomes![0]).toBe(ACCEPTED);
  const error = errorOf(outcomes![1]);
  expect(error).toMatchObject({
    code: "MQB_STANDARD_RETRIES_EXHAUSTED",
    kind: "retryable",
    exhausted: true,
    cause: busy,
  });
  expect(describeError(error)).toBe("Retries exhausted after 2 attempts: the sink is busy");
  expect(sink.sends).toHaveLength(2);
});

it("does not send a second time with max_attempts 1", async () => {
  const { sink, publisher } = setUp({ max_attempts: 1 });
  sink.failAt([0], busy);
  const outcomes = await publisher.send(messageBatch(1), NEVER);
  expect(isExhausted(errorOf(outcomes![0]))).toBe(true);
  expect(sink.sends).toHaveLength(1);
});

it("lets permanent failures pass and retries the others beside them", async () => {
  const { sink, clock, publisher } = setUp();
  let first = true;
  sink.failWhen((message) => (message.text() === "message 0" ? rejected : first ? busy : undefined));
  void sink.sent(1).then(() => {
    first = false;
  });
  const outcomes = await clock.runUntil(publisher.send(messageBatch(3), NEVER));
  expect(outcomes).toEqual([{ type: "failed", error: rejected }, ACCEPTED, ACCEPTED]);
  expect(texts(sink.sends[1]!)).toEqual(["message 1", "message 2"]);
});

it("takes an error of unknown kind as retryable", async () => {
  const { sink, clock, publisher } = setUp();
  sink.failWhen(failing({ "message 0": 1 }, new Error("what?")));
  expect(await clock.runUntil(publisher.send(messageBatch(1), NEVER))).toEqual([ACCEPTED]);
});

it("does not retry what an inner retry has given up", async () => {
  const inner = setUp();
  inner.sink.failAt([0], busy);
  const [given] = (await inner.clock.runUntil(inner.publisher.send(messageBatch(1), NEVER)))!;
  const outer = setUp();
  outer.sink.failAt([0], errorOf(given));
  expect(await outer.clock.runUntil(outer.publisher.send(messageBatch(1), NEVER))).toEqual([given]);
  expect(outer.sink.sends).toHaveLength(1);
});

it("passes a connection error to the route at once, thrown or as an outcome", async () => {
  const { sink, clock, publisher } = setUp();
  sink.rejectNext(cut);
  await expect(publisher.send(messageBatch(2), NEVER)).rejects.toBe(cut);
  sink.failWhen((_, index) => (index === 0 ? cut : busy));
  expect(await publisher.send(messageBatch(2), NEVER)).toEqual([
    { type: "failed", error: cut },
    { type: "failed", error: busy },
  ]);
  expect(clock.armed).toBe(0);
});

it("retries a whole batch that fails as one", async () => {
  const { sink, clock, publisher } = setUp();
  sink.rejectNext(busy);
  expect(await clock.runUntil(publisher.send(messageBatch(2), NEVER))).toEqual([ACCEPTED, ACCEPTED]);
});

it.each([
  ["retryable", busy, "MQB_STANDARD_RETRIES_EXHAUSTED"],
  ["connection", cut, "MQB_TEST_CUT"],
  ["permanent", rejected, "MQB_TEST_REJECTED"],
])("keeps what the first attempt delivered when the second one fails as a whole (%s)", async (_, error, code) => {
  const { sink, clock, publisher } = setUp({ max_attempts: 2 });
  sink.failAt([1], busy);
  const sent = publisher.send(messageBatch(3), NEVER);
  await clock.waiting();
  sink.rejectNext(error);
  const outcomes = await clock.runUntil(sent);
  expect(outcomes).toEqual([ACCEPTED, { type: "failed", error: expect.objectContaining({ code }) }, ACCEPTED]);
});

it("keeps replies", async () => {
  const { sink, clock, publisher } = setUp();
  sink.replyWith((message) => message.with({ payload: Buffer.from(`re: ${message.text()}`) }));
  sink.failWhen(failing({ "message 1": 1 }));
  const outcomes = await clock.runUntil(publisher.send(messageBatch(2), NEVER));
  expect(outcomes!.map((outcome) => outcome.type === "replied" && outcome.message.text())).toEqual([
    "re: message 0",
    "re: message 1",
  ]);
});
