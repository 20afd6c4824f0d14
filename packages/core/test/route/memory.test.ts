import { getEventListeners } from "node:events";
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { FakeConsumer } from "../fakes/consumer.ts";
import { harness } from "../fakes/harness.ts";
import { until } from "../fakes/until.ts";

const BATCHES = 20_000;

/** Delivers single messages and nothing else, and keeps the signals that it was given. */
function stream(count: number) {
  const signals = new Set<AbortSignal>();
  const consumer = new FakeConsumer();
  let left = count;
  const script = consumer.receive.bind(consumer);
  consumer.receive = async (max, signal) => {
    signals.add(signal);
    if (left === 0) return script(max, signal);
    left -= 1;
    const { batch } = consumer.deliver(["x"]);
    return { batch, commit: async () => {} };
  };
  return { consumer, signals };
}

describe("a long run of small batches", () => {
  it.each([
    ["plain", {}],
    ["ordered on both sides", { input: { commitsInOrder: true }, output: { orderedPublish: true } }],
    ["draining a source without an end", { input: { bounded: false }, route: { exit_on_empty: true } }],
  ])("leaves no listener, timer or queue behind (%s)", async (_, options) => {
    const { consumer, signals } = stream(BATCHES);
    const publisher = { send: async () => undefined, close: async () => {} };
    const h = harness({ consumer, publisher, ...options });
    await h.route.start();
    await until(() => h.route.status().accounting.delivered === BATCHES && h.route.status().inFlight.batches === 0);
    // The last receive waits; every other one has left the signals as it found them.
    const listeners = [...signals].map((signal) => getEventListeners(signal, "abort").length);
    expect(Math.max(...listeners)).toBeLessThanOrEqual(1);
    expect(h.clock.pending).toBeLessThanOrEqual(1);
    await h.clock.run(h.route.stop());
    expect(h.clock.pending).toBe(0);
  });

  it("does not grow the heap", async () => {
    const { consumer } = stream(BATCHES * 4);
    const publisher = { send: async () => undefined, close: async () => {} };
    const h = harness({ consumer, publisher, input: { commitsInOrder: true }, output: { orderedPublish: true } });
    await h.route.start();
    const delivered = () => h.route.status().accounting.delivered;
    await until(() => delivered() >= BATCHES);
    const from = delivered();
    const before = usedHeap();
    await until(() => delivered() === BATCHES * 4);
    expect((usedHeap() - before) / (delivered() - from)).toBeLessThan(20);
    await h.clock.run(h.route.stop());
  });
});

/** Bytes that are reachable, after a collection. */
function usedHeap(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return getHeapStatistics().used_heap_size;
}

describe("many reconnects", () => {
  it("leave nothing behind on the signals of the route", async () => {
    let opened = 0;
    const contexts: AbortSignal[] = [];
    const h = harness({
      consumer: ({ signal }) => {
        opened += 1;
        contexts.push(signal);
        return new FakeConsumer([new Error("away")]);
      },
      route: { reconnect_interval_ms: 1 },
    });
    await h.route.start();
    await h.clock.advance(200 * 30_000);
    expect(opened).toBeGreaterThan(200);
    expect(contexts.every((signal) => getEventListeners(signal, "abort").length === 0)).toBe(true);
    expect(contexts.slice(0, -1).every((signal) => signal.aborted)).toBe(true);
    expect(h.clock.pending).toBe(1);
    await h.clock.run(h.route.stop());
  });
});
