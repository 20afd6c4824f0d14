import type { Message } from "@mqb/core/plugin";
import { messageBatch, texts } from "@mqb/testkit";
import { expect, it } from "vitest";
import { busy, rejected } from "../failures.ts";
import { NEVER } from "../opened.ts";
import { run, setUp } from "./setup.ts";

const RETRY = { retry: { max_attempts: 3, initial_interval_ms: 1 } };
const DLQ = { dlq: { endpoint: { dead: {} } } };

/** Fails each message so often before it is accepted. */
function failFirst(times: number, error: unknown) {
  const seen = new Map<string, number>();
  return (message: Message) => {
    const before = seen.get(message.text()) ?? 0;
    seen.set(message.text(), before + 1);
    return before < times ? error : undefined;
  };
}

it("retries first and dead-letters last when the dlq stands last", async () => {
  const { source, sink, dead, bridge } = setUp();
  source.push(messageBatch(3)).pushEmpty();
  sink.failWhen(failFirst(2, busy));
  const result = await run(bridge, "r", {
    input: { source: {} },
    output: { sink: {}, middlewares: [RETRY, DLQ] },
    exit_on_empty: true,
  });
  expect(result).toMatchObject({ outcome: "completed", accounting: { delivered: 3, deadLettered: 0 } });
  expect(dead.messages).toEqual([]);
});

it("dead-letters what still fails after the last attempt", async () => {
  const { source, sink, dead, bridge } = setUp();
  source.push(messageBatch(3)).pushEmpty();
  sink.failWhen((message) => (message.text() === "message 1" ? busy : undefined));
  const result = await run(bridge, "r", {
    input: { source: {} },
    output: { sink: {}, middlewares: [RETRY, DLQ] },
    exit_on_empty: true,
  });
  expect(result).toMatchObject({ outcome: "completed", accounting: { delivered: 2, deadLettered: 1, nacked: 0 } });
  expect(texts(dead.messages)).toEqual(["message 1"]);
});

it("does not dead-letter exhausted retries when the dlq stands before them: the route nacks", async () => {
  const { source, sink, dead, bridge } = setUp();
  source.push(messageBatch(2));
  sink.failWhen((message) => (message.text() === "message 1" ? busy : undefined));
  const route = bridge.route("r", { input: { source: {} }, output: { sink: {}, middlewares: [DLQ, RETRY] } });
  await route.start();
  await source.received(1);
  const dispositions = await source.deliveries[0]!.committed;
  expect(dispositions.map(({ type }) => type)).toEqual(["ack", "nack"]);
  expect(dead.messages).toEqual([]);
  await bridge.stop();
});

it("keeps a message with its source when its letter is not taken", async () => {
  const { source, sink, dead, bridge } = setUp();
  source.push(messageBatch(2));
  sink.failAt([0], rejected);
  dead.failWhen(() => rejected);
  const route = bridge.route("r", { input: { source: {} }, output: { sink: {}, middlewares: [DLQ] } });
  await route.start();
  await source.received(1);
  expect((await source.deliveries[0]!.committed).map(({ type }) => type)).toEqual(["nack", "ack"]);
  await bridge.stop();
});

it("stops as failed when a fault is systematic, with the rest of the source unacknowledged", async () => {
  const { sink, dead, bridge } = setUp();
  const publisher = await bridge.openPublisher({ memory: { topic: "t", capacity: 1_000 } });
  for (let i = 0; i < 20; i++) await publisher.send(messageBatch(500, { from: i * 500 }), NEVER);
  sink.failWhen(() => rejected);
  const output = { sink: {}, middlewares: [{ dlq: { endpoint: { dead: {} }, stop_window: 100, stop_threshold: 20 } }] };
  const config = { input: { memory: { topic: "t", enable_nack: true } }, output, exit_on_empty: true };
  const first = await run(bridge, "first", config);
  expect(first).toMatchObject({ outcome: "failed", error: { code: "MQB_STANDARD_DLQ_THRESHOLD" } });
  expect(dead.messages).toHaveLength(21);

  sink.failWhen((message) => (Number(message.text().split(" ")[1]) % 2_000 === 1_999 ? rejected : undefined));
  const second = await run(bridge, "second", config);
  expect(second).toMatchObject({ outcome: "completed", accounting: { delivered: 9_974, deadLettered: 5 } });
  expect(dead.messages).toHaveLength(26);
});
