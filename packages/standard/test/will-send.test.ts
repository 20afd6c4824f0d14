import type { MessageBatch } from "@mqb/core/plugin";
import { CollectingPublisher, fakeContext, messageBatch } from "@mqb/testkit";
import { expect, it } from "vitest";
import standard from "../src/index.ts";
import { fakeExpressions } from "./fake-expressions.ts";
import { NEVER } from "./opened.ts";

/** What a sink behind the middleware is told and sent of one batch. */
async function toldAndSent(name: string, config: unknown) {
  const told: MessageBatch[] = [];
  const sink = Object.assign(new CollectingPublisher(), { willSend: (batch: MessageBatch) => void told.push(batch) });
  const middleware = standard.middlewares![name]!;
  const parsed = middleware.schema["~standard"].validate(config);
  if (parsed instanceof Promise || parsed.issues) throw new Error("the configuration is refused");
  const context = fakeContext({
    plugins: [standard, fakeExpressions],
    side: "output",
    allowFaultInjection: true,
    openPublisher: async () => new CollectingPublisher(),
  });
  const publisher = await middleware.output!(sink, parsed.value, context);
  const batch = messageBatch(3);
  publisher.willSend?.(batch);
  await publisher.send(batch, NEVER);
  await publisher.close();
  return { told: told.map((one) => one === batch), sent: sink.sends.map((one) => one === batch) };
}

it.each([
  ["metrics", {}],
  ["limiter", { messages_per_second: 1000 }],
  ["delay", { delay_ms: 0 }],
  ["timeout", { timeout_ms: 1000 }],
  ["retry", {}],
  ["dlq", { endpoint: { sink: {} } }],
  ["random_panic", { trigger_on_message: 9 }],
  ["filter", "drop"],
])("what is behind %s, which sends the batch it is given, is told that it comes", async (name, config) => {
  expect(await toldAndSent(name, config)).toEqual({ told: [true], sent: [true] });
});

it("what is behind pack, which sends another batch, is told nothing of the one it does not get", async () => {
  expect(await toldAndSent("pack", {})).toEqual({ told: [], sent: [false] });
});

it("what is behind cookie_jar, which knows only at the send what it makes of a batch, is told nothing", async () => {
  expect((await toldAndSent("cookie_jar", {})).told).toEqual([]);
});
