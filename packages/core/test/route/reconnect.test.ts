import { describe, expect, it, vi } from "vitest";
import { MqbError } from "../../src/errors/mqb-error.ts";
import { createBackoff } from "../../src/route/backoff.ts";
import { FakeConsumer, type Step } from "../fakes/consumer.ts";
import { harness } from "../fakes/harness.ts";
import { settled, until } from "../fakes/until.ts";

const away = new MqbError("X", "connection", "away");

/** A route whose n-th connection reads the n-th script. */
function connections(...scripts: Step[][]) {
  const opened: FakeConsumer[] = [];
  const consumer = () => {
    const one = new FakeConsumer(scripts[opened.length] ?? []);
    opened.push(one);
    return one;
  };
  return { opened, consumer };
}

describe("a route that lost its connection", () => {
  it("closes both ends, waits, and opens both again", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0);
    const { opened, consumer } = connections([["a"], away], [["b"]]);
    let publishers = 0;
    const h = harness({ consumer });
    const { route, clock, publisher } = harness({
      consumer,
      publisher: () => {
        publishers += 1;
        return h.publisher;
      },
      route: { reconnect_interval_ms: 1000 },
    });
    expect(publisher).toBeInstanceOf(Function);
    await route.start();
    await until(() => route.state === "reconnecting");
    expect(opened[0]!.closed).toBe(1);
    await clock.advance(999);
    expect([opened.length, publishers]).toEqual([1, 1]);
    await clock.advance(1);
    await until(() => h.publisher.texts.length === 2);
    expect([opened.length, publishers]).toEqual([2, 2]);
    expect(route.status()).toMatchObject({ state: "running", healthy: true, reconnects: 1 });
    expect(route.status()).not.toHaveProperty("error");
    await clock.run(route.stop());
  });

  it("waits longer each time in vain, and shortly again after a connection that moved something", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0);
    const { consumer } = connections([away], [away], [away], [["a"], away], [away]);
    const { route, clock, log } = harness({ consumer, route: { reconnect_interval_ms: 1000 } });
    await route.start();
    await clock.advance(60_000);
    const pauses = log.at("warn").map((line) => /next try in (\d+) ms/.exec(line)?.[1]);
    expect(pauses).toEqual(["1000", "2000", "4000", "1000", "2000"]);
    await clock.run(route.stop());
  });

  it("waits longer each time while what it delivers is not committed", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0);
    const { opened, consumer } = connections(...Array.from({ length: 6 }, () => [["a"]]));
    const { route, clock, log } = harness({
      consumer: () => {
        const one = consumer();
        one.onCommit = () => Promise.reject(away);
        return one;
      },
      route: { reconnect_interval_ms: 1000 },
    });
    await route.start();
    await clock.advance(18_000);
    const pauses = log.at("warn").map((line) => /next try in (\d+) ms/.exec(line)?.[1]);
    expect(pauses).toEqual(["1000", "2000", "4000", "8000", "10000"]);
    expect(opened).toHaveLength(5);
    await clock.run(route.stop());
  });

  it("goes on for ever when it does not drain", async () => {
    const { opened, consumer } = connections(...Array.from({ length: 50 }, () => [away]));
    const { route, clock } = harness({ consumer, route: { reconnect_interval_ms: 10 } });
    await route.start();
    await clock.advance(50 * 30_000);
    expect(opened).toHaveLength(51);
    expect(route.state).toBe("running");
    await clock.run(route.stop());
  });

  it("ends when opening again finds the configuration wrong", async () => {
    let calls = 0;
    const { route, clock } = harness({
      consumer: () => {
        calls += 1;
        if (calls > 1) throw new MqbError("MQB_TOPIC", "config", "topic was deleted");
        return new FakeConsumer([away]);
      },
    });
    await route.start();
    const result = await clock.run(route.done);
    expect(result).toMatchObject({ outcome: "failed", error: { code: "MQB_TOPIC" } });
    expect(calls).toBe(2);
  });

  it("waits no longer than the start timeout for an end that does not open again", async () => {
    let calls = 0;
    const { route, clock, log } = harness({
      consumer: () => (++calls > 1 ? new Promise<never>(() => {}) : new FakeConsumer([away])),
      route: { startup_timeout_ms: 700, reconnect_interval_ms: 100 },
    });
    await route.start();
    await clock.advance(2000);
    expect(calls).toBeGreaterThan(2);
    expect(log.at("warn").join()).toContain("the input was not connected within 700 ms: away");
    await clock.run(route.stop());
  });

  it("gives an end that opens again its time also when the start had none", async () => {
    let calls = 0;
    const { route, clock } = harness({
      consumer: ({ clock }) =>
        ++calls > 1
          ? new Promise<FakeConsumer>((resolve) => clock.timer(300, () => resolve(new FakeConsumer())))
          : new FakeConsumer([away]),
      route: { startup_timeout_ms: 0, reconnect_interval_ms: 100 },
    });
    await route.start();
    await clock.advance(500);
    expect([calls, route.state]).toEqual([2, "running"]);
    await clock.run(route.stop());
  });

  it("stops promptly", async () => {
    const { consumer } = connections([away]);
    const { route, clock } = harness({ consumer });
    await route.start();
    await until(() => route.state === "reconnecting");
    await settled();
    const before = clock.time;
    expect(await route.stop()).toMatchObject({ outcome: "stopped" });
    expect(clock.time).toBe(before);
    expect(clock.pending).toBe(0);
  });
});

describe("the pauses between reconnects", () => {
  const pauses = (intervalMs: number, count: number): number[] => {
    const backoff = createBackoff(intervalMs);
    return Array.from({ length: count }, () => backoff.next());
  };

  it("double up to ten seconds, or the interval when that is longer", () => {
    vi.spyOn(Math, "random").mockReturnValue(0);
    expect(pauses(5000, 5)).toEqual([5000, 10_000, 10_000, 10_000, 10_000]);
    expect(pauses(60_000, 3)).toEqual([60_000, 60_000, 60_000]);
    expect(pauses(1, 100).at(-1)).toBe(10_000);
  });

  it("grow from an interval of 0, so that no loop runs hot", () => {
    vi.spyOn(Math, "random").mockReturnValue(0);
    expect(pauses(0, 4)).toEqual([0, 100, 200, 400]);
  });

  it("are up to a fifth shorter, so that many routes do not come back at once", () => {
    vi.spyOn(Math, "random").mockReturnValue(0.999);
    expect(pauses(1000, 1)[0]).toBeCloseTo(800, -1);
  });

  it("begin again after a reset", () => {
    vi.spyOn(Math, "random").mockReturnValue(0);
    const backoff = createBackoff(100);
    backoff.next();
    backoff.next();
    backoff.reset();
    expect(backoff.next()).toBe(100);
  });
});
