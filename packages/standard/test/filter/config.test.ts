import { createBridge, createRegistry } from "@mqb/core";
import { jsonSchemaOf } from "@mqb/core/plugin";
import { expect, it } from "vitest";
import standard from "../../src/index.ts";

const bridge = createBridge({ registry: createRegistry([standard]) });
const check = (filter: unknown) =>
  bridge.check("r", { input: { memory: { topic: "a" }, middlewares: [{ filter }] } }).problems;
const AT = ["input", "middlewares", 0, "filter"];

it("may be written as the expression alone", () => {
  expect(check("a > 1")).toEqual([]);
  expect(check({ expression: "a > 1" })).toEqual([]);
  expect(check({ expression: "a > 1", on_error: null })).toEqual([]);
});

it.each([
  [{ on_error: "drop" }, "expression"],
  [{ expression: "a > 1", on_error: "skip" }, "on_error"],
  [{ expression: "a > 1", onerror: "drop" }, "onerror"],
  ["", "expression"],
])("refuses %j and names %s", (config, field) => {
  const found = check(config);
  expect(found).toContainEqual(expect.objectContaining({ level: "error", path: [...AT, field] }));
});

it("names both values of on_error", () => {
  expect(check({ expression: "a", on_error: "skip" })[0]!.message).toMatch(/"fail".*"drop"/);
});

it("shows both forms in its JSON Schema", () => {
  const schema = jsonSchemaOf(standard.middlewares!["filter"]!.schema)!;
  expect(schema.anyOf).toEqual([
    expect.objectContaining({ type: "string" }),
    expect.objectContaining({ type: "object", required: ["expression"], additionalProperties: false }),
  ]);
});
