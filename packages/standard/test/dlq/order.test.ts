import { createBridge, createRegistry } from "@mqb/core";
import { expect, it } from "vitest";
import standard from "../../src/index.ts";

const bridge = createBridge({ registry: createRegistry([standard]) });
const retry = { retry: {} };
const dlq = { dlq: { endpoint: null } };
const delay = { delay: { delay_ms: 1 } };

const check = (middlewares: readonly unknown[]) =>
  bridge.check("r", { input: { static: "x" }, output: { memory: { topic: "t" }, middlewares } });

it.each([[[dlq, retry]], [[dlq, delay, retry]]])(
  "retry behind the dlq is warned of, with the right order: %j",
  (list) => {
    const { plan, problems } = check(list);
    expect(plan).toBeDefined();
    expect(problems).toEqual([
      expect.objectContaining({
        level: "warning",
        code: "MQB_STANDARD_DLQ_BEFORE_RETRY",
        path: ["output", "middlewares", 0, "dlq"],
        hint: expect.stringContaining('"dlq" last'),
      }),
    ]);
  },
);

it.each([[[retry, dlq]], [[retry, delay, dlq, delay]], [[dlq]], [[dlq, retry, dlq]]])("%j is in order", (list) => {
  expect(check(list).problems).toEqual([]);
});
