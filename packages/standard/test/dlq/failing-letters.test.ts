import { ACCEPTED, DEAD_LETTERED, describeError, isExhausted, kindOf, type Outcome } from "@mqb/core/plugin";
import { messageBatch } from "@mqb/testkit";
import { expect, it } from "vitest";
import { errors } from "../../src/errors.ts";
import { busy, cut, rejected } from "../failures.ts";
import { NEVER } from "../opened.ts";
import { setUp } from "./setup.ts";

const errorOf = (outcome: Outcome | undefined) => (outcome?.type === "failed" ? outcome.error : undefined);
const exhausted = errors.RETRIES_EXHAUSTED({ attempts: 2 }, { cause: busy, exhausted: true });

it.each([
  ["retryable", busy],
  ["permanent", rejected],
  ["exhausted", exhausted],
  ["unknown", new Error("what?")],
])("keeps a message with its source when its letter is not taken: %s", async (_, error) => {
  for (const thrown of [true, false]) {
    const { sink, letters, publisher } = await setUp();
    sink.failAt([1], rejected);
    if (thrown) letters.rejectNext(error);
    else letters.failAt([0], error);
    const outcomes = await publisher.send(messageBatch(2), NEVER);
    expect(outcomes![0]).toBe(ACCEPTED);
    const failure = errorOf(outcomes![1]);
    // Nacked by the route, and taken for settled by nobody on the way.
    expect(kindOf(failure, "permanent")).toBe("retryable");
    expect(isExhausted(failure)).toBe(false);
    expect(describeError(failure)).toContain("the sink rejects the message");
    expect(describeError(failure)).toContain(describeError(error));
  }
});

it("passes a connection error of the dead-letter endpoint on, with the original failure", async () => {
  for (const thrown of [true, false]) {
    const { sink, letters, publisher } = await setUp();
    sink.failAt([0], rejected);
    if (thrown) letters.rejectNext(cut);
    else letters.failAt([0], cut);
    const failure = errorOf((await publisher.send(messageBatch(1), NEVER))![0]);
    expect(failure).toMatchObject({ kind: "connection", cause: cut });
    expect(describeError(failure)).toContain("the sink rejects the message");
  }
});

it("settles each letter on its own", async () => {
  const { sink, letters, publisher } = await setUp();
  sink.failWhen(() => rejected);
  letters.failAt([1], busy);
  const outcomes = await publisher.send(messageBatch(3), NEVER);
  expect(outcomes!.map((outcome) => outcome.type)).toEqual(["dead_lettered", "failed", "dead_lettered"]);
});

it("takes an answer of the dead-letter endpoint for a success", async () => {
  const { sink, letters, publisher } = await setUp();
  sink.failWhen(() => rejected);
  letters.replyWith((message) => message);
  expect(await publisher.send(messageBatch(1), NEVER)).toEqual([DEAD_LETTERED]);
});
