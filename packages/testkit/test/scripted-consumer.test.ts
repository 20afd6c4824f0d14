import { ACK, MqbError, NACK } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { isPending, messages, ScriptedConsumer, texts, within } from "../src/index.ts";

const signal = new AbortController().signal;

describe("ScriptedConsumer", () => {
  it("gives what is pushed, in order, cut to what is asked for", async () => {
    const source = new ScriptedConsumer().push(messages(3)).push(messages(1, { from: 3 }));
    expect(texts((await source.receive(2, signal)).batch)).toEqual(["message 0", "message 1"]);
    expect(texts((await source.receive(2, signal)).batch)).toEqual(["message 2"]);
    expect(texts((await source.receive(2, signal)).batch)).toEqual(["message 3"]);
    expect(source.asked).toEqual([2, 2, 2]);
  });

  it("waits for a push, an abort or a close", async () => {
    const source = new ScriptedConsumer();
    const pushed = source.receive(5, signal);
    expect(await isPending(pushed)).toBe(true);
    source.push(messages(1));
    expect((await pushed).batch.length).toBe(1);

    const stop = new AbortController();
    const aborted = source.receive(5, stop.signal);
    stop.abort();
    expect((await within(aborted, "the aborted receive")).batch.length).toBe(0);

    const closed = source.receive(5, signal);
    await source.close();
    expect((await within(closed, "the closed receive")).batch.length).toBe(0);
    expect(source.violations).toEqual([]);
  });

  it("keeps what becomes of its deliveries", async () => {
    const source = new ScriptedConsumer().push(messages(2)).push(messages(1));
    const first = await source.receive(5, signal);
    const second = await source.receive(5, signal);
    await second.commit();
    await first.commit([ACK, NACK]);
    expect(source.commits.map((one) => one.batch.length)).toEqual([1, 2]);
    expect(await source.deliveries[0]!.committed).toEqual([ACK, NACK]);
    expect(await source.deliveries[1]!.committed).toEqual([ACK]);
    expect(source.deliveries[1]!.dispositions).toBeUndefined();
  });

  it("fails on demand", async () => {
    const gone = new MqbError("MQB_TEST", "connection", "gone");
    const source = new ScriptedConsumer().pushError(gone).push(messages(1));
    await expect(source.receive(1, signal)).rejects.toBe(gone);
    const delivery = await source.receive(1, signal);
    source.failNextCommit(gone);
    await expect(delivery.commit()).rejects.toBe(gone);
  });

  it("marks emptied batches", async () => {
    const source = new ScriptedConsumer().pushEmpty(true).pushEmpty();
    expect((await source.receive(1, signal)).emptied).toBe(true);
    expect((await source.receive(1, signal)).emptied).toBeUndefined();
  });

  it("holds commits back", async () => {
    const source = new ScriptedConsumer().push(messages(1));
    const delivery = await source.receive(1, signal);
    source.holdCommits();
    const committing = delivery.commit();
    expect(await isPending(committing)).toBe(true);
    expect(source.commits).toHaveLength(1);
    source.releaseCommits();
    await within(committing, "the commit");
  });

  it("writes breaches of the contract down", async () => {
    const source = new ScriptedConsumer().push(messages(2));
    const delivery = await source.receive(5, signal);
    await delivery.commit([ACK]);
    await delivery.commit();
    void source.receive(5, signal);
    void source.receive(0, signal);
    await source.close();
    void source.receive(1, signal);
    expect(source.violations).toEqual([
      "a batch of 2 was committed with 1 dispositions",
      "a delivery was committed twice",
      "receive was called again before it had settled",
      "receive was asked for 0 messages",
      "receive was called after close",
    ]);
  });
});
