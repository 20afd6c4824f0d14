import { describe, expect, it } from "vitest";
import type { Consumer } from "../../src/contract/endpoint.ts";
import { FakeConsumer } from "../fakes/consumer.ts";
import { deferred, never } from "../fakes/deferred.ts";
import { harness } from "../fakes/harness.ts";
import { FakePublisher } from "../fakes/publisher.ts";
import { settled, until } from "../fakes/until.ts";

/** How long a stop takes, on the fake clock. */
async function stopping({ route, clock }: Pick<ReturnType<typeof harness>, "route" | "clock">) {
  const begin = clock.time;
  const result = await clock.run(route.stop());
  await settled();
  expect(clock.pending).toBe(0);
  return { result, ms: clock.time - begin };
}

describe("a stop ends", () => {
  it("although the source does not heed its signal", async () => {
    const consumer = new FakeConsumer([["a"], () => never()]);
    const h = harness({ consumer });
    await h.route.start();
    await until(() => consumer.asked.length === 2);
    expect(await stopping(h)).toMatchObject({ ms: 1000, result: { outcome: "stopped", accounting: { delivered: 1 } } });
    expect(consumer.closed).toBe(1);
  });

  it("although a send never settles", async () => {
    const h = harness({ consumer: new FakeConsumer([["a"]]), publisher: new FakePublisher(() => never()) });
    await h.route.start();
    expect(await stopping(h)).toMatchObject({ ms: 5250, result: { outcome: "stopped", accounting: { nacked: 1 } } });
  });

  it("although a send never settles and others wait for their turn behind it", async () => {
    const consumer = new FakeConsumer([["a"], ["b"], ["c"]]);
    const h = harness({
      consumer,
      publisher: new FakePublisher(() => never()),
      input: { commitsInOrder: true },
      output: { orderedPublish: true },
      route: { concurrency: 3 },
    });
    await h.route.start();
    await until(() => h.route.status().inFlight.batches === 3);
    expect(await stopping(h)).toMatchObject({
      ms: 5250,
      result: { accounting: { received: 3, nacked: 3, inFlight: 0 } },
    });
    expect(consumer.commits).toEqual([]);
  });

  it("although a commit never settles", async () => {
    const consumer = new FakeConsumer([["a"], ["b"]]);
    consumer.onCommit = () => never();
    const h = harness({ consumer, input: { commitsInOrder: true }, route: { concurrency: 2 } });
    await h.route.start();
    expect(await stopping(h)).toMatchObject({ ms: 5250, result: { outcome: "stopped", accounting: { delivered: 2 } } });
  });

  it("although a handler never settles", async () => {
    const h = harness({ consumer: new FakeConsumer([["a"]]), run: { handler: () => never() } });
    await h.route.start();
    expect(await stopping(h)).toMatchObject({ ms: 5250, result: { accounting: { nacked: 1, inFlight: 0 } } });
  });

  it("although a flush never settles, as failed, since nobody knows what is durable", async () => {
    const h = harness();
    h.publisher.onFlush = () => never();
    await h.route.start();
    expect(await stopping(h)).toMatchObject({
      ms: 5000,
      result: { outcome: "failed", error: { code: "MQB_CORE_FLUSH_FAILED", cause: { code: "MQB_CORE_GRACE_OVER" } } },
    });
  });

  it("although neither end closes", async () => {
    const h = harness();
    h.consumer.onClose = () => never();
    h.publisher.onClose = () => never();
    await h.route.start();
    expect(await stopping(h)).toMatchObject({ ms: 4000, result: { outcome: "stopped" } });
    expect(h.log.at("warn")).toEqual([
      "route r: the input did not close within 2000 ms",
      "route r: the output did not close within 2000 ms",
    ]);
  });

  it("although closing fails, at once or later", async () => {
    const h = harness();
    h.consumer.onClose = () => {
      throw new Error("first");
    };
    h.publisher.close = () => {
      throw new Error("second");
    };
    await h.route.start();
    expect(await stopping(h)).toMatchObject({ ms: 0, result: { outcome: "stopped" } });
    expect(h.log.at("warn").join()).toContain("closing the input failed: first");
    expect(h.log.at("warn").join()).toContain("closing the output failed: second");
  });

  it("although everything is stuck at once, within the sum of the limits", async () => {
    const consumer = new FakeConsumer([["a"], () => never()]);
    consumer.onClose = () => never();
    const publisher = new FakePublisher(() => never());
    publisher.onFlush = () => never();
    publisher.onClose = () => never();
    const h = harness({ consumer, publisher, route: { concurrency: 2 } });
    await h.route.start();
    expect(await stopping(h)).toMatchObject({
      ms: 9250,
      result: { accounting: { received: 1, nacked: 1, inFlight: 0 } },
    });
  });

  it("although a log cannot be written", async () => {
    const h = harness({
      consumer: new FakeConsumer([["a"]]),
      publisher: new FakePublisher(() => Promise.reject(new Error("x"))),
    });
    const broken = () => {
      throw new Error("disk full");
    };
    Object.assign(h.log, { info: broken, warn: broken, error: broken });
    const starting = h.route.start().catch(() => {});
    await settled();
    await h.clock.run(h.route.stop());
    await h.clock.run(starting);
    expect(h.route.status().accounting.inFlight).toBe(0);
  });
});

describe("a route reconnects", () => {
  const away = new Error("away");

  it("although the source does not heed its signal", async () => {
    let opened = 0;
    const consumer = (): Consumer => {
      opened += 1;
      return new FakeConsumer(opened === 1 ? [["a"], () => never()] : []);
    };
    const publisher = new FakePublisher(async () => {
      await settled();
      throw Object.assign(away, { kind: "connection", code: "X", [Symbol.for("mqb.error")]: true });
    });
    const h = harness({ consumer, publisher, route: { concurrency: 2, reconnect_interval_ms: 10 } });
    await h.route.start();
    await h.clock.advance(2000);
    expect(opened).toBe(2);
    await h.clock.run(h.route.stop());
  });

  it("although the old ends do not close, or close late", async () => {
    let opened = 0;
    const gate = deferred();
    const consumer = (): Consumer => {
      opened += 1;
      const one = new FakeConsumer(opened === 1 ? [away] : []);
      if (opened === 1) one.onClose = () => gate.promise;
      return one;
    };
    const h = harness({ consumer, route: { reconnect_interval_ms: 10 } });
    await h.route.start();
    await h.clock.advance(2010);
    expect(opened).toBe(2);
    gate.reject(new Error("late"));
    await settled();
    await h.clock.run(h.route.stop());
  });
});

describe("what settles after the end", () => {
  it("changes nothing: no commit, no count, no rejection", async () => {
    const receive = deferred<never>();
    const send = deferred();
    const consumer = new FakeConsumer([["a"], () => receive.promise]);
    const publisher = new FakePublisher(() => send.promise.then(() => undefined));
    const h = harness({ consumer, publisher, route: { concurrency: 2 } });
    await h.route.start();
    await until(() => consumer.asked.length === 2 && publisher.running === 1);
    const { accounting } = await h.clock.run(h.route.stop());
    send.resolve();
    receive.resolve(consumer.deliver(["late"]) as never);
    await settled();
    expect(h.route.status().accounting).toEqual(accounting);
    expect(accounting).toMatchObject({ received: 1, nacked: 1, inFlight: 0 });
    expect(consumer.commits).toEqual([]);
    expect(publisher.texts).toEqual(["a"]);
  });

  it("does not reach the connection that came after", async () => {
    const late = deferred();
    const first = new FakeConsumer([["a"], new Error("away")]);
    const second = new FakeConsumer([["a again"]]);
    let opened = 0;
    const consumer = () => (++opened === 1 ? first : second);
    const publisher = new FakePublisher((_, call) => (call === 1 ? late.promise.then(() => undefined) : undefined));
    const h = harness({ consumer, publisher, route: { concurrency: 2, reconnect_interval_ms: 10 } });
    await h.route.start();
    await h.clock.advance(6000);
    expect(second.acked).toEqual(["a again"]);
    late.resolve();
    await settled();
    expect(first.commits).toEqual([]);
    expect(h.route.status().accounting).toMatchObject({ received: 2, delivered: 1, nacked: 1, inFlight: 0 });
    await h.clock.run(h.route.stop());
  });

  it("may be an error", async () => {
    const receive = deferred<never>();
    const send = deferred<undefined>();
    const commit = deferred();
    const consumer = new FakeConsumer([["a"], ["b"], () => receive.promise]);
    consumer.onCommit = () => commit.promise;
    const publisher = new FakePublisher((_, call) => (call === 2 ? send.promise : undefined));
    const h = harness({ consumer, publisher, input: { commitsInOrder: true }, route: { concurrency: 3 } });
    await h.route.start();
    await until(() => consumer.asked.length === 3);
    const { accounting } = await h.clock.run(h.route.stop());
    for (const gate of [receive, send, commit]) gate.reject(new Error("late"));
    await settled();
    expect(h.route.status().accounting).toEqual(accounting);
  });
});
