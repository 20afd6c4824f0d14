import { Message } from "@mqb/core/plugin";
import { messages, testMiddleware } from "@mqb/testkit";
import { describe, it } from "vitest";
import standard from "../../src/index.ts";
import { fakeExpressions } from "../fake-expressions.ts";
import { packedMessage } from "../pack/setup.ts";

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
testMiddleware(runner, {
  plugin: standard,
  middleware: "pack",
  config: { max_messages: 1 },
  changes: true,
  regroups: true,
});

const frames = await Promise.all(messages(2100, { metadata: true }).map((message) => packedMessage([message])));
testMiddleware(runner, {
  plugin: standard,
  middleware: "unpack",
  config: { on_error: "drop" },
  message: (n) => frames[n]!,
  removed: (n) => new Message(`not packed ${n}`),
  changes: true,
  regroups: true,
});
