import { describe, expect, it } from "vitest";
import { Yielder } from "../../src/route/yielder.ts";
import { FakeConsumer, untilAborted } from "../fakes/consumer.ts";
import { harness } from "../fakes/harness.ts";

/** Always ready, like an in-process topic with a fast producer; but not for ever, so that a starved test ends. */
function ready(): FakeConsumer {
  const consumer = new FakeConsumer();
  const end = performance.now() + 2000;
  consumer.receive = async (_, signal) => (performance.now() < end ? consumer.deliver(["x"]) : untilAborted(signal));
  return consumer;
}

/** How long a timer of a millisecond takes that is armed now. */
function delayOfTimer(): Promise<number> {
  const begin = performance.now();
  return new Promise((resolve) => setTimeout(() => resolve(performance.now() - begin), 1));
}

function busyFor(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

describe("a route whose ends are always ready", () => {
  it("does not starve timers and signals", async () => {
    const { route, clock } = harness({ consumer: ready() });
    const delay = delayOfTimer();
    await route.start();
    expect(await delay).toBeLessThan(500);
    await clock.run(route.stop());
  });

  it("does not starve them with a slow synchronous handler either", async () => {
    const consumer = new FakeConsumer([Array.from({ length: 400 }, () => "x")]);
    const handler = (): void => busyFor(5);
    const { route, clock } = harness({ consumer, run: { handler } });
    const delay = delayOfTimer();
    await route.start();
    expect(await delay).toBeLessThan(500);
    await clock.run(route.stop({ graceMs: 0 }));
  });
});

describe("giving the event loop a turn", () => {
  it("happens when a slice of time is used up, and not before", () => {
    const yielder = new Yielder();
    expect(yielder.turn()).toBeUndefined();
    busyFor(20);
    const turns = Array.from({ length: 20 }, () => yielder.turn());
    expect(turns.some((turn) => turn !== undefined)).toBe(true);
  });

  it("looks at the clock each time while calls are slow", async () => {
    const yielder = new Yielder();
    const rests: number[] = [];
    for (let i = 0; i < 40; i++) {
      busyFor(3);
      const turn = yielder.turn();
      if (!turn) continue;
      rests.push(i);
      await turn;
    }
    expect(rests.length).toBeGreaterThan(5);
    const gaps = rests.slice(1).map((at, i) => at - rests[i]!);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(4);
  });
});
