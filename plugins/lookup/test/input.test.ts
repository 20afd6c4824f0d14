import { type Consumer, codeOf, failed, kindOf, MqbError, NACK } from "@mqb/core/plugin";
import { isPending, ScriptedConsumer, texts, turns } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { lookupSchema } from "../src/config.ts";
import plugin from "../src/index.ts";
import { ASKED, Asked, batch, contextWith, lines, never, type Written } from "./looking.ts";

async function opened(asked: Asked, config: Partial<Written> = {}) {
  const context = contextWith({ asked });
  const source = new ScriptedConsumer();
  const settings = lookupSchema.parse({ ...ASKED, ...config });
  const counted: Consumer = {
    async receive(max, signal) {
      const delivery = await source.receive(max, signal);
      context.accounting.receive(delivery.batch.length);
      return delivery;
    },
    close: () => source.close(),
  };
  const consumer = await plugin.middlewares!["lookup"]!.input!(counted, settings, context);
  return { context, source, consumer };
}

const bad = (kind: "permanent" | "retryable" | "config") =>
  new Asked((request) => {
    if (!request.text().includes('"bad"')) return '"x"';
    return failed(new MqbError("MQB_TEST", kind, "the query cannot be run"));
  });

describe("a lookup on an input", () => {
  it("enriches what is received, and passes dispositions on by position", async () => {
    const { source, consumer } = await opened(new Asked((request) => request.text()));
    source.push(lines('{"n":0}', '{"n":1}'));
    const delivery = await consumer.receive(10, never);
    expect(texts(delivery.batch)).toEqual(['{"n":0,"user":{"n":0}}', '{"n":1,"user":{"n":1}}']);
    expect(delivery.batch.slab?.terminator?.toString()).toBe("\n");
    await delivery.commit([NACK, { type: "ack" }]);
    expect(source.commits[0]!.dispositions!.map(({ type }) => type)).toEqual(["nack", "ack"]);
  });

  it("drops and acks what fails for good, and goes on with the rest", async () => {
    const { context, source, consumer } = await opened(bad("permanent"));
    source.push(batch('{"n":0}', '{"bad":1}', "plain", '{"n":3}'));
    const delivery = await consumer.receive(10, never);
    expect(texts(delivery.batch)).toEqual(['{"n":0,"user":"x"}', '{"n":3,"user":"x"}']);
    await delivery.commit([NACK, NACK]);
    expect(source.commits[0]!.dispositions!.map(({ type }) => type)).toEqual(["nack", "ack", "ack", "nack"]);
    expect(context.accounting.snapshot()).toMatchObject({ received: 4, dropped: 2, inFlight: 2 });
  });

  it("that has dropped all of a batch is not at the end", async () => {
    const { source, consumer } = await opened(bad("permanent"));
    source.push(batch('{"bad":1}'));
    const delivery = await consumer.receive(10, never);
    expect([delivery.batch.length, delivery.emptied]).toEqual([0, true]);
    await delivery.commit();
    expect(source.commits).toHaveLength(1);
  });

  it("counts what on_missing takes out as filtered", async () => {
    const { context, source, consumer } = await opened(new Asked(() => ""), { on_missing: "drop" });
    source.push(batch("{}", "{}"));
    await consumer.receive(10, never);
    expect(context.accounting.snapshot()).toMatchObject({ received: 2, filtered: 2, inFlight: 0 });
  });

  it.each([
    ["retryable", "connection", "MQB_LOOKUP_UNAVAILABLE"],
    ["config", "config", "MQB_LOOKUP_MISCONFIGURED"],
  ] as const)(
    "a failure of kind %s gives the whole batch back and is a %s error of the source",
    async (kind, as, code) => {
      const { source, consumer } = await opened(bad(kind));
      source.push(batch('{"n":0}', '{"bad":1}'));
      const error: unknown = await consumer.receive(10, never).catch((thrown: unknown) => thrown);
      expect([codeOf(error), kindOf(error, "end")]).toEqual([code, as]);
      expect(source.commits).toEqual([]);
    },
  );

  it("that is told to stop waiting gives what was received as soon as it is ready", async () => {
    const asked = new Asked(() => "1");
    asked.hold();
    const { source, consumer } = await opened(asked);
    source.push(batch("{}"));
    const stop = new AbortController();
    const receiving = consumer.receive(10, stop.signal);
    await asked.sent(1);
    stop.abort();
    expect(await isPending(receiving)).toBe(true);
    asked.release();
    expect(texts((await receiving).batch)).toEqual(['{"user":1}']);
  });

  it("is not taken for silence while it waits for answers: the next receive gives what was received", async () => {
    const asked = new Asked(() => "1");
    asked.hold();
    const { context, source, consumer } = await opened(asked);
    source.push(batch("{}"));
    const stop = new AbortController();
    const receiving = consumer.receive(10, stop.signal);
    await asked.sent(1);
    stop.abort();
    await context.clock.advance(500);
    const notYet = await receiving;
    expect([notYet.batch.length, notYet.emptied]).toEqual([0, "held"]);
    await notYet.commit();
    expect(source.commits).toEqual([]);
    const next = consumer.receive(10, never);
    await turns();
    asked.release();
    expect(texts((await next).batch)).toEqual(['{"user":1}']);
    expect(source.asked).toHaveLength(1);
    expect(context.clock.pending).toBe(0);
  });

  it("ends its waiting when it is closed, and closes the endpoint", async () => {
    const asked = new Asked(() => "1");
    asked.hold();
    const { source, consumer } = await opened(asked);
    source.push(batch("{}"));
    const receiving = consumer.receive(10, never);
    await asked.sent(1);
    await consumer.close();
    await expect(receiving).rejects.toMatchObject({ code: "MQB_LOOKUP_UNAVAILABLE" });
    expect([asked.closes, source.closes]).toEqual([1, 1]);
    expect(source.commits).toEqual([]);
  });
});
