import { createBridge, createRegistry } from "@mqb/core";
import { expect, it } from "vitest";
import standard from "../../src/index.ts";

const bridge = createBridge({ registry: createRegistry([standard]) });
const good = { group_by: "g", expected_count: 2, timeout_ms: 100 };
const check = (weak_join: object) =>
  bridge.check("r", { input: { memory: { topic: "a" }, middlewares: [{ weak_join }] } });

it.each([
  [{ ...good, on_timeout: "drop" }, "on_timeout"],
  [{ ...good, ack: "never" }, "ack"],
  [{ ...good, expected_count: 0 }, "expected_count"],
  [{ ...good, group_by: "" }, "group_by"],
  [{ expected_count: 2, timeout_ms: 100 }, "group_by"],
])("refuses %j and names %s", (config, field) => {
  expect(check(config).problems).toEqual([
    expect.objectContaining({ level: "error", path: ["input", "middlewares", 0, "weak_join", field] }),
  ]);
});

it("warns of required branches that no key tells apart", () => {
  expect(check({ ...good, required: ["a"] }).problems).toEqual([
    expect.objectContaining({ level: "warning", code: "MQB_STANDARD_JOIN_NO_BRANCHES" }),
  ]);
  expect(check({ ...good, required: ["a"], branch_by: "b" }).problems).toEqual([]);
});

it("with on_receive, declares that nothing comes back", () => {
  expect(check({ ...good, ack: "on_receive" }).plan!.input.input).toMatchObject({
    acknowledges: false,
    replies: false,
  });
  expect(check(good).plan!.input.input).toMatchObject({ stableIds: false, commitsInOrder: false });
});
