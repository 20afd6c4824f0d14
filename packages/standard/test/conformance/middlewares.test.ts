import { Message } from "@mqb/core/plugin";
import { testMiddleware } from "@mqb/testkit";
import { describe, it } from "vitest";
import standard from "../../src/index.ts";
import { fakeExpressions } from "../fake-expressions.ts";

const runner = { describe, it };

testMiddleware(runner, { plugin: standard, middleware: "retry" });
testMiddleware(runner, { plugin: standard, middleware: "delay", config: { delay_ms: 5 } });
testMiddleware(runner, { plugin: standard, middleware: "metrics" });
testMiddleware(runner, {
  plugin: standard,
  middleware: "dlq",
  config: { endpoint: { memory: { topic: "dead", capacity: 100_000 } } },
});
testMiddleware(runner, {
  plugin: standard,
  middleware: "filter",
  config: "drop me",
  removed: (n) => new Message(`drop me ${n}`),
  context: () => ({ plugins: [fakeExpressions] }),
  regroups: true,
});
