import type { Message } from "@mqb/core/plugin";
import { messages, testMiddleware } from "@mqb/testkit";
import { describe, it } from "vitest";
import standard from "../../src/index.ts";

const runner = { describe, it };
const json = (n: number): Message =>
  messages(1, { from: n, metadata: true })[0]!.with({ payload: Buffer.from(JSON.stringify({ n })) });

testMiddleware(runner, { plugin: standard, middleware: "timeout", config: { timeout_ms: 60_000 } });
testMiddleware(runner, { plugin: standard, middleware: "limiter", config: { messages_per_second: 100_000 } });
testMiddleware(runner, {
  plugin: standard,
  middleware: "buffer",
  config: { max_messages: 2_000, max_delay_ms: 20 },
  regroups: true,
});
testMiddleware(runner, {
  plugin: standard,
  middleware: "id",
  config: "${payload:n}",
  message: json,
  changes: true,
  looksInside: true,
});
testMiddleware(runner, {
  plugin: standard,
  middleware: "weak_join",
  config: { group_by: "n", expected_count: 1, timeout_ms: 1_000 },
  changes: true,
  looksInside: true,
  regroups: true,
});
testMiddleware(runner, { plugin: standard, middleware: "cookie_jar" });
testMiddleware(runner, {
  plugin: standard,
  middleware: "random_panic",
  config: { mode: "panic", trigger_on_message: 1_000_000 },
  context: () => ({ allowFaultInjection: true }),
});
