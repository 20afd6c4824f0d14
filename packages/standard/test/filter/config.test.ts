import { createBridge, createRegistry } from "@mqb/core";
import { API_VERSION, definePlugin, jsonSchemaOf } from "@mqb/core/plugin";
import { expect, it } from "vitest";
import { errors } from "../../src/errors.ts";
import standard from "../../src/index.ts";
import { fakeCompiler, fakeExpressions } from "../fake-expressions.ts";

const bridge = createBridge({ registry: createRegistry([standard, fakeExpressions]) });
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

it("says which package to install when nobody can compile its expression", () => {
  const without = createBridge({ registry: createRegistry([standard]) });
  const { problems } = without.check("r", { input: { memory: { topic: "a" }, middlewares: [{ filter: "a > 1" }] } });
  expect(problems).toEqual([
    expect.objectContaining({
      level: "error",
      code: "MQB_CORE_NO_EXPRESSIONS",
      path: AT,
      message: expect.stringContaining("input.middlewares[0].filter needs the expression language"),
      hint: "install @mqb/expression",
    }),
  ]);
});

it("is refused with an expression that cannot be compiled, before it is opened", () => {
  const expressions = definePlugin({
    name: "strict",
    apiVersion: API_VERSION,
    expressions: {
      ...fakeCompiler,
      predicate: (source) => {
        throw errors.REF_UNKNOWN({ name: source, known: [] });
      },
    },
  });
  const strict = createBridge({ registry: createRegistry([standard, expressions]) });
  const { problems } = strict.check("r", { input: { memory: { topic: "a" }, middlewares: [{ filter: "a >" }] } });
  expect(problems).toEqual([
    expect.objectContaining({ level: "error", path: AT, message: expect.stringContaining("a >") }),
  ]);
});
