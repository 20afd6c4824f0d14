import { createBridge, createRegistry } from "@mqb/core";
import { definePlugin, type Message } from "@mqb/core/plugin";
import { CollectingPublisher, fakePlugin, messageBatch, messages, ScriptedConsumer, texts, within } from "@mqb/testkit";
import { expect, it } from "vitest";
import standard, { customMiddleware, type MiddlewareHooks } from "../../src/index.ts";

/** A route with the middleware `mine` on both sides. */
function setUp(hooks: MiddlewareHooks, entry: object = { mine: { to: "x" } }) {
  const source = new ScriptedConsumer();
  const sink = new CollectingPublisher();
  const made: [string, unknown][] = [];
  const mine = customMiddleware((route, config) => {
    made.push([route, config]);
    return hooks;
  });
  const fakes = fakePlugin({ source: { consumer: source }, sink: { publisher: sink } });
  const plugin = definePlugin({ name: "mine", apiVersion: 1, middlewares: { mine } });
  const bridge = createBridge({ registry: createRegistry([standard, fakes, plugin]), drainIdleMs: 50 });
  const route = bridge.route("orders", {
    input: { source: {}, middlewares: [entry] },
    output: { sink: {}, middlewares: [entry] },
    exit_on_empty: true,
    reconnect_interval_ms: 0,
  });
  const run = async () => {
    await route.start();
    return within(route.done, "the route ends");
  };
  return { source, sink, made, bridge, run };
}

const mark = (by: string) => (list: readonly Message[]) =>
  list.map((message) => message.with({ metadata: { [by]: "seen" } }));

it.each([[{ mine: { to: "x" } }], [{ custom: { name: "mine", config: { to: "x" } } }]])(
  "rewrites messages on both sides, written as %j",
  async (entry) => {
    const { source, sink, made, run } = setUp({ onReceive: mark("in"), onSend: mark("out") }, entry);
    source.push(messageBatch(2)).pushEmpty();
    expect(await run()).toMatchObject({ outcome: "completed", accounting: { delivered: 2 } });
    expect(Object.fromEntries(sink.messages[0]!.metadata)).toEqual({ in: "seen", out: "seen" });
    expect(made).toEqual([
      ["orders", { to: "x" }],
      ["orders", { to: "x" }],
    ]);
  },
);

it("a side without a hook passes everything, unchanged", async () => {
  const { source, sink, run } = setUp({});
  source.push(messageBatch(2)).pushEmpty();
  await run();
  expect(texts(sink.messages)).toEqual(["message 0", "message 1"]);
});

it.each(["onReceive", "onSend"] as const)(
  "%s may take out a whole batch, which is acked and not the end",
  async (hook) => {
    const { source, sink, run } = setUp({
      [hook]: (list: readonly Message[]) => list.map((message) => (Number(message.text().at(-1)) < 2 ? null : message)),
    });
    source
      .push(messageBatch(2))
      .push(messageBatch(2, { from: 2 }))
      .pushEmpty();
    expect(await run()).toMatchObject({ outcome: "completed", accounting: { filtered: 2, delivered: 2, nacked: 0 } });
    expect(texts(sink.messages)).toEqual(["message 2", "message 3"]);
    expect((await source.deliveries[0]!.committed).map(({ type }) => type)).toEqual(["ack", "ack"]);
  },
);

it.each([
  ["too few entries", () => [], /onReceive.*0 entries.*2 messages/],
  ["no list", () => "both" as never, /onReceive.*a string.*array of 2/],
  ["no messages", (list: readonly Message[]) => list.map(() => ({})) as never, /onReceive.*Object.*messages, or null/],
])("a hook that returns %s is named, and nothing is acked", async (_, onReceive, words) => {
  const { source, sink, run } = setUp({ onReceive });
  source.push(messageBatch(2)).pushEmpty();
  const result = await run();
  expect(result).toMatchObject({ outcome: "failed", error: { code: "MQB_STANDARD_HOOK_RESULT" } });
  expect((result.error as Error).message).toMatch(words);
  expect([sink.messages, source.commits]).toEqual([[], []]);
});

it("a plain error of a hook is tried again, one that says so is not", async () => {
  let tries = 0;
  const flaky = setUp({
    onSend: (list) => {
      if (++tries === 1) throw new Error("not yet");
      return list;
    },
  });
  // A drain that something came back to asks once more.
  flaky.source.push(messageBatch(1)).push(messages(1)).pushEmpty().pushEmpty();
  expect(await flaky.run()).toMatchObject({ accounting: { nacked: 1, delivered: 1, dropped: 0 } });

  const broken = setUp({
    onSend: () => {
      throw Object.assign(new Error("never"), { retryable: false });
    },
  });
  broken.source.push(messageBatch(1)).pushEmpty();
  expect(await broken.run()).toMatchObject({ accounting: { dropped: 1, nacked: 0 } });
});

it("closes its hooks once, also when it is closed again", async () => {
  let closes = 0;
  const { source, run } = setUp({
    close: async () => {
      closes += 1;
    },
  });
  source.pushEmpty();
  await run();
  // The same hooks serve both sides here.
  expect(closes).toBe(2);
});

it("refuses what is no factory, and says what a factory gave instead of hooks", async () => {
  expect(() => customMiddleware("mine" as never)).toThrow(TypeError);
  const { bridge } = setUp({});
  expect(bridge.check("r", { input: { source: {}, middlewares: [{ theirs: {} }] } }).problems[0]).toMatchObject({
    level: "error",
    message: expect.stringContaining("theirs"),
  });
  const nothing = definePlugin({ name: "n", apiVersion: 1, middlewares: { n: customMiddleware(() => null as never) } });
  const broken = createBridge({ registry: createRegistry([standard, nothing]) });
  await expect(
    broken.route("r", { input: { static: "x" }, output: { null: {}, middlewares: [{ n: {} }] } }).start(),
  ).rejects.toThrow(/gave null and not an object of hooks/);
});
