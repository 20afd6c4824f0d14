import { createBridge, createRegistry } from "@mqb/core";
import { kindOf } from "@mqb/core/plugin";
import { CollectingPublisher, fakeContext, messageBatch, ScriptedConsumer } from "@mqb/testkit";
import { expect, it } from "vitest";
import standard from "../../src/index.ts";
import { NEVER } from "../opened.ts";

const randomPanic = standard.middlewares!["random_panic"]!;

async function around(config: object, allowFaultInjection = true, session = new Map<string, unknown>()) {
  const context = fakeContext({ allowFaultInjection, session });
  const settings = { mode: "panic", enabled: true, ...config };
  const sink = new CollectingPublisher();
  const source = new ScriptedConsumer();
  const publisher = await randomPanic.output!(sink, settings, { ...context, session: new Map(session) });
  const consumer = await randomPanic.input!(source, settings, context);
  const failure = async (call: Promise<unknown>) => {
    try {
      await call;
    } catch (error) {
      return error;
    }
    return undefined;
  };
  return { context, sink, source, publisher, consumer, failure };
}

it.each([
  ["panic", "retryable", "Simulated panic"],
  ["disconnect", "retryable", "Simulated disconnect"],
  ["timeout", "retryable", "Simulated timeout"],
  ["nack", "retryable", "Simulated nack"],
  ["json_format_error", "permanent", "Simulated JSON format error"],
])("%s fails every send as %s, and the sink sees none", async (mode, kind, words) => {
  const { sink, publisher, failure } = await around({ mode });
  for (let i = 0; i < 2; i++) {
    const error = await failure(publisher.send(messageBatch(2), NEVER));
    expect(kindOf(error, "retryable")).toBe(kind);
    expect((error as Error).message).toBe(`RandomPanicPublisher: ${words}`);
  }
  expect(sink.sends).toEqual([]);
});

it("with a number, fails that send alone", async () => {
  const { sink, publisher, failure } = await around({ mode: "timeout", trigger_on_message: 2 });
  const results = [];
  for (let i = 0; i < 3; i++) results.push(await failure(publisher.send(messageBatch(3), NEVER)));
  expect(results.map((error) => error === undefined)).toEqual([true, false, true]);
  expect(sink.sends.length).toBe(2);
});

it.each(["panic", "disconnect", "timeout", "nack"])(
  "%s fails every receive, and the source is not asked",
  async (mode) => {
    const { source, consumer, failure } = await around({ mode });
    source.push(messageBatch(1));
    expect(String(await failure(consumer.receive(1, NEVER)))).toContain("RandomPanicConsumer: Simulated");
    expect(source.asked).toEqual([]);
  },
);

it("json_format_error brings a message of its own that is no JSON, counted and committed apart from the source", async () => {
  const { context, source, consumer } = await around({ mode: "json_format_error" });
  const delivery = await consumer.receive(10, NEVER);
  expect(delivery.batch.length).toBe(1);
  expect(() => delivery.batch.at(0).json()).toThrow(SyntaxError);
  await delivery.commit();
  expect([source.asked, source.commits, context.accounting.get("received")]).toEqual([[], [], 1]);
});

it("a fault with a number happens once, also when it made the route open its ends again", async () => {
  const session = new Map<string, unknown>();
  const first = await around({ mode: "disconnect", trigger_on_message: 1 }, true, session);
  await first.failure(first.consumer.receive(1, NEVER));
  const again = await around({ mode: "disconnect", trigger_on_message: 1 }, true, session);
  again.source.push(messageBatch(1));
  expect((await again.consumer.receive(1, NEVER)).batch.length).toBe(1);
});

it.each([
  ["without the route's permission", {}, false],
  ["when it is not enabled", { enabled: false }, true],
])("is not in the chain %s", async (_, config, allowed) => {
  const { context, sink, source, publisher, consumer } = await around(config, allowed);
  expect([publisher, consumer]).toEqual([sink, source]);
  expect(context.log.at("info").length).toBe(allowed ? 0 : 2);
});

const bridge = createBridge({ registry: createRegistry([standard]) });
const check = (random_panic: object, route: object = {}) =>
  bridge.check("orders", { input: { memory: { topic: "a" }, middlewares: [{ random_panic }] }, ...route }).problems;

it("says in the check that it does nothing without permission, and starts", () => {
  expect(check({})).toEqual([
    expect.objectContaining({ level: "note", message: expect.stringMatching(/random_panic.*"orders"/) }),
  ]);
  expect(check({ enabled: false })).toEqual([]);
  expect(check({ trigger_on_message: 1 }, { allow_fault_injection: true })).toEqual([]);
});

it("warns of a drain that every receive keeps from its end", () => {
  expect(check({}, { allow_fault_injection: true, exit_on_empty: true })).toEqual([
    expect.objectContaining({ level: "warning", code: "MQB_STANDARD_FAULTS_NO_END" }),
  ]);
});

it.each([
  [{ mode: "explode" }, "mode"],
  [{ trigger_on_message: 0 }, "trigger_on_message"],
])("refuses %j", (config, field) => {
  expect(check(config, { allow_fault_injection: true })).toEqual([
    expect.objectContaining({ level: "error", path: ["input", "middlewares", 0, "random_panic", field] }),
  ]);
});
