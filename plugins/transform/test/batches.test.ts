import { ACK, batchOf, Message, type MessageBatch, NACK, slabBatch } from "@mqb/core/plugin";
import { CollectingPublisher, fakeContext, ScriptedConsumer, slabOf, texts } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import plugin, { type TransformConfig } from "../src/index.ts";
import { never, publisherFor } from "./transforming.ts";

const schema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
const GOOD = '{"n":"1"}';
const BAD = '{"n":"x"}';
const REASON = "transform failed at $.n [coercion]: cannot coerce string to integer";

async function receiveThrough(config: TransformConfig, batch: MessageBatch | readonly Message[]) {
  const source = new ScriptedConsumer().push(batch);
  const context = fakeContext();
  context.accounting.receive(4);
  const consumer = await plugin.middlewares!["transform"]!.input!(source, config, context);
  return { source, context, delivery: await consumer.receive(10, never) };
}

async function sendThrough(config: TransformConfig, batch: MessageBatch) {
  const sink = new CollectingPublisher();
  const publisher = await publisherFor(config, sink);
  return { sink, outcomes: await publisher.send(batch, never) };
}

const marked = (text: string, mark: string) => new Message(text, new Map([["mark", mark]]));

describe("transform on an input", () => {
  it("drops what it rejects, acks it, counts it as filtered and says so once", async () => {
    const { source, context, delivery } = await receiveThrough({ schema }, [
      new Message(BAD),
      new Message(GOOD),
      new Message("no json"),
      new Message(GOOD),
    ]);
    expect(texts(delivery.batch)).toEqual(['{"n":1}', '{"n":1}']);
    expect(context.accounting.snapshot()).toMatchObject({ filtered: 2, inFlight: 2 });
    await delivery.commit([NACK, ACK]);
    expect(source.commits[0]?.dispositions?.map(({ type }) => type)).toEqual(["ack", "nack", "ack", "ack"]);
    expect(context.log.entries.map(({ level, message }) => `${level} ${message}`)).toEqual([
      `warn 2 message(s) were rejected and dropped; the first one: ${REASON}`,
    ]);
  });

  it("does not take a batch that it has emptied for the end of the source", async () => {
    const { delivery } = await receiveThrough({ schema }, [new Message(BAD)]);
    expect(delivery).toMatchObject({ emptied: true, batch: { length: 0 } });
  });

  it("hands on what does not fit as it came, with the reason, for pass_through", async () => {
    const { delivery, context } = await receiveThrough({ schema, on_error: "pass_through" }, [
      marked(BAD, "a"),
      marked(GOOD, "b"),
    ]);
    expect(texts(delivery.batch)).toEqual([BAD, '{"n":1}']);
    expect(Array.from(delivery.batch, ({ metadata }) => Object.fromEntries(metadata))).toEqual([
      { mark: "a", "mqb.transform_error": REASON },
      { mark: "b" },
    ]);
    expect(context.accounting.get("filtered")).toBe(0);
  });
});

describe("transform on an output", () => {
  it("fails what it rejects for good at its position and keeps the sink's outcomes at theirs", async () => {
    const sink = new CollectingPublisher();
    sink.failAt([1], new Error("no"));
    const publisher = await publisherFor({ schema }, sink);
    const outcomes = await publisher.send(batchOf([BAD, GOOD, GOOD, BAD].map((text) => new Message(text))), never);
    expect(outcomes?.map(({ type }) => type)).toEqual(["failed", "accepted", "failed", "failed"]);
    expect(outcomes?.[0]).toMatchObject({ error: { kind: "permanent", message: REASON } });
    expect(outcomes?.[2]).toMatchObject({ error: { message: "no" } });
  });

  it("does not trouble the sink when nothing is left", async () => {
    const { sink, outcomes } = await sendThrough({ schema }, batchOf([new Message(BAD)]));
    expect(outcomes?.map(({ type }) => type)).toEqual(["failed"]);
    expect(sink.sends).toHaveLength(0);
  });

  it.each([
    ["messages", batchOf],
    ["a slab", slabOf],
  ])("keeps ids and metadata of %s, also when it takes some out", async (_, make) => {
    const batch = make([marked(GOOD, "a"), marked(BAD, "b"), marked(GOOD, "c")]);
    const { sink } = await sendThrough({ schema }, batch);
    expect(sink.messages.map(({ id }) => id)).toEqual([batch.id(0), batch.id(2)]);
    expect(sink.messages.map(({ metadata }) => metadata.get("mark"))).toEqual(["a", "c"]);
    const sent = sink.sends[0]!;
    const written = Buffer.alloc(36);
    sent.writeId?.(1, written, 0);
    if (batch.writeId) expect(written.toString()).toBe(batch.id(2));
  });

  it("gives lines to a sink of lines: one slab, each payload followed by its line break", async () => {
    const batch = slabOf([GOOD, BAD, '{"n":2,"a":"x"}'].map((text) => new Message(text)));
    const { slab } = (await sendThrough({ schema }, batch)).sink.sends[0]!;
    expect(slab!.bytes.toString()).toBe('{"n":1}\n{"n":2,"a":"x"}\n');
    expect(slab!.terminator).toEqual(Buffer.from("\n"));
    expect([...slab!.starts].slice(1)).toEqual([...slab!.ends].slice(0, -1).map((end) => end + 1));
  });

  it("promises no line breaks where the payloads may hold some", async () => {
    const batch = batchOf([new Message('{"n":1,"list":[1,\n2]}')]);
    const { slab } = (await sendThrough({ schema }, batch)).sink.sends[0]!;
    expect(slab!.terminator).toBeUndefined();
    expect(slab!.bytes.toString()).toBe('{"n":1,"list":[1,\n2]}');
  });

  it("keeps the metadata that all messages share", async () => {
    const shared = new Map([["source", "x"]]);
    const [a, b] = [Buffer.from(GOOD), Buffer.from(BAD)];
    const slab = { bytes: Buffer.concat([a, b]), starts: new Uint32Array([0, 9]), ends: new Uint32Array([9, 18]) };
    const { sink } = await sendThrough({ schema, on_error: "pass_through" }, slabBatch(slab, undefined, shared));
    expect(sink.sends[0]!.shared).toBe(shared);
    expect(sink.messages.map(({ metadata }) => [...metadata.keys()])).toEqual([
      ["source"],
      ["source", "mqb.transform_error"],
    ]);
  });

  it("takes bytes that are no UTF-8 for no JSON, and only those", async () => {
    const broken = Buffer.from([0x7b, 0x22, 0x6e, 0x22, 0x3a, 0x31, 0x2c, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]);
    const { sink, outcomes } = await sendThrough({ schema }, slabOf([new Message(broken), new Message(GOOD)]));
    expect(outcomes?.map(({ type }) => type)).toEqual(["failed", "accepted"]);
    expect(outcomes?.[0]).toMatchObject({ error: { message: expect.stringContaining("$ [parse]") } });
    expect(texts(sink.messages)).toEqual(['{"n":1}']);
  });

  it("does not look at the payload when it has nothing to do", async () => {
    const batch = batchOf([new Message("no json")]);
    const sink = new CollectingPublisher();
    expect(await publisherFor({}, sink)).toBe(sink);
    expect(await publisherFor({ mapping: {}, schema: null }, sink)).toBe(sink);
    await sink.send(batch, never);
    expect(texts(sink.messages)).toEqual(["no json"]);
  });
});
