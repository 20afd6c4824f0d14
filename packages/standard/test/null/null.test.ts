import { createBridge, createRegistry } from "@mqb/core";
import { fakePlugin, messageBatch, ScriptedConsumer, within } from "@mqb/testkit";
import { expect, it } from "vitest";
import standard, { METRICS, MetricsRegistry } from "../../src/index.ts";
import { fakeExpressions } from "../fake-expressions.ts";

it.each([
  ["left out", undefined],
  ["null", null],
  ["an empty map", {}],
  ["its name", { null: null }],
])("discards everything and runs its middlewares, written as %s", async (_, output) => {
  const source = new ScriptedConsumer().push(messageBatch(10)).pushEmpty();
  const bridge = createBridge({
    registry: createRegistry([standard, fakePlugin({ source: { consumer: source } }), fakeExpressions]),
  });
  const middlewares = [{ filter: "message 3" }];
  const route = bridge.route("r", {
    input: { source: {} },
    output: output === undefined || output === null ? output : { ...output, middlewares },
    exit_on_empty: true,
  });
  await route.start();
  const { outcome, accounting } = await within(route.done, "the route ends");
  expect(outcome).toBe("completed");
  expect(accounting).toMatchObject(output ? { delivered: 9, filtered: 1 } : { delivered: 10 });
});

it("is no input and takes no options", () => {
  const bridge = createBridge({ registry: createRegistry([standard]) });
  expect(bridge.check("r", { input: { null: null } }).problems).toEqual([
    expect.objectContaining({ level: "error", message: expect.stringContaining('"null" can only be an output') }),
  ]);
  expect(bridge.check("r", { input: { memory: { topic: "a" } }, output: { null: { quiet: true } } }).problems).toEqual([
    expect.objectContaining({ level: "error", message: expect.stringContaining("quiet") }),
  ]);
  expect(new MetricsRegistry().list()).toEqual([]);
  expect(METRICS).toBe("mqb metrics");
});
