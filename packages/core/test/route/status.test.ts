import { describe, expect, it } from "vitest";
import { MqbError } from "../../src/errors/mqb-error.ts";
import { FakeConsumer } from "../fakes/consumer.ts";
import { deferred } from "../fakes/deferred.ts";
import { harness } from "../fakes/harness.ts";
import { FakePublisher } from "../fakes/publisher.ts";
import { settled, until } from "../fakes/until.ts";

describe("the status of a route", () => {
  it("tells everything about one that was not started", () => {
    expect(harness().route.status()).toEqual({
      name: "r",
      state: "idle",
      healthy: false,
      guarantee: "at_least_once",
      guaranteeReason: 'the output "sink" may write a repeated message twice',
      accounting: expect.objectContaining({ received: 0 }),
      drops: [],
      reconnects: 0,
      inFlight: { batches: 0, bytes: 0 },
    });
  });

  it("shows its states on the way", async () => {
    const opening = deferred();
    const states: string[] = [];
    const h = harness({ consumer: () => opening.promise.then(() => new FakeConsumer()) });
    const note = () => void states.push(`${h.route.state} ${h.route.status().healthy}`);
    note();
    const starting = h.route.start();
    note();
    opening.resolve();
    await starting;
    note();
    const stopped = h.route.stop();
    note();
    await stopped;
    note();
    expect(states).toEqual(["idle false", "connecting false", "running true", "stopping true", "stopped true"]);
    expect(h.route.status().startedAt).toBe(h.clock.now());
  });

  it("shows what both ends say, while they are open", async () => {
    const consumer = Object.assign(new FakeConsumer(), {
      status: () => ({ healthy: true, target: "topic a", pending: 7 }),
    });
    const publisher = Object.assign(new FakePublisher(), {
      status: () => ({ healthy: false, target: "table b", error: "slow" }),
    });
    const h = harness({ consumer, publisher });
    await h.route.start();
    expect(h.route.status()).toMatchObject({
      state: "running",
      healthy: false,
      input: { target: "topic a", pending: 7 },
      output: { target: "table b", error: "slow" },
    });
    await h.route.stop();
    expect(h.route.status()).not.toHaveProperty("input");
  });

  it("survives an end that cannot tell", async () => {
    const broken = () => {
      throw new Error("no status");
    };
    const h = harness({ consumer: Object.assign(new FakeConsumer(), { status: broken }) });
    await h.route.start();
    expect(h.route.status()).toMatchObject({ healthy: false, input: { healthy: false, error: "no status" } });
    expect(h.bridge.status()).toHaveLength(1);
    expect(() => h.bridge.route("r", { input: { source: {} } })).toThrow(
      expect.objectContaining({ code: "MQB_CORE_ROUTE_EXISTS" }),
    );
    await h.route.stop();
  });

  it("keeps the cause of dropped messages after a completed drain, and is healthy", async () => {
    const h = harness({
      consumer: new FakeConsumer([["a"]], { ends: true }),
      publisher: new FakePublisher(() => Promise.reject(new MqbError("MQB_BAD", "permanent", "bad row"))),
      route: { exit_on_empty: true },
    });
    await h.route.start();
    const result = await h.route.done;
    expect(result.drops).toEqual([{ code: "MQB_BAD", count: 1, cause: "bad row" }]);
    expect(h.route.status()).toMatchObject({ state: "completed", healthy: true, error: "bad row" });
  });

  it("shows why messages go back to the source, until it comes forward again", async () => {
    const consumer = new FakeConsumer([["a"], ["a"], ["a"]]);
    const publisher = new FakePublisher((_, call) => {
      if (call < 3) throw new Error("table locked");
      return undefined;
    });
    const h = harness({ consumer, publisher });
    await h.route.start();
    await until(() => consumer.commits.length === 1);
    await settled();
    expect(h.route.status()).toMatchObject({ state: "running", error: "table locked", accounting: { nacked: 1 } });
    await h.clock.advance(1000);
    await until(() => consumer.commits.length === 3);
    await settled();
    expect(h.route.status()).not.toHaveProperty("error");
    await h.clock.run(h.route.stop());
  });

  it("shows what is in flight", async () => {
    const gate = deferred();
    const h = harness({
      consumer: new FakeConsumer([["abc"]]),
      publisher: new FakePublisher(() => gate.promise.then(() => undefined)),
    });
    await h.route.start();
    await until(() => h.publisher.running === 1);
    expect(h.route.status()).toMatchObject({ inFlight: { batches: 1, bytes: 3 }, accounting: { inFlight: 1 } });
    gate.resolve();
    await settled();
    expect(h.route.status().inFlight).toEqual({ batches: 0, bytes: 0 });
    await h.route.stop();
  });
});
