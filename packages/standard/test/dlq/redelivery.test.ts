import { batchOf, DEAD_LETTERED, failed, type Message } from "@mqb/core/plugin";
import { messageBatch, messages } from "@mqb/testkit";
import { expect, it } from "vitest";
import { busy, rejected } from "../failures.ts";
import { NEVER } from "../opened.ts";
import { setUp } from "./setup.ts";

const byText = (rules: Record<string, unknown>) => (message: Message) => rules[message.text()];

it("dead-letters a message once, however often an outage of others brings it back", async () => {
  const { sink, letters, publisher } = await setUp();
  const batch = messageBatch(5);
  sink.failWhen(byText({ "message 2": rejected, "message 4": busy }));
  for (let i = 0; i < 4; i++) {
    const outcomes = await publisher.send(batch, NEVER);
    expect([outcomes![2], outcomes![4]]).toEqual([DEAD_LETTERED, failed(busy)]);
  }
  sink.failWhen(byText({ "message 2": rejected }));
  expect((await publisher.send(batch, NEVER))![2]).toBe(DEAD_LETTERED);
  expect(letters.messages.map((message) => message.text())).toEqual(["message 2"]);
});

it("remembers it across a reconnect", async () => {
  const first = await setUp();
  const batch = messageBatch(1);
  first.sink.failAt([0], rejected);
  await first.publisher.send(batch, NEVER);
  const second = await setUp({}, first.session);
  second.sink.failAt([0], rejected);
  expect(await second.publisher.send(batch, NEVER)).toEqual([DEAD_LETTERED]);
  expect(second.letters.messages).toEqual([]);
});

it("knows a message without an id of its own by its position in the source", async () => {
  const { sink, letters, publisher } = await setUp();
  sink.failAt([0], rejected);
  const read = (offset: string) =>
    batchOf(
      messages(1).map((message) =>
        message.with({ metadata: { "mqb.src.file_offset": offset, other: Math.random().toString() } }),
      ),
    );
  await publisher.send(read("0"), NEVER);
  await publisher.send(read("0"), NEVER);
  expect(letters.messages).toHaveLength(1);
  await publisher.send(read("17"), NEVER);
  expect(letters.messages).toHaveLength(2);
});

it("takes a message with the same id and another payload for another one", async () => {
  const { sink, letters, publisher } = await setUp();
  sink.failAt([0], rejected);
  const [message] = messages(1);
  await publisher.send(batchOf([message!]), NEVER);
  await publisher.send(batchOf([message!.with({ payload: Buffer.from("changed") })]), NEVER);
  expect(letters.messages).toHaveLength(2);
});

it("takes a dead letter that is played back and fails again as a new one", async () => {
  const { sink, letters, clock, publisher } = await setUp();
  sink.failAt([0], rejected);
  await publisher.send(messageBatch(1), NEVER);
  await clock.advance(1_000);
  await publisher.send(batchOf([letters.messages[0]!]), NEVER);
  expect(letters.messages).toHaveLength(2);
});

it("forgets a letter that was not taken", async () => {
  const { sink, letters, publisher } = await setUp();
  sink.failAt([0], rejected);
  letters.rejectNext(busy);
  const batch = messageBatch(1);
  await publisher.send(batch, NEVER);
  expect(await publisher.send(batch, NEVER)).toEqual([DEAD_LETTERED]);
  expect(letters.messages).toHaveLength(1);
});

it("remembers a bounded number", async () => {
  const { sink, letters, publisher } = await setUp();
  sink.failWhen(() => rejected);
  const old = messageBatch(1);
  await publisher.send(old, NEVER);
  await publisher.send(messageBatch(10_000, { from: 1 }), NEVER);
  await publisher.send(old, NEVER);
  expect(letters.messages).toHaveLength(10_002);
});
