import { failed, Message, MqbError, type Outcome } from "@mqb/core/plugin";
import { CollectingPublisher, fakeContext, fakePlugin } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { lookupSchema } from "../src/config.ts";
import plugin from "../src/index.ts";
import { ASKED, Asked, batch, never, openOutput, type Written } from "./looking.ts";

const ERROR = new MqbError("MQB_TEST", "retryable", "the users are busy");
const PAYLOADS = ['{"n":0}', '{"n":1,"user":9}', '{"n":2}'];

async function settle(config: Partial<Written>, asked: Asked) {
  const { publisher, sink } = await openOutput({ ...ASKED, ...config }, { asked });
  const outcomes = await publisher.send(batch(...PAYLOADS), never);
  return {
    types: (outcomes ?? []).map(({ type }) => type),
    texts: sink.messages.map((message) => message.text()),
    metadata: sink.messages.map((message) => Object.fromEntries(message.metadata)),
  };
}

const second = (outcome: () => Outcome | string) =>
  new Asked((request) => (request.text().includes('"n":1') ? outcome() : '"x"'));

describe("on_missing", () => {
  const missing = () => second(() => "");

  it.each([
    ["write_null", [], ['{"n":0,"user":"x"}', '{"n":1,"user":null}', '{"n":2,"user":"x"}']],
    ["leave_out", [], ['{"n":0,"user":"x"}', '{"n":1,"user":9}', '{"n":2,"user":"x"}']],
    ["drop", ["accepted", "filtered", "accepted"], ['{"n":0,"user":"x"}', '{"n":2,"user":"x"}']],
    ["fail", ["accepted", "failed", "accepted"], ['{"n":0,"user":"x"}', '{"n":2,"user":"x"}']],
  ] as const)("%s", async (on_missing, types, texts) => {
    expect(await settle({ on_missing }, missing())).toMatchObject({ types, texts });
  });

  it("tells with `lookup.found`, whatever is written", async () => {
    const { metadata } = await settle({ on_missing: "leave_out" }, missing());
    expect(metadata.map((one) => one["lookup.found"])).toEqual(["true", "false", "true"]);
  });

  it("fail names the place", async () => {
    const { publisher } = await openOutput({ ...ASKED, on_missing: "fail" }, { asked: missing() });
    const [, outcome] = (await publisher.send(batch(...PAYLOADS), never))!;
    expect(outcome).toMatchObject({ error: { code: "MQB_LOOKUP_MISSING", kind: "permanent" } });
  });
});

describe("on_error", () => {
  const broken = () => second(() => failed(ERROR));

  it.each([
    ["fail", ["accepted", "failed", "accepted"], ['{"n":0,"user":"x"}', '{"n":2,"user":"x"}']],
    ["drop", ["accepted", "filtered", "accepted"], ['{"n":0,"user":"x"}', '{"n":2,"user":"x"}']],
    ["write_null", [], ['{"n":0,"user":"x"}', '{"n":1,"user":null}', '{"n":2,"user":"x"}']],
    ["leave_out", [], ['{"n":0,"user":"x"}', '{"n":1,"user":9}', '{"n":2,"user":"x"}']],
  ] as const)("%s", async (on_error, types, texts) => {
    expect(await settle({ on_error }, broken())).toMatchObject({ types, texts });
  });

  it("says why in `lookup.error`, of that message only and until the next lookup", async () => {
    const { metadata } = await settle({ on_error: "leave_out" }, broken());
    expect(metadata).toEqual([
      { "lookup.user.found": "true", "lookup.found": "true" },
      { "lookup.user.found": "false", "lookup.found": "false", "lookup.error": "the users are busy" },
      { "lookup.user.found": "true", "lookup.found": "true" },
    ]);
    const { publisher, sink } = await openOutput(ASKED, { asked: new Asked(() => "1") });
    await publisher.send(batch(new Message("{}", new Map([["lookup.error", "of before"]]))), never);
    expect(sink.messages[0]!.metadata.has("lookup.error")).toBe(false);
  });

  it("does not hide an endpoint that cannot be used as it is configured", async () => {
    const error = new MqbError("MQB_TEST", "config", "no such table");
    const { types } = await settle(
      { on_error: "write_null" },
      second(() => failed(error)),
    );
    expect(types).toEqual(["accepted", "failed", "accepted"]);
  });

  it("does not hide a payload that cannot hold an answer", async () => {
    const { publisher } = await openOutput({ ...ASKED, on_error: "write_null" }, { asked: new Asked(() => "1") });
    expect((await publisher.send(batch("plain"), never))!.map(({ type }) => type)).toEqual(["failed"]);
  });

  it("opens an endpoint again whose connection was lost, because the route does not", async () => {
    const gone = new MqbError("MQB_TEST", "connection", "gone");
    const [first, then] = [new Asked(() => failed(gone)), new Asked(() => "1")];
    const publishers = [first, then];
    const context = fakeContext({ plugins: [fakePlugin({ asked: { publisher: () => publishers.shift()! } })] });
    const sink = new CollectingPublisher();
    const settings = lookupSchema.parse({ ...ASKED, on_error: "write_null" });
    const publisher = await plugin.middlewares!["lookup"]!.output!(sink, settings, context);
    await publisher.send(batch("{}"), never);
    await publisher.send(batch("{}"), never);
    expect(sink.messages.map((message) => message.text())).toEqual(['{"user":null}', '{"user":1}']);
    expect([first.closes, then.closes]).toEqual([1, 0]);
  });

  it("leaves connection errors to the route with `fail`", async () => {
    const gone = new MqbError("MQB_TEST", "connection", "gone");
    const { publisher } = await openOutput(ASKED, { asked: new Asked(() => failed(gone)) });
    expect(await publisher.send(batch("{}"), never)).toEqual([failed(gone)]);
  });
});
