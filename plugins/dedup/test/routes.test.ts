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

/** A pseudo-random number below `limit`, the same in every run. */
function randomly(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

describe("over a queue that takes back, and a sink that fails at random", () => {
  it.each([1, 2, 3, 4, 5, 6])("each key arrives once, and every message has one end: seed %i", async (seed) => {
    const below = randomly(seed);
    const sink = new CollectingPublisher();
    const hopeless = new Set<string>();
    sink.failWhen((message) => {
      const text = message.text();
      if (hopeless.has(text) || below(40) === 0) {
        hopeless.add(text);
        return new MqbError("MQB_TEST_REFUSED", "permanent", "never");
      }
      return below(4) === 0 ? new MqbError("MQB_TEST_BUSY", "retryable", "busy") : undefined;
    });
    const fakes = fakePlugin({ sink: { publisher: () => sink } });
    const bridge = createBridge({ registry: createRegistry([standard, plugin, fakes]), drainIdleMs: 50 });
    const queue = await bridge.openPublisher({ memory: { topic: "q", capacity: 10_000 } });
    const sent = Array.from({ length: 600 }, () => `key ${below(150)}`);
    for (let at = 0; at < sent.length; at += 20) {
      await queue.send(batchOf(sent.slice(at, at + 20).map((text) => new Message(text))), new AbortController().signal);
    }
    const deduplication = { store: "memory:", ttl_seconds: 60, key: "${message:payload}" };
    const route = bridge.route("r", {
      exit_on_empty: true,
      concurrency: 1 + below(8),
      batch_size: 1 + below(30),
      input: { memory: { topic: "q", enable_nack: true }, middlewares: [{ deduplication }] },
      output: { sink: {} },
    });
    await route.start();
    const { outcome, accounting } = await route.done;
    expect(outcome).toBe("completed");
    const arrived = texts(sink.messages);
    expect(new Set(arrived).size).toBe(arrived.length);
    expect(new Set([...arrived, ...hopeless])).toEqual(new Set(sent));
    const { received, inFlight, ...ends } = accounting;
    expect([received, inFlight]).toEqual([Object.values(ends).reduce((sum, count) => sum + count, 0), 0]);
    expect([accounting.delivered, accounting.dropped]).toEqual([arrived.length, hopeless.size]);
    await queue.close();
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
