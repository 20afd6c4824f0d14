import { DEAD_LETTERED, type Outcome } from "@mqb/core/plugin";
import { messageBatch, texts } from "@mqb/testkit";
import { expect, it } from "vitest";
import { rejected } from "../failures.ts";
import { NEVER } from "../opened.ts";
import { setUp } from "./setup.ts";

const codeOf = (outcome: Outcome | undefined) =>
  outcome?.type === "failed" ? (outcome.error as { code?: string }).code : outcome?.type;

it("stops after so many dead letters, however many messages went well between them", async () => {
  const { sink, letters, publisher } = await setUp({ stop_after: 2 });
  sink.failWhen((message) => (message.text().endsWith("9") ? rejected : undefined));
  for (let from = 0; from < 20; from += 10) {
    const outcomes = await publisher.send(messageBatch(10, { from }), NEVER);
    expect(outcomes![9]).toBe(DEAD_LETTERED);
  }
  // The one that is too many is still kept; then nothing is sent any more.
  expect((await publisher.send(messageBatch(10, { from: 20 }), NEVER))![9]).toBe(DEAD_LETTERED);
  const stopped = await publisher.send(messageBatch(1, { from: 30 }), NEVER).catch((error: unknown) => error);
  expect(stopped).toMatchObject({ code: "MQB_STANDARD_DLQ_BUDGET", kind: "config" });
  expect(texts(letters.messages)).toEqual(["message 9", "message 19", "message 29"]);
});

it("0 stops at the first one; the rest of its batch goes back to the source", async () => {
  const { sink, letters, publisher } = await setUp({ stop_after: 0 });
  sink.failWhen((_, index) => (index > 0 ? rejected : undefined));
  const outcomes = (await publisher.send(messageBatch(3), NEVER))!;
  expect(outcomes.map(codeOf)).toEqual(["accepted", "dead_lettered", "MQB_STANDARD_DLQ_BUDGET"]);
  expect(outcomes[2]).toMatchObject({ error: { kind: "config" } });
  expect(letters.messages.length).toBe(1);
});

it("counts on after a reconnect", async () => {
  const first = await setUp({ stop_after: 1 });
  first.sink.failWhen(() => rejected);
  await first.publisher.send(messageBatch(1), NEVER);
  const second = await setUp({ stop_after: 1 }, first.session);
  second.sink.failWhen(() => rejected);
  await second.publisher.send(messageBatch(1, { from: 1 }), NEVER);
  await expect(second.publisher.send(messageBatch(1, { from: 2 }), NEVER)).rejects.toMatchObject({
    code: "MQB_STANDARD_DLQ_BUDGET",
  });
});

it.each([
  ["20%", 50, 10],
  ["2.5%", 40, 1],
  ["0%", 10, 0],
])("a share of %s of the last %d is %d of them", async (stop_threshold, stop_window, allowed) => {
  const { sink, letters, publisher } = await setUp({ stop_window, stop_threshold });
  sink.failWhen(() => rejected);
  const outcomes = (await publisher.send(messageBatch(stop_window), NEVER))!;
  expect(letters.messages.length).toBe(allowed + 1);
  expect(codeOf(outcomes[allowed + 1])).toBe("MQB_STANDARD_DLQ_THRESHOLD");
});
