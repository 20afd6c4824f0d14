import { batchOf, type Consumer, type Delivery, type InputCapabilities, Message, MqbError } from "@mqb/core/plugin";
import { type FakeContext, ScriptedConsumer, texts } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import type { AggregateConfig } from "../src/index.ts";
import { batchFrom, byK, contextWith, definition, folded, never, opened, storeOf } from "./folding.ts";

const sum = { fields: { s: "sum(v)" } };
const good = (v: number) => `{"k":1,"v":${v}}`;
const bad = ['{"k":1,"v":"x"}', '{"k":1}', "plain", '{"v":1}', "[1]", '{"k":1,"v":1', Buffer.from([0x22, 0xff])];

interface Input {
  readonly source: ScriptedConsumer;
  readonly consumer: Consumer;
  readonly context: FakeContext;
  receive(): Promise<Delivery>;
}

async function input(
  config: AggregateConfig,
  below: Partial<InputCapabilities> = {},
  draining = false,
): Promise<Input> {
  const source = new ScriptedConsumer();
  const context = contextWith({ below: { bounded: false, commitsInOrder: false, ...below }, draining });
  const counting: Consumer = {
    async receive(max, signal) {
      const delivery = await source.receive(max, signal);
      context.accounting.receive(delivery.batch.length);
      return delivery;
    },
    close: () => source.close(),
  };
  const consumer = await definition.input!(counting, config, context);
  return { source, consumer, context, receive: () => context.clock.runUntil(consumer.receive(100, never)) };
}

describe("a message that cannot be folded", () => {
  it.each(bad)("changes no state and fails alone: %s", async (payload) => {
    const { publisher, sink } = await opened({ ...byK, ...sum });
    const batch = batchOf([good(1), payload, good(2)].map((one) => new Message(one)));
    const outcomes = await publisher.send(batch, never);
    expect(outcomes?.map(({ type }) => type)).toEqual(["accepted", "failed", "accepted"]);
    expect(outcomes![1]).toMatchObject({ error: { code: "MQB_AGGREGATE_CANNOT_FOLD", kind: "permanent" } });
    expect(texts(sink.messages)).toEqual(['{"k":1,"v":1,"a":{"s":1.0}}', '{"k":1,"v":2,"a":{"s":3.0}}']);
  });

  it("says which field it is, and never a value", async () => {
    const secrets = ['{"k":1,"v":"hunter2"}', '{"k":"hunter2","w":1}', '"hunter2"'];
    const failures = await folded({ ...byK, fields: { s: "sum(v)" } }, secrets);
    expect(failures).toEqual([
      "aggregate cannot fold the message: the field v is missing or no number",
      "aggregate cannot fold the message: the field v is missing or no number",
      "aggregate cannot fold the message: the payload is not a JSON object",
    ]);
  });

  it("changes no state of its other entries", async () => {
    const entries = [
      { key: "${payload:k}", into: "a", fields: { n: "count" } },
      { key: "${payload:k}", into: "b", expression: "number(v) + 1" },
    ];
    const rows = ['{"k":1,"v":1}', '{"k":1,"v":{}}', '{"k":1,"v":2}'];
    expect(await folded({ consistency: "single_writer", entries }, rows)).toEqual([
      '{"k":1,"v":1,"a":{"n":1},"b":2}',
      expect.stringContaining("the expression fails"),
      '{"k":1,"v":2,"a":{"n":2},"b":3}',
    ]);
  });

  it("whose output cannot be computed changes no state either", async () => {
    const config = { ...byK, expression: "(state ?? 0) + 1", output: "state + number(v)" };
    expect(await folded(config, ['{"k":1,"v":1}', '{"k":1,"v":[]}', '{"k":1,"v":1}'])).toEqual([
      '{"k":1,"v":1,"a":2}',
      expect.stringContaining("the expression fails"),
      '{"k":1,"v":1,"a":3}',
    ]);
  });
});

describe("on_error: skip", () => {
  it("leaves out what cannot be computed, says so in the metadata, and lets the rest pass as it is", async () => {
    const { publisher, sink, context } = await opened({
      consistency: "single_writer",
      on_error: "skip",
      entries: [
        { key: "${payload:k}", into: "a", fields: { s: "sum(v)" } },
        { key: "${payload:site}", into: "f.b", fields: { n: "count" } },
      ],
    });
    const rows = ['{"k":1,"v":1,"site":1}', '{"k":1,"v":"x","site":1}', '{"k":1,"v":2}', "plain"];
    expect(await publisher.send(batchFrom(rows), never)).toBeUndefined();
    expect(sink.messages.map((message) => [message.text(), message.metadata.get("mqb.aggregate.skipped")])).toEqual([
      ['{"k":1,"v":1,"site":1,"a":{"s":1.0},"f":{"b":{"n":1}}}', undefined],
      ['{"k":1,"v":"x","site":1,"f":{"b":{"n":2}}}', "a"],
      ['{"k":1,"v":2,"a":{"s":3.0}}', "f.b"],
      ["plain", "a,f.b"],
    ]);
    const levels = context.log.entries.map(({ level }) => level);
    expect(levels).toEqual(["warn", "debug", "debug", "debug"]);
  });
});

describe("on an input", () => {
  it("drop acks and counts it as filtered", async () => {
    const { source, receive, context } = await input({ ...byK, ...sum });
    source.push(batchFrom([good(1), '{"k":1}', good(2)])).push(batchFrom(["plain"]));
    const delivery = await receive();
    expect(texts(delivery.batch)).toEqual(['{"k":1,"v":1,"a":{"s":1.0}}', '{"k":1,"v":2,"a":{"s":3.0}}']);
    await delivery.commit();
    expect(source.commits[0]!.dispositions).toBeUndefined();
    const emptied = await receive();
    expect(emptied).toMatchObject({ emptied: true, batch: { length: 0 } });
    await emptied.commit();
    expect(context.accounting.snapshot()).toMatchObject({ received: 4, filtered: 2, inFlight: 2 });
    expect(context.log.entries.map(({ level }) => level)).toEqual(["warn", "warn"]);
  });

  it("fail nacks it, beside what the route says of the others", async () => {
    const { source, receive, context } = await input({ ...byK, ...sum, on_error: "fail" }, { acknowledges: true });
    source.push(batchFrom([good(1), '{"k":1}', good(2)]));
    const delivery = await receive();
    const error = new Error("busy");
    await delivery.commit([{ type: "ack" }, { type: "nack", error }]);
    const told = source.commits[0]!.dispositions!;
    expect(told.map(({ type }) => type)).toEqual(["ack", "nack", "nack"]);
    expect(told[1]).toMatchObject({ error: { code: "MQB_AGGREGATE_CANNOT_FOLD" } });
    expect(told[2]).toMatchObject({ error });
    expect(context.accounting.snapshot()).toMatchObject({ received: 3, nacked: 1, inFlight: 2 });
  });

  it("fail counts it as dropped where it does not come again, and the sender is told all the same", async () => {
    const { source, receive, context } = await input({ ...byK, ...sum, on_error: "fail" }, { acknowledges: false });
    source.push(batchFrom(['{"k":1}']));
    await (await receive()).commit();
    expect(source.commits[0]!.dispositions!.map(({ type }) => type)).toEqual(["nack"]);
    expect(context.accounting.snapshot()).toMatchObject({ received: 1, dropped: 1, inFlight: 0 });
  });

  it("fail goes on behind it in a source that would read the same record for ever", async () => {
    const below = { acknowledges: true, bounded: true, commitsInOrder: true };
    const { source, receive, context } = await input({ ...byK, ...sum, on_error: "fail" }, below);
    source.push(batchFrom(['{"k":1}', good(1)]));
    await (await receive()).commit();
    expect(source.commits[0]!.dispositions).toBeUndefined();
    expect(context.accounting.snapshot()).toMatchObject({ dropped: 1, inFlight: 1 });
  });

  it("fail pauses, and longer each time, while nothing but what was nacked comes", async () => {
    const { source, receive, context } = await input({ ...byK, ...sum, on_error: "fail" }, { acknowledges: true });
    const times: number[] = [];
    for (let n = 0; n < 12; n++) {
      source.push(batchFrom(["plain"]));
      await (await receive()).commit();
      times.push(context.clock.monotonic());
    }
    const pauses = times.slice(1).map((time, n) => time - times[n]!);
    expect(pauses).toEqual([10, 20, 40, 80, 160, 320, 640, 1000, 1000, 1000, 1000]);
    source.push(batchFrom([good(1)]));
    await (await receive()).commit();
    const before = context.clock.monotonic();
    source.push(batchFrom([good(1)]));
    await receive();
    expect(context.clock.monotonic()).toBe(before);
  });

  it("fail ends a drain that comes no further", async () => {
    const config = { ...byK, ...sum, on_error: "fail" as const };
    const { source, receive } = await input(config, { acknowledges: true }, true);
    for (let n = 0; n < 10; n++) {
      source.push(batchFrom(["plain"]));
      await (await receive()).commit();
    }
    await expect(receive()).rejects.toMatchObject({ code: "MQB_AGGREGATE_CAME_BACK", kind: "permanent" });
  });

  it("fail takes deliveries that were in flight together for one try of a drain", async () => {
    const config = { ...byK, ...sum, on_error: "fail" as const };
    const { source, receive, context } = await input(config, { acknowledges: true }, true);
    const deliveries: Delivery[] = [];
    for (let n = 0; n < 12; n++) {
      source.push(batchFrom(["plain"]));
      deliveries.push(await receive());
    }
    for (const delivery of deliveries) await delivery.commit();
    source.push(batchFrom([good(1)]));
    expect((await receive()).batch.length).toBe(1);
    expect(context.clock.monotonic()).toBe(10);
  });

  it("a pause ends with the signal, and with close", async () => {
    const { source, consumer } = await input({ ...byK, ...sum, on_error: "fail" }, { acknowledges: true });
    source.push(batchFrom(["plain"]));
    await (await consumer.receive(10, never)).commit();
    const stop = new AbortController();
    const first = consumer.receive(10, stop.signal);
    stop.abort();
    expect((await first).batch.length).toBe(0);
    const second = consumer.receive(10, never);
    await consumer.close();
    expect((await second).batch.length).toBe(0);
  });
});

describe("the store of an input", () => {
  const shared: AggregateConfig = { ...byK, ...sum, consistency: "shared", store: "memory:" };

  it("that cannot be reached has the whole batch nacked, and nothing goes on", async () => {
    const { source, receive, context } = await input(shared, { acknowledges: true });
    const store = storeOf(context);
    store.fail(new MqbError("MQB_TEST_GONE", "connection", "the store is gone"));
    source.push(batchFrom([good(1), good(2)]));
    const delivery = await receive();
    expect(delivery).toMatchObject({ emptied: true, batch: { length: 0 } });
    await delivery.commit();
    expect(source.commits[0]!.dispositions!.map(({ type }) => type)).toEqual(["nack", "nack"]);
    expect(context.accounting.snapshot()).toMatchObject({ received: 2, nacked: 2, inFlight: 0 });
    store.fail(undefined);
    source.push(batchFrom([good(1)]));
    expect(texts((await receive()).batch)).toEqual(['{"k":1,"v":1,"a":{"s":1.0}}']);
    expect(context.clock.monotonic()).toBe(10);
  });

  it("that cannot be reached is the route's to end in a drain", async () => {
    const { source, receive, context } = await input(shared, { acknowledges: true }, true);
    storeOf(context).fail(new Error("gone"));
    source.push(batchFrom([good(1)]));
    await expect(receive()).rejects.toMatchObject({ code: "MQB_AGGREGATE_STORE_GONE", kind: "connection" });
  });

  it("that holds a state of other fields ends the route", async () => {
    const { source, receive, context } = await input(shared, { acknowledges: true });
    await (await context.openStore("memory:")).putMany([
      { key: "mqb_aggregate_test/a:1", value: Buffer.from("[1.0,2.0]") },
    ]);
    source.push(batchFrom([good(1)]));
    await expect(receive()).rejects.toMatchObject({ code: "MQB_AGGREGATE_STATE", kind: "config" });
  });
});
