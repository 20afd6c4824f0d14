import type { Message } from "@mqb/core/plugin";
import { messageBatch, texts } from "@mqb/testkit";
import { expect, it } from "vitest";
import { busy, rejected } from "../failures.ts";
import { run, setUp } from "./setup.ts";

it("the dead-letter endpoint has a list of its own, apart from the one that the dlq stands in", async () => {
  const { source, sink, dead, bridge } = setUp();
  source.push(messageBatch(3)).pushEmpty();
  sink.failWhen((message: Message) => (message.text() === "message 1" ? rejected : undefined));
  let refused = 0;
  dead.failWhen(() => (++refused <= 2 ? busy : undefined));
  const endpoint = { dead: {}, middlewares: [{ retry: { max_attempts: 3, initial_interval_ms: 1 } }] };
  const result = await run(bridge, "r", {
    input: { source: {} },
    output: { sink: {}, middlewares: [{ retry: { max_attempts: 1 } }, { dlq: { endpoint } }] },
    exit_on_empty: true,
  });
  expect(result).toMatchObject({ outcome: "completed", accounting: { delivered: 2, deadLettered: 1, nacked: 0 } });
  expect(texts(dead.messages)).toEqual(["message 1"]);
  expect(dead.messages[0]!.metadata.get("mq_bridge.retry.attempt")).toBe("3");
});
