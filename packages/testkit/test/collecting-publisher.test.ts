import { Message, MqbError } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { CollectingPublisher, isPending, messageBatch, texts, within } from "../src/index.ts";

const signal = new AbortController().signal;
const bad = new MqbError("MQB_TEST", "permanent", "bad");

describe("CollectingPublisher", () => {
  it("keeps what it accepts", async () => {
    const sink = new CollectingPublisher();
    const two = sink.collected(2);
    expect(await sink.send(messageBatch(1), signal)).toBeUndefined();
    expect(await isPending(two)).toBe(true);
    await sink.send(messageBatch(1, { from: 1 }), signal);
    await within(two, "two messages");
    expect(texts(sink.messages)).toEqual(["message 0", "message 1"]);
    expect(sink.sends).toHaveLength(2);
  });

  it("fails by position, and keeps the others", async () => {
    const sink = new CollectingPublisher();
    sink.failAt([1], bad);
    const outcomes = await sink.send(messageBatch(3), signal);
    expect(outcomes?.map((outcome) => outcome.type)).toEqual(["accepted", "failed", "accepted"]);
    expect(texts(sink.messages)).toEqual(["message 0", "message 2"]);
    sink.failWhen(undefined);
    expect(await sink.send(messageBatch(3), signal)).toBeUndefined();
  });

  it("rejects as often as it is told", async () => {
    const sink = new CollectingPublisher();
    sink.rejectNext(bad);
    sink.rejectNext(bad);
    await expect(sink.send(messageBatch(1), signal)).rejects.toBe(bad);
    await expect(sink.send(messageBatch(1), signal)).rejects.toBe(bad);
    expect(await sink.send(messageBatch(1), signal)).toBeUndefined();
  });

  it("answers", async () => {
    const sink = new CollectingPublisher();
    sink.replyWith((message) => new Message(`re: ${message.text()}`));
    const outcomes = await sink.send(messageBatch(2), signal);
    expect(outcomes?.map((outcome) => outcome.type === "replied" && outcome.message.text())).toEqual([
      "re: message 0",
      "re: message 1",
    ]);
  });

  it("stalls until it is released, and counts what is in flight", async () => {
    const sink = new CollectingPublisher();
    sink.stall();
    const sending = [sink.send(messageBatch(1), signal), sink.send(messageBatch(1), signal)];
    expect(await isPending(Promise.race(sending))).toBe(true);
    expect(sink.inFlight).toBe(2);
    sink.release();
    await within(Promise.all(sending), "the sends");
    expect([sink.inFlight, sink.maxInFlight]).toEqual([0, 2]);
  });

  it("ends a stalled send when its signal aborts", async () => {
    const sink = new CollectingPublisher();
    sink.stall();
    const stop = new AbortController();
    const sending = sink.send(messageBatch(1), stop.signal);
    stop.abort(bad);
    await expect(sending).rejects.toBe(bad);
    expect(sink.messages).toEqual([]);
  });

  it("writes a send after close down", async () => {
    const sink = new CollectingPublisher();
    await sink.close();
    await sink.send(messageBatch(1), signal);
    expect(sink.violations).toEqual(["send was called after close"]);
  });
});
