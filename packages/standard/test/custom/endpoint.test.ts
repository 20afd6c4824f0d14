import { createBridge, createRegistry } from "@mqb/core";
import { definePlugin, Message } from "@mqb/core/plugin";
import { CollectingPublisher, fakePlugin, messageBatch, ScriptedConsumer, texts, within } from "@mqb/testkit";
import { expect, it } from "vitest";
import { errors } from "../../src/errors.ts";
import standard, { customEndpoint, EndOfStream, type EndpointHooks, type ReceivedItem } from "../../src/index.ts";
import { busy, rejected } from "../failures.ts";

/** A bridge with the endpoint `mine`, a scripted `source` and a collecting `sink`. */
function setUp(hooks: EndpointHooks) {
  const source = new ScriptedConsumer();
  const sink = new CollectingPublisher();
  const made: [string, unknown][] = [];
  const mine = customEndpoint((route, config) => {
    made.push([route, config]);
    return hooks;
  });
  const fakes = fakePlugin({ source: { consumer: source }, sink: { publisher: sink } });
  const plugin = definePlugin({ name: "mine", apiVersion: 1, endpoints: { mine } });
  const bridge = createBridge({ registry: createRegistry([standard, fakes, plugin]), drainIdleMs: 50 });
  const run = async (config: object) => {
    const route = bridge.route("orders", { exit_on_empty: true, reconnect_interval_ms: 0, ...config });
    await route.start();
    return within(route.done, "the route ends");
  };
  return { source, sink, made, bridge, run };
}

/** Gives these batches, one after another, then nothing. */
const script = (...batches: (readonly ReceivedItem[])[]) => ({ receiveBatch: () => batches.shift() ?? null });

it.each([[{ mine: { a: 1 } }], [{ custom: { name: "mine", config: { a: 1 } } }]])(
  "is a source of messages, bytes, texts and JSON values, written as %j",
  async (input) => {
    const { sink, made, run } = setUp(script([new Message("m"), Buffer.from("b")], ["t", { n: 1 }, 7]));
    expect(await run({ input, output: { sink: {} } })).toMatchObject({ outcome: "completed" });
    expect(texts(sink.messages)).toEqual(["m", "b", "t", '{"n":1}', "7"]);
    expect(made).toEqual([["orders", { a: 1 }]]);
  },
);

it("is told what became of each message, batch by batch", async () => {
  const told: unknown[] = [];
  const { sink, run } = setUp({
    ...script(["a", "b"], ["c"]),
    commit: (dispositions, messages) => void told.push([dispositions, messages.map((message) => message.text())]),
  });
  sink.failWhen((message) => (message.text() === "b" ? busy : undefined));
  await run({ input: { mine: {} }, output: { sink: {} } });
  expect(told).toEqual([
    [
      ["ack", "nack"],
      ["a", "b"],
    ],
    [["ack"], ["c"]],
  ]);
});

it("EndOfStream ends the route for good, also when it does not drain", async () => {
  const batches = [["a"]];
  const { sink, run } = setUp({
    receiveBatch: () => {
      const next = batches.shift();
      if (!next) throw new EndOfStream();
      return next;
    },
  });
  const result = await run({ input: { mine: {} }, output: { sink: {} }, exit_on_empty: false });
  expect(result).toMatchObject({ outcome: "completed", accounting: { delivered: 1 } });
  expect(texts(sink.messages)).toEqual(["a"]);
});

it("is a sink that sees batches, and answers for each message", async () => {
  const seen: string[][] = [];
  const { source, run } = setUp({
    sendBatch: (list) => {
      seen.push(list.map((message) => message.text()));
      return list.map((_, i) => [undefined, null, new Message("re"), rejected][i]);
    },
  });
  source.push(messageBatch(4)).pushEmpty();
  const result = await run({ input: { source: {} }, output: { mine: {} } });
  expect(result.accounting).toMatchObject({ delivered: 2, replied: 1, dropped: 1, nacked: 0 });
  expect(seen).toEqual([["message 0", "message 1", "message 2", "message 3"]]);
  expect((await source.deliveries[0]!.committed)[2]).toMatchObject({ type: "reply" });
});

it("a sink that throws is tried again; with `retryable: false` its messages are dead letters", async () => {
  const retryable = [undefined, false];
  for (const value of retryable) {
    let tries = 0;
    const { source, sink, run } = setUp({
      sendBatch: () => {
        if (++tries > 1) return;
        throw Object.assign(new Error("down"), value === undefined ? {} : { retryable: value });
      },
    });
    source.push(messageBatch(1)).pushEmpty();
    const middlewares = [{ retry: { initial_interval_ms: 0 } }, { dlq: { endpoint: { sink: {} } } }];
    const result = await run({ input: { source: {} }, output: { mine: {}, middlewares } });
    expect(result.accounting).toMatchObject(value === false ? { deadLettered: 1 } : { delivered: 1 });
    expect(sink.messages.length).toBe(value === false ? 1 : 0);
  }
});

it.each([
  ["receiveBatch", { input: { mine: {} }, output: { sink: {} } }, /input\.mine|input cannot|cannot be an input/],
  ["sendBatch", { input: { source: {} }, output: { mine: {} } }, /cannot be an output/],
])("without %s it is refused at the start, by name, and closed", async (hook, config, words) => {
  let closes = 0;
  const { bridge } = setUp({
    close: () => {
      closes += 1;
    },
  });
  const start = bridge.route("orders", config).start();
  await expect(start).rejects.toMatchObject({ code: "MQB_STANDARD_HOOK_NEEDED" });
  await expect(start).rejects.toThrow(words);
  await expect(start).rejects.toThrow(hook);
  expect(closes).toBe(1);
});

it("one that cannot be made yet is tried again like any other, one that is misconfigured is not", async () => {
  let tries = 0;
  const flaky = customEndpoint(async (_, config) => {
    tries += 1;
    if (config === "never") throw errors.TEMPLATE({ token: "x", reason: "it is no good" });
    if (tries < 3) throw new Error("not up yet");
    return { sendBatch: () => {} };
  });
  const plugin = definePlugin({ name: "flaky", apiVersion: 1, endpoints: { flaky } });
  const bridge = createBridge({ registry: createRegistry([standard, plugin]) });
  const start = (name: string, config: unknown) => {
    const output = { custom: { name: "flaky", config } };
    return bridge.route(name, { input: { static: "x" }, output, reconnect_interval_ms: 1 }).start();
  };
  await start("soon", "soon");
  expect(tries).toBe(3);
  await expect(start("never", "never")).rejects.toMatchObject({ kind: "config" });
  expect(tries).toBe(4);
  await bridge.stop();
});

it.each([
  ["a text", "abc" as never],
  ["bytes", Buffer.from("abc") as never],
  ["a number", 3 as never],
  ["what is no JSON", [undefined] as never],
])("%s instead of a list of messages is named", async (_, items) => {
  const { run } = setUp({ receiveBatch: () => items });
  const result = await run({ input: { mine: {} }, output: { sink: {} } });
  expect(result).toMatchObject({ outcome: "failed", error: { code: "MQB_STANDARD_HOOK_RESULT" } });
  expect((result.error as Error).message).toContain("receiveBatch");
});

it.each([[[undefined]], ["yes"], [[1, 2]]])("an answer of %j for two messages fails the route", async (answer) => {
  const { source, run } = setUp({ sendBatch: () => answer as never });
  source.push(messageBatch(2)).pushEmpty();
  const result = await run({ input: { source: {} }, output: { mine: {} } });
  expect(result).toMatchObject({ outcome: "failed", error: { code: "MQB_STANDARD_HOOK_RESULT" } });
  expect((await source.deliveries[0]!.committed).every(({ type }) => type === "nack")).toBe(true);
});

it("a close wakes a wait that heeds its signal, and calls the hook once", async () => {
  let closes = 0;
  const hooks: EndpointHooks = {
    receiveBatch: (_, signal) =>
      new Promise((resolve) => signal.addEventListener("abort", () => resolve([]), { once: true })),
    close: () => {
      closes += 1;
    },
  };
  const { bridge } = setUp(hooks);
  const consumer = await bridge.openConsumer({ mine: {} });
  const waiting = consumer.receive(10, new AbortController().signal);
  await consumer.close();
  expect((await within(waiting, "it wakes")).batch.length).toBe(0);
  await consumer.close();
  expect(closes).toBe(1);
});

it("refuses what is no factory, and a name that is taken", () => {
  expect(() => customEndpoint({} as never)).toThrow(TypeError);
  const twice = ["one", "two"].map((name) =>
    definePlugin({ name, apiVersion: 1, endpoints: { mine: customEndpoint(() => ({})) } }),
  );
  expect(() => createRegistry(twice)).toThrow(/"mine".*one.*two/);
});
