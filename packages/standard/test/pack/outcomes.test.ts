import { batchOf, codeOf, DEAD_LETTERED, FILTERED, Message, MqbError } from "@mqb/core/plugin";
import { lineBatch } from "@mqb/testkit";
import { expect, it } from "vitest";
import { NEVER } from "../opened.ts";
import { packedSink, types } from "./setup.ts";

const BUSY = new MqbError("MQB_TEST_BUSY", "retryable", "busy");

it("says nothing when every packed message was accepted", async () => {
  const { publisher } = packedSink();
  expect(await publisher.send(lineBatch(5), NEVER)).toBeUndefined();
});

it("does not ask the sink for an empty batch", async () => {
  const { sink, publisher } = packedSink();
  expect(await publisher.send(batchOf([]), NEVER)).toBeUndefined();
  expect(sink.sends).toHaveLength(0);
});

it("fails every message of a packed message that fails, and no other", async () => {
  const { sink, publisher } = packedSink({ max_messages: 2 });
  sink.failAt([1], BUSY);
  const outcomes = await publisher.send(lineBatch(5), NEVER);
  expect(types(outcomes)).toEqual(["accepted", "accepted", "failed", "failed", "accepted"]);
  expect(outcomes![2]).toMatchObject({ error: BUSY });
});

it("keeps the outcomes of batches apart that are sent at the same time", async () => {
  const { sink, publisher } = packedSink({ max_messages: 2 });
  sink.failWhen((message) => (Buffer.from(message.payload).includes("message 1") ? BUSY : undefined));
  sink.stall();
  const sending = [lineBatch(3), lineBatch(3, { from: 3 })].map((batch) => publisher.send(batch, NEVER));
  await sink.sent(2);
  sink.release();
  expect((await Promise.all(sending)).map(types)).toEqual([["failed", "failed", "accepted"], undefined]);
});

it("passes on what a middleware above has made of a packed message", async () => {
  const { sink, publisher } = packedSink({ max_messages: 2 });
  sink.send = async () => [FILTERED, DEAD_LETTERED];
  const outcomes = await publisher.send(lineBatch(3), NEVER);
  expect(types(outcomes)).toEqual(["filtered", "filtered", "dead_lettered"]);
});

it("lets a failure pass that says nothing of single messages", async () => {
  const { sink, publisher } = packedSink();
  sink.rejectNext(BUSY);
  await expect(publisher.send(lineBatch(3), NEVER)).rejects.toBe(BUSY);
});

it("takes the answer to a packed message for one to nobody, unless one message lay in it", async () => {
  const { sink, publisher } = packedSink({ max_messages: 2 });
  sink.replyWith(() => new Message("yes"));
  expect(types(await publisher.send(lineBatch(3), NEVER))).toEqual(["accepted", "accepted", "replied"]);
});

it("refuses a message whose metadata has no UTF-8 form, alone, and packs the others", async () => {
  const { sink, publisher } = packedSink();
  const broken = new Message("b", new Map([["k", "\ud800"]]));
  const outcomes = await publisher.send(batchOf([new Message("a"), broken, new Message("c")]), NEVER);
  expect(types(outcomes)).toEqual(["accepted", "failed", "accepted"]);
  expect(codeOf((outcomes![1] as { error: unknown }).error)).toBe("MQB_STANDARD_PACK_METADATA");
  expect(sink.messages[0]!.metadata.get("mqb.pack.count")).toBe("2");
  expect(types(await publisher.send(batchOf([broken]), NEVER))).toEqual(["failed"]);
  expect(sink.sends).toHaveLength(1);
});
