import { describe, expect, it } from "vitest";
import { FakeConsumer, untilAborted } from "../fakes/consumer.ts";
import { deferred, never } from "../fakes/deferred.ts";
import { harness } from "../fakes/harness.ts";
import { FakePublisher } from "../fakes/publisher.ts";
import { settled, until } from "../fakes/until.ts";

const refuse = (): never => {
  throw new Error("refused");
};

describe("stop", () => {
  it("stops reading, finishes what is in flight, flushes, commits, closes", async () => {
    const events: string[] = [];
    const gate = deferred();
    const consumer = new FakeConsumer([["a"], ["never read"]]);
    const publisher = new FakePublisher(() => gate.promise.then(() => undefined));
    consumer.onCommit = ({ texts }) => void events.push(`commit ${texts}`);
    consumer.onClose = () => void events.push("close input");
    publisher.onFlush = () => void events.push("flush");
    publisher.onClose = () => void events.push("close output");
    const { route, clock } = harness({ consumer, publisher });
    await route.start();
    await until(() => publisher.running === 1);
    const stopped = route.stop();
    expect(route.status()).toMatchObject({ state: "stopping", healthy: true });
    await settled();
    gate.resolve();
    expect(await stopped).toMatchObject({ outcome: "stopped", accounting: { received: 1, delivered: 1 } });
    // The first flush is for sends that wait for company.
    expect(events).toEqual(["flush", "commit a", "flush", "close input", "close output"]);
    expect(publisher.texts).toEqual(["a"]);
    expect(clock.time).toBe(0);
    expect(clock.pending).toBe(0);
  });

  it("wakes a source that waits", async () => {
    const { route, consumer } = harness();
    await route.start();
    await until(() => consumer.asked.length === 1);
    expect(await route.stop()).toMatchObject({ outcome: "stopped" });
    expect(consumer.closed).toBe(1);
  });

  it("delivers what the source had taken already when it was told", async () => {
    const consumer: FakeConsumer = new FakeConsumer([
      async (_max, signal) => {
        await untilAborted(signal).catch(() => {});
        return consumer.deliver(["taken"]);
      },
    ]);
    const { route, publisher } = harness({ consumer });
    await route.start();
    await until(() => consumer.asked.length === 1);
    await route.stop();
    expect(publisher.texts).toEqual(["taken"]);
    expect(consumer.acked).toEqual(["taken"]);
  });

  it("is no failure when the source rejects because of it", async () => {
    const consumer = new FakeConsumer([
      async (_max, signal) => {
        await untilAborted(signal).catch(() => {});
        throw new Error("cancelled");
      },
    ]);
    const { route } = harness({ consumer });
    await route.start();
    await until(() => consumer.asked.length === 1);
    const result = await route.stop();
    expect(result).toMatchObject({ outcome: "stopped" });
    expect(result).not.toHaveProperty("error");
  });

  it("may be called again, and before, and after the end", async () => {
    const early = harness();
    expect(await early.route.stop()).toMatchObject({ outcome: "stopped" });
    expect(early.route.state).toBe("stopped");
    const { route } = harness();
    await route.start();
    const results = await Promise.all([route.stop(), route.stop(), route.done]);
    expect(results[1]).toBe(results[0]);
    expect(await route.stop()).toBe(results[0]);
  });

  it("before a drain has ended by itself does not change how a completed one ended", async () => {
    const { route } = harness({ consumer: new FakeConsumer([], { ends: true }), route: { exit_on_empty: true } });
    await route.start();
    await route.done;
    expect(await route.stop()).toMatchObject({ outcome: "completed" });
  });

  it("ends a pause after an empty batch, and one after a nack", async () => {
    const idle = harness({ consumer: new FakeConsumer([[]]), route: { empty_batch_delay_ms: 60_000 } });
    await idle.route.start();
    await settled();
    await idle.route.stop();
    expect(idle.clock.time).toBe(0);
    const nacked = harness({ consumer: new FakeConsumer([["a"], ["a"]]), publisher: new FakePublisher(refuse) });
    await nacked.route.start();
    await until(() => nacked.clock.pending === 1);
    await nacked.route.stop();
    expect(nacked.clock.time).toBe(0);
  });

  it.each([
    ["while it connects", () => never<FakeConsumer>()],
    ["between two tries to connect", refuse],
  ])("%s ends the route promptly, and the start says so", async (_, consumer) => {
    const { route, clock, publisher } = harness({ consumer });
    const starting = route.start().catch((error: unknown) => error);
    await settled();
    expect(await route.stop()).toMatchObject({ outcome: "stopped" });
    expect(await starting).toMatchObject({ code: "MQB_CORE_STOPPED" });
    expect(clock.time).toBe(0);
    expect(clock.pending).toBe(0);
    expect(publisher.closed).toBe(1);
  });

  it("in the same turn as the start ends the route before anything was moved", async () => {
    const { route, consumer, publisher } = harness({ consumer: new FakeConsumer([["a"]]) });
    const starting = route.start().catch((error: unknown) => error);
    expect(await route.stop()).toMatchObject({ outcome: "stopped", accounting: { received: 0 } });
    expect(await starting).toMatchObject({ code: "MQB_CORE_STOPPED" });
    await settled();
    expect([consumer.asked.length, publisher.closed]).toEqual([0, 1]);
  });

  it("at the very moment when both ends are open ends it too", async () => {
    const { route } = harness();
    const starting = route.start();
    void starting.then(() => route.stop());
    expect(await starting).toBe("running");
    expect(await route.done).toMatchObject({ outcome: "stopped" });
  });
});

describe("a stop whose grace period is over", () => {
  it.each([
    ["default", undefined, 5000],
    ["given", { graceMs: 800 }, 800],
    ["none", { graceMs: 0 }, 0],
  ])("(%s) tells the sink, then no longer waits for it", async (_, options, grace) => {
    const signals: AbortSignal[] = [];
    const consumer = new FakeConsumer([["a"]]);
    const publisher = new FakePublisher((_batch, _call, signal) => {
      signals.push(signal);
      return never();
    });
    const { route, clock, log } = harness({ consumer, publisher });
    await route.start();
    await until(() => signals.length === 1);
    const stopped = route.stop(options);
    if (grace > 0) await clock.advance(grace - 1);
    expect(signals[0]!.aborted).toBe(false);
    await clock.advance(grace > 0 ? 1 : 0);
    expect(signals[0]!.aborted).toBe(true);
    expect(signals[0]!.reason).toMatchObject({ code: "MQB_CORE_GRACE_OVER" });
    await clock.advance(250);
    expect(await stopped).toMatchObject({ outcome: "stopped", accounting: { received: 1, nacked: 1, inFlight: 0 } });
    expect(log.at("warn").join()).toContain(`it had not finished within its grace period of ${grace} ms`);
    expect([consumer.commits.length, consumer.closed, publisher.closed]).toEqual([0, 1, 1]);
  });

  it("counts what the sink still reports when it is told", async () => {
    const consumer = new FakeConsumer([["a", "b"]]);
    const publisher = new FakePublisher(async (_batch, _call, signal) => {
      await untilAborted(signal).catch(() => {});
      return [{ type: "accepted" }, { type: "failed", error: signal.reason }];
    });
    const { route, clock } = harness({ consumer, publisher });
    await route.start();
    await until(() => publisher.running === 1);
    const stopped = route.stop();
    await clock.advance(5000);
    expect(await stopped).toMatchObject({ accounting: { delivered: 1, nacked: 1 } });
    expect(consumer.acked).toEqual(["a"]);
  });

  it("can be made shorter by a second call", async () => {
    const { route, clock } = harness({
      consumer: new FakeConsumer([["a"]]),
      publisher: new FakePublisher(() => never()),
    });
    await route.start();
    await settled();
    const stopped = route.stop({ graceMs: 60_000 });
    await clock.advance(1000);
    void route.stop({ graceMs: 0 });
    await clock.advance(250);
    expect(await stopped).toMatchObject({ outcome: "stopped" });
    expect(clock.time).toBe(1250);
  });
});
