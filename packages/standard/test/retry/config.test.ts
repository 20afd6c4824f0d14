import { createBridge, createRegistry } from "@mqb/core";
import { expect, it } from "vitest";
import standard from "../../src/index.ts";
import { retrySchema } from "../../src/retry/config.ts";

const bridge = createBridge({ registry: createRegistry([standard]) });
const check = (retry: unknown, side: "input" | "output" = "output") =>
  bridge.check("r", { input: { memory: { topic: "a" } }, [side]: { memory: { topic: "b" }, middlewares: [{ retry }] } })
    .problems;

it("has the defaults of mq-bridge, also for null", () => {
  const defaults = { max_attempts: 3, initial_interval_ms: 100, max_interval_ms: 5000, multiplier: 2, jitter: 0 };
  expect(retrySchema.parse({})).toEqual(defaults);
  expect(retrySchema.parse({ max_attempts: null, multiplier: null })).toEqual(defaults);
});

it.each([
  ["max_attempts", [0, -1, 1.5, "10", "many"], /integer of at least 1/],
  ["initial_interval_ms", [-1, 0.5, 2 ** 31], /integer from 0 to 2147483647/],
  ["max_interval_ms", [-1, "5s"], /integer from 0 to 2147483647/],
  ["multiplier", [0.5, 0, -1, "2"], /number of at least 1/],
  ["jitter", [-0.1, 1.1, true], /number from 0 to 1/],
])("refuses a %s out of range, and says what is allowed", (field, values, allowed) => {
  for (const value of values) {
    const [problem, ...others] = check({ [field]: value });
    expect(others).toEqual([]);
    expect(problem).toMatchObject({ level: "error", path: ["output", "middlewares", 0, "retry", field] });
    expect(problem!.message).toContain(field);
    expect(problem!.message).toMatch(allowed);
  }
});

it("is refused on an input", () => {
  expect(check({}, "input")).toEqual([
    expect.objectContaining({ level: "error", message: expect.stringMatching(/"retry".*output only/) }),
  ]);
});
