import { createBridge, createRegistry, type RouteResult } from "@mqb/core";
import { batchOf, Message, MqbError } from "@mqb/core/plugin";
import standard from "@mqb/standard";
import { CollectingPublisher, fakePlugin, messages, ScriptedConsumer, TempDir, texts } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import plugin from "../src/index.ts";

interface Run {
  readonly source: ScriptedConsumer;
  readonly sink: CollectingPublisher;
  start(): Promise<RouteResult>;
}

/** A route between a scripted source and a collecting sink that ends with its source. */
function prepare(store: string, options: object = {}): Run {
  const source = new ScriptedConsumer();
  const sink = new CollectingPublisher();
  const fakes = fakePlugin({ source: { consumer: () => source }, sink: { publisher: () => sink } });
  const bridge = createBridge({ registry: createRegistry([standard, plugin, fakes]) });
  const deduplication = { store, ttl_seconds: 60, key: "${message:payload}" };
  const route = bridge.route("r", {
    exit_on_empty: true,
    batch_size: 7,
    ...options,
    input: { source: {}, middlewares: [{ deduplication }] },
    output: { sink: {} },
  });
  return {
    source,
    sink,
    async start() {
      await route.start();
      return await route.done;
    },
  };
}

const numbered = (count: number) => Array.from({ length: count }, (_, n) => new Message(`message ${n}`));

describe.each([1, 8])("a route with concurrency %i", (concurrency) => {
  it.each(["memory:", "file:", "durable"])("delivers each key once and accounts for the rest: %s", async (kind) => {
    await using dir = await TempDir.make();
    const store = kind === "memory:" ? kind : `file://${dir.file("k")}?durable=${kind === "durable"}`;
    const { source, sink, start } = prepare(store, { concurrency });
    for (let round = 0; round < 3; round++) source.push(batchOf(numbered(100)));
    source.pushEmpty();
    const { outcome, accounting } = await start();
    expect([outcome, accounting.received, accounting.delivered, accounting.deduplicated]).toEqual([
      "completed",
      300,
      100,
      200,
    ]);
    const sent = texts(sink.messages);
    expect(new Set(sent).size).toBe(sent.length);
    if (concurrency === 1) expect(sent).toEqual(messages(100).map((message) => message.text()));
    expect(source.violations).toEqual([]);
    expect(source.deliveries.every(({ commits }) => commits === 1)).toBe(true);
  });

  it("gives back what failed, with its duplicates, and delivers it when it comes again", async () => {
    const { source, sink, start } = prepare("memory:", { concurrency });
    let refused = 0;
    sink.failWhen((message) =>
      message.text() === "message 3" && refused++ === 0
        ? new MqbError("MQB_TEST_BUSY", "retryable", "busy")
        : undefined,
    );
    source.push(batchOf(["message 3", "message 4", "message 3"].map((text) => new Message(text))));
    source.push(batchOf([new Message("message 3")])).pushEmpty();
    // As a queue would, after the nack.
    source.push(batchOf([new Message("message 3")])).pushEmpty();
    const { accounting } = await start();
    expect(texts(sink.messages).sort()).toEqual(["message 3", "message 4"]);
    const { received, delivered, deduplicated, nacked, inFlight } = accounting;
    expect(delivered).toBe(2);
    expect(received).toBe(delivered + deduplicated + nacked + inFlight);
    expect(source.violations).toEqual([]);
  });
});

it("is refused on an output", () => {
  const registry = createRegistry([standard, plugin]);
  const { problems } = createBridge({ registry }).check("r", {
    input: { memory: { topic: "a" } },
    output: { memory: { topic: "b" }, middlewares: [{ deduplication: { store: "memory:", ttl_seconds: 1 } }] },
  });
  expect(problems.map(({ code }) => code)).toContain("MQB_CONFIG_WRONG_SIDE");
});
