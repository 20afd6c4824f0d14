import { describe, expect, it } from "vitest";
import { MqbError } from "../../src/errors/mqb-error.ts";
import { FakeConsumer, type Step } from "../fakes/consumer.ts";
import { never } from "../fakes/deferred.ts";
import { harness } from "../fakes/harness.ts";
import { FakePublisher } from "../fakes/publisher.ts";
import { until } from "../fakes/until.ts";

async function reading(...steps: Step[]) {
  const consumer = new FakeConsumer(steps);
  const h = harness({ consumer });
  await h.route.start();
  return { ...h, consumer };
}

describe("an error of the source", () => {
  it.each([
    ["of the connection", new MqbError("X", "connection", "away")],
    ["of no kind", new Error("plain")],
    ["that is retryable", new MqbError("X", "retryable", "busy")],
  ])("%s reconnects", async (_, error) => {
    const { route, clock, consumer, publisher } = await reading(["a"], error);
    await until(() => route.state === "reconnecting");
    expect(route.status()).toMatchObject({ healthy: false, error: error.message, reconnects: 1 });
    expect([consumer.closed, publisher.closed]).toEqual([1, 1]);
    expect(consumer.acked).toEqual(["a"]);
    await clock.run(route.stop());
  });

  it.each(["permanent", "config"] as const)("that is %s ends the route as failed, for all to see", async (kind) => {
    const error = new MqbError("MQB_AUTH", kind, "credentials were rotated");
    const { route, clock, consumer, publisher, log } = await reading(["a"], error);
    const result = await clock.run(route.done);
    expect(result).toMatchObject({ outcome: "failed", error, accounting: { delivered: 1 } });
    expect(route.status()).toMatchObject({ state: "failed", healthy: false, error: "credentials were rotated" });
    expect([consumer.closed, publisher.closed]).toEqual([1, 1]);
    expect(log.at("error")).toEqual(["route r failed: credentials were rotated"]);
  });

  it("that is its end completes the route, with what was in flight", async () => {
    const error = new MqbError("MQB_EOF", "end", "end of stream");
    const { route, clock, consumer, publisher } = await reading(["a"], ["b"], error);
    expect(await clock.run(route.done)).toMatchObject({ outcome: "completed", error });
    expect(consumer.acked).toEqual(["a", "b"]);
    expect(publisher.flushed).toBe(1);
    expect(route.status()).toMatchObject({ state: "completed", healthy: true });
    expect(route.status()).not.toHaveProperty("error");
  });

  it("leaves what is in flight its time, and then is no longer waited for", async () => {
    const consumer = new FakeConsumer([["a"], new Error("away")]);
    const signals: AbortSignal[] = [];
    const publisher = new FakePublisher((_batch, _call, signal) => {
      signals.push(signal);
      return never();
    });
    const { route, clock } = harness({ consumer, publisher, route: { concurrency: 2 } });
    await route.start();
    await clock.advance(4999);
    expect([route.state, signals[0]!.aborted]).toEqual(["running", false]);
    await clock.advance(1);
    expect(signals[0]!.aborted).toBe(true);
    await clock.advance(250);
    expect(route.state).toBe("reconnecting");
    expect(consumer.commits).toEqual([]);
    expect(route.status().accounting).toMatchObject({ received: 1, nacked: 1, inFlight: 0 });
    await clock.run(route.stop());
  });

  it("is one when it delivers nothing at all", async () => {
    const { route, clock } = await reading(() => undefined as never);
    await until(() => route.state === "reconnecting");
    await clock.run(route.stop());
  });

  it("may be thrown as anything", async () => {
    const { route, clock } = await reading(() => Promise.reject(undefined));
    await until(() => route.state === "reconnecting");
    expect(route.status().error).toBe("thrown value: undefined");
    await clock.run(route.stop());
  });
});

describe("an error of a commit", () => {
  it.each([
    ["connection", "reconnecting"],
    ["retryable", "reconnecting"],
    ["end", "reconnecting"],
    ["permanent", "failed"],
    ["config", "failed"],
  ] as const)("that is of the kind %s makes the route %s", async (kind, state) => {
    const consumer = new FakeConsumer([["a"]]);
    consumer.onCommit = () => Promise.reject(new MqbError("X", kind, "not taken"));
    const { route, clock } = harness({ consumer });
    await route.start();
    await until(() => route.state === state);
    expect(route.status().error).toBe("not taken");
    await clock.run(route.stop());
  });

  it("may be thrown at once, and the batch still gives up its slot", async () => {
    const consumer = new FakeConsumer([["a"]]);
    const delivery = consumer.deliver(["a"]);
    const broken = {
      batch: delivery.batch,
      commit: () => {
        throw new Error("at once");
      },
    };
    const { route, clock } = harness({ consumer: new FakeConsumer([() => broken]), input: { commitsInOrder: true } });
    await route.start();
    await until(() => route.state === "reconnecting");
    await clock.run(route.stop());
  });

  it("of an empty batch counts too", async () => {
    const consumer = new FakeConsumer([[]]);
    consumer.onCommit = () => Promise.reject(new Error("not taken"));
    const { route, clock } = harness({ consumer });
    await route.start();
    await until(() => route.state === "reconnecting");
    await clock.run(route.stop());
  });
});
