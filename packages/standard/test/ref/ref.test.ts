import { createBridge, createRegistry } from "@mqb/core";
import { CollectingPublisher, fakePlugin, messageBatch, ScriptedConsumer, texts, within } from "@mqb/testkit";
import { expect, it } from "vitest";
import standard from "../../src/index.ts";
import { fakeExpressions } from "../fake-expressions.ts";

function setUp(endpoints: Record<string, unknown>) {
  const source = new ScriptedConsumer();
  const sink = new CollectingPublisher();
  const fakes = fakePlugin({
    source: { consumer: source },
    sink: { publisher: sink, output: { orderedPublish: true, idempotent: true } },
  });
  const bridge = createBridge({ registry: createRegistry([standard, fakes, fakeExpressions]), endpoints });
  return { source, sink, bridge };
}

it("stands for the endpoint on both sides, with its middlewares inside of its own", async () => {
  const { source, sink, bridge } = setUp({
    in: { source: {}, middlewares: [{ filter: "message 1" }] },
    out: { sink: {}, middlewares: [{ filter: "message 2" }] },
  });
  source.push(messageBatch(5)).pushEmpty();
  const route = bridge.route("r", {
    input: { ref: "in", middlewares: [{ filter: "message 3" }] },
    output: { ref: "out", middlewares: [{ filter: "message 4" }] },
    exit_on_empty: true,
  });
  await route.start();
  const { outcome, accounting } = await within(route.done, "the route ends");
  expect(outcome).toBe("completed");
  expect(texts(sink.messages)).toEqual(["message 0"]);
  expect(accounting).toMatchObject({ delivered: 1, filtered: 4, inFlight: 0 });
});

it("has the capabilities of the endpoint", () => {
  const { bridge } = setUp({ out: { sink: {} }, again: { ref: "out" }, in: { source: {} } });
  const { plan } = bridge.check("r", { input: { ref: "in" }, output: { ref: "again" } });
  expect(plan?.output.output).toMatchObject({ orderedPublish: true, idempotent: true });
  expect(plan?.input.input).toMatchObject({ stableIds: true });
  expect(plan?.guarantee.level).toBe("effectively_once");
});

it("names the endpoints that there are when there is none of that name", () => {
  const { bridge } = setUp({ one: { sink: {} }, two: null });
  const make = () => bridge.route("r", { input: { ref: "three" } });
  expect(make).toThrow(/"three".*one, two/);
  expect(make).toThrow(expect.objectContaining({ kind: "config" }));
});

it("names a circle of references instead of following it", () => {
  const { bridge } = setUp({ a: { ref: "b" }, b: { ref: "c" }, c: { ref: "a" } });
  const make = () => bridge.route("r", { input: { ref: "a" } });
  expect(make).toThrow(/refers to itself: .*ref "a".*ref "b"/);
});

it("checks the endpoint for the side on which it is used", () => {
  const { bridge } = setUp({ out: { sink: {} } });
  expect(() => bridge.route("r", { input: { ref: "out" } })).toThrow(/"sink" can only be an output/);
  expect(() => bridge.route("r", { input: { ref: "out", middlewares: [{ retry: {} }] } })).toThrow(/retry/);
});

it("may refer to the endpoint that discards", async () => {
  const { source, bridge } = setUp({ nothing: null });
  source.push(messageBatch(2)).pushEmpty();
  const route = bridge.route("r", { input: { source: {} }, output: { ref: "nothing" }, exit_on_empty: true });
  await route.start();
  expect((await within(route.done, "the route ends")).accounting.delivered).toBe(2);
});
