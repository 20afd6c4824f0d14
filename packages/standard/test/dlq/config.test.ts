import { createBridge, createRegistry } from "@mqb/core";
import { expect, it } from "vitest";
import standard from "../../src/index.ts";

const bridge = createBridge({ registry: createRegistry([standard]) });
const check = (dlq: unknown, side: "input" | "output" = "output") =>
  bridge.check("r", { input: { memory: { topic: "a" } }, [side]: { memory: { topic: "b" }, middlewares: [{ dlq }] } })
    .problems;
const AT = ["output", "middlewares", 0, "dlq"];

it("needs an endpoint, which may be null", () => {
  expect(check({})).toEqual([expect.objectContaining({ level: "error", path: [...AT, "endpoint"] })]);
  expect(check({ endpoint: null })).toEqual([]);
});

it("checks the endpoint where it stands, as an output", () => {
  expect(check({ endpoint: { memory: { topik: "x" } } })).toContainEqual(
    expect.objectContaining({ level: "error", path: [...AT, "endpoint", "memory", "topik"] }),
  );
  expect(check({ endpoint: { memory: { topic: "x" }, middlewares: [{ retry: { max_attempts: 0 } }] } })).toContainEqual(
    expect.objectContaining({ path: [...AT, "endpoint", "middlewares", 0, "retry", "max_attempts"] }),
  );
});

it.each([
  [{ stop_window: 100 }, "stop_threshold"],
  [{ stop_threshold: 5 }, "stop_window"],
  [{ stop_window: 10, stop_threshold: 10 }, "stop_threshold"],
  [{ stop_window: 0, stop_threshold: 0 }, "stop_window"],
  [{ stop_window: 10, stop_threshold: -1 }, "stop_threshold"],
  [{ stop_window: 10, stop_threshold: "many" }, "stop_threshold"],
  [{ stop_window: 10, stop_threshold: "100%" }, "stop_threshold"],
  [{ stop_threshold: "5%" }, "stop_window"],
  [{ stop_after: -1 }, "stop_after"],
])("refuses %j and names %s", (options, field) => {
  expect(check({ endpoint: null, ...options })).toContainEqual(
    expect.objectContaining({ level: "error", path: [...AT, field] }),
  );
});

it("is refused on an input", () => {
  expect(check({ endpoint: null }, "input")).toEqual([
    expect.objectContaining({ level: "error", message: expect.stringMatching(/"dlq".*output only/) }),
  ]);
});
