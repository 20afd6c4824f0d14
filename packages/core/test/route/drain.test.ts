import { describe, expect, it } from "vitest";
import { ACK, failed, nack } from "../../src/contract/disposition.ts";
import type { Delivery } from "../../src/contract/endpoint.ts";
import { MqbError } from "../../src/errors/mqb-error.ts";
import { FakeConsumer, type Step, untilAborted } from "../fakes/consumer.ts";
import { deferred, never } from "../fakes/deferred.ts";
import { harness, runToEnd } from "../fakes/harness.ts";
import { middleware } from "../fakes/plugin.ts";
import { FakePublisher } from "../fakes/publisher.ts";
import { settled, until } from "../fakes/until.ts";

const drain = { exit_on_empty: true };
const busy = failed(new MqbError("X", "retryable", "busy"));

/** A source with a position: it reads again from the first nack, and forgets what was in flight behind that. */
function positioned(texts: readonly string[]): FakeConsumer {
  let [next, epoch] = [0, 0];
  const receive: Step = (max) => {
    const from = next;
    const mine = epoch;
    const delivery = consumer.deliver(texts.slice(from, from + max));
    next += delivery.batch.length;
    const commit: Delivery["commit"] = async (dispositions = []) => {
      const nacked = dispositions.findIndex((one) => one.type === "nack");
      if (nacked < 0 || mine !== epoch) return;
      epoch += 1;
      next = from + nacked;
    };
    return { ...delivery, commit };
  };
  const consumer = new FakeConsumer(
    Array.from({ length: 1000 }, () => receive),
    { ends: true },
  );
  return consumer;
}

describe("a drain of a source that knows its end", () => {
  it("ends at the first empty batch, without any pause", async () => {
    const consumer = new FakeConsumer([["a"], ["b"]], { ends: true });
    const h = harness({ consumer, route: drain });
    expect(await h.route.start()).toBe("running");
    expect(await h.route.done).toMatchObject({ outcome: "completed", accounting: { delivered: 2 } });
    expect(h.clock.time).toBe(0);
    expect(h.clock.pending).toBe(0);
  });

  it("of nothing at all completes and is a good start", async () => {
    const h = harness({ consumer: new FakeConsumer([], { ends: true }), route: drain });
    expect(await h.route.start()).toBe("running");
    expect(await h.route.done).toMatchObject({ outcome: "completed", accounting: { received: 0 } });
  });

  it("waits for what is in flight", async () => {
    const gate = deferred();
    const consumer = new FakeConsumer([["a"]], { ends: true });
    const publisher = new FakePublisher(() => gate.promise.then(() => undefined));
    const h = harness({ consumer, publisher, route: { ...drain, concurrency: 2 } });
    await h.route.start();
    await until(() => consumer.asked.length === 2);
    await settled();
    expect(h.route.state).toBe("running");
    gate.resolve();
    expect(await h.route.done).toMatchObject({ outcome: "completed", accounting: { delivered: 1 } });
  });

  it("reads on when something in flight came back after the source had seemed empty", async () => {
    const gate = deferred();
    const consumer = new FakeConsumer([["a"], [], ["a again"]], { ends: true });
    const publisher = new FakePublisher((_, call) => (call === 1 ? gate.promise.then(() => [busy]) : undefined));
    const h = harness({ consumer, publisher, route: { ...drain, concurrency: 2 } });
    await h.route.start();
    await until(() => consumer.asked.length === 2);
    gate.resolve();
    expect(await h.clock.run(h.route.done)).toMatchObject({
      outcome: "completed",
      accounting: { delivered: 1, nacked: 1 },
    });
    expect(publisher.texts).toEqual(["a", "a again"]);
  });

  it("reads on when only a middleware has given something back after the source had seemed empty", async () => {
    const consumer = new FakeConsumer([["a", "b"], [], ["a again"], []], { ends: true });
    let first = true;
    // Gives back at the commit what the sink has taken, as one does that could not store its state.
    const forgetful = middleware({
      input: (inner) => ({
        close: () => inner.close(),
        async receive(max, signal) {
          const delivery = await inner.receive(max, signal);
          if (delivery.batch.length === 0 || !first) return delivery;
          first = false;
          return { batch: delivery.batch, commit: () => delivery.commit([nack(new Error("lost")), ACK]) };
        },
      }),
    });
    const h = harness({
      consumer,
      middlewares: { forgetful },
      route: { ...drain, concurrency: 2, input: { source: {}, middlewares: [{ forgetful: {} }] } },
    });
    expect(await runToEnd(h)).toMatchObject({ outcome: "completed", accounting: { received: 3, inFlight: 0 } });
    expect(h.publisher.texts).toEqual(["a", "b", "a again"]);
    // Not at once: it may give the same ones back each time.
    expect(h.clock.time).toBeGreaterThanOrEqual(10);
  });

  it("pauses before it reads again after a nack, longer each time", async () => {
    const at: number[] = [];
    const consumer = new FakeConsumer(
      Array.from({ length: 5 }, () => ["a"]),
      { ends: true },
    );
    const h = harness({
      consumer,
      publisher: new FakePublisher((_, call) => {
        at.push(h.clock.time);
        return call < 5 ? [busy] : undefined;
      }),
      route: drain,
    });
    expect(await runToEnd(h)).toMatchObject({ outcome: "completed" });
    expect(at).toEqual([0, 10, 30, 70, 150]);
  });

  it("fails with the sink's error when nothing goes through any more", async () => {
    const consumer = new FakeConsumer(
      Array.from({ length: 100 }, () => ["a", "b"]),
      { ends: true },
    );
    const h = harness({ consumer, publisher: new FakePublisher(() => [busy, busy]), route: drain });
    const result = await runToEnd(h);
    expect(result).toMatchObject({
      outcome: "failed",
      error: { message: "busy" },
      accounting: { nacked: 20, inFlight: 0 },
    });
  });

  it("goes on as long as a part of each batch goes through", async () => {
    const consumer = new FakeConsumer(
      Array.from({ length: 30 }, () => ["a", "b"]),
      { ends: true },
    );
    const publisher = new FakePublisher((_, call) => (call <= 30 ? [busy, { type: "accepted" }] : undefined));
    const h = harness({ consumer, publisher, route: drain });
    expect(await runToEnd(h)).toMatchObject({ outcome: "completed", accounting: { delivered: 30, nacked: 30 } });
  });

  it.each([1, 4])(
    "gives up a source that stays before what comes back, also when the sink takes the rest (concurrency %i)",
    async (concurrency) => {
      let tries = 0;
      const consumer = positioned(["good", "good", "bad", "good", "good", "good", "good", "good", "good", "good"]);
      const publisher = new FakePublisher((batch) => {
        const texts = [...batch].map((message) => message.text());
        if (texts.includes("bad")) tries += 1;
        return texts.map((text) => (text === "bad" ? busy : { type: "accepted" }));
      });
      const h = harness({
        consumer,
        publisher,
        input: { commitsInOrder: true },
        route: { ...drain, concurrency, batch_size: 2 },
      });
      expect(await runToEnd(h)).toMatchObject({ outcome: "failed", error: { message: "busy" } });
      expect(tries).toBe(10);
      expect(h.clock.time).toBeGreaterThan(2000);
    },
  );

  it("goes on with such a source as long as its position moves", async () => {
    const consumer = new FakeConsumer(
      Array.from({ length: 30 }, () => ["good", "bad"]),
      { ends: true },
    );
    const publisher = new FakePublisher((_, call) => (call <= 30 ? [{ type: "accepted" }, busy] : undefined));
    const h = harness({ consumer, publisher, input: { commitsInOrder: true }, route: drain });
    expect(await runToEnd(h)).toMatchObject({ outcome: "completed", accounting: { delivered: 30, nacked: 30 } });
  });

  it("hurries sends that wait for company, since none comes", async () => {
    const consumer = new FakeConsumer([["a"]], { ends: true });
    const gate = deferred();
    const publisher = new FakePublisher(() => gate.promise.then(() => undefined));
    publisher.onFlush = () => gate.resolve();
    const h = harness({ consumer, publisher, route: { ...drain, concurrency: 2 } });
    await h.route.start();
    expect(await h.route.done).toMatchObject({ outcome: "completed", accounting: { delivered: 1 } });
  });
});

describe("a drain of a source without an end of its own", () => {
  const endless = { bounded: false };

  it("ends after a second of silence", async () => {
    const consumer = new FakeConsumer([["a"]]);
    const h = harness({ consumer, input: endless, route: drain });
    await h.route.start();
    await h.clock.advance(999);
    expect(h.route.state).toBe("running");
    await h.clock.advance(1);
    expect(await h.route.done).toMatchObject({ outcome: "completed" });
    expect(h.clock.pending).toBe(0);
  });

  it.each([
    ["resolves with nothing", (consumer: FakeConsumer) => consumer.deliver([])],
    ["rejects with the reason", (_: FakeConsumer, signal: AbortSignal) => untilAborted<never>(signal)],
    ["rejects with an abort error of its own", () => Promise.reject(new DOMException("aborted", "AbortError"))],
  ])("ends when the source %s after the silence", async (_, answer) => {
    const consumer: FakeConsumer = new FakeConsumer([
      ["a"],
      async (_max, signal) => {
        await untilAborted(signal).catch(() => {});
        return answer(consumer, signal);
      },
    ]);
    const h = harness({ consumer, input: endless, route: drain });
    await h.route.start();
    await h.clock.advance(1000);
    expect(await h.route.done).toMatchObject({ outcome: "completed" });
  });

  it("does not end while messages keep coming", async () => {
    const gates = [deferred(), deferred()];
    const consumer: FakeConsumer = new FakeConsumer(
      gates.map((gate) => () => gate.promise.then(() => consumer.deliver(["x"]))),
    );
    const h = harness({ consumer, input: endless, route: drain });
    await h.route.start();
    for (const gate of gates) {
      await h.clock.advance(900);
      gate.resolve();
      await settled();
    }
    expect(h.route.state).toBe("running");
    await h.clock.advance(1000);
    expect(await h.route.done).toMatchObject({ outcome: "completed", accounting: { delivered: 2 } });
  });

  it("takes an error in the silence for what it is", async () => {
    const consumer = new FakeConsumer([
      async (_max, signal) => {
        await untilAborted(signal).catch(() => {});
        throw new MqbError("X", "permanent", "gone");
      },
    ]);
    const h = harness({ consumer, input: endless, route: drain });
    await h.route.start();
    await h.clock.advance(1000);
    expect(await h.route.done).toMatchObject({ outcome: "failed", error: { message: "gone" } });
  });
});

describe("a drain of a source that does not heed its signal", () => {
  const deaf = { bounded: false };

  it("ends a second after the silence, and says which source it was", async () => {
    const h = harness({ consumer: new FakeConsumer([["a"], () => never()]), input: deaf, route: drain });
    await h.route.start();
    await h.clock.advance(1999);
    expect(h.route.state).toBe("running");
    await h.clock.advance(1);
    expect(await h.route.done).toMatchObject({ outcome: "completed", accounting: { delivered: 1, inFlight: 0 } });
    expect(h.consumer.closed).toBe(1);
    expect(h.log.at("warn")).toEqual([
      'route r: the input "source" did not answer within 1000 ms after it was told to stop waiting',
    ]);
    expect(h.clock.pending).toBe(0);
  });

  it("is opened again for what came back to it meanwhile", async () => {
    let opened = 0;
    const consumer = () => new FakeConsumer(++opened === 1 ? [["a", "b"], () => never()] : [["b"]]);
    const gate = deferred();
    const publisher = new FakePublisher((_, call) =>
      call === 1 ? gate.promise.then(() => [{ type: "accepted" as const }, busy]) : undefined,
    );
    const h = harness({ consumer, publisher, input: deaf, route: { ...drain, concurrency: 2 } });
    await h.route.start();
    await h.clock.advance(2000);
    gate.resolve();
    const done = await h.clock.run(h.route.done);
    expect(done).toMatchObject({ outcome: "completed", accounting: { delivered: 2, nacked: 1, inFlight: 0 } });
    expect(opened).toBe(2);
  });

  it("leaves no timer behind when it is stopped", async () => {
    const h = harness({ consumer: new FakeConsumer([() => never()]), input: deaf, route: drain });
    await h.route.start();
    await h.clock.advance(500);
    await h.clock.run(h.route.stop());
    expect(h.clock.time).toBe(1500);
    expect(h.clock.pending).toBe(0);
  });
});

describe("a drain whose connection fails", () => {
  const away = new MqbError("X", "connection", "away");

  it("fails at once when nothing was delivered", async () => {
    const h = harness({ consumer: new FakeConsumer([away]), route: drain });
    await h.route.start();
    expect(await h.route.done).toMatchObject({ outcome: "failed", error: away });
    expect(h.clock.time).toBe(0);
  });

  it("fails at once when an end cannot be opened, and the start says why", async () => {
    const consumer = (): never => {
      throw away;
    };
    const h = harness({ consumer, route: drain });
    await expect(h.route.start()).rejects.toBe(away);
    expect(h.route.state).toBe("failed");
    expect(h.clock.time).toBe(0);
  });

  it("reconnects after progress, and then is complete and healthy", async () => {
    let opened = 0;
    const consumer = () =>
      ++opened === 1 ? new FakeConsumer([["a"], away]) : new FakeConsumer([["b"]], { ends: true });
    const h = harness({ consumer, route: drain });
    expect(await runToEnd(h)).toMatchObject({ outcome: "completed", accounting: { delivered: 2 } });
    expect(h.route.status()).toMatchObject({ healthy: true, reconnects: 1 });
    expect(h.route.status()).not.toHaveProperty("error");
  });

  it("gives up after ten reconnects", async () => {
    let opened = 0;
    const consumer = () => new FakeConsumer(++opened === 1 ? [["a"], away] : [away]);
    const h = harness({ consumer, route: drain });
    const result = await runToEnd(h);
    expect(opened).toBe(11);
    expect(result.error).toMatchObject({ code: "MQB_CORE_DRAIN_GAVE_UP", cause: away });
  });
});

describe("a batch that a middleware has emptied", () => {
  it("is not the end of a drain, and is committed in its turn", async () => {
    const gate = deferred();
    const consumer: FakeConsumer = new FakeConsumer(
      [["slow"], () => ({ ...consumer.deliver([]), emptied: true }), ["last"]],
      { ends: true },
    );
    const publisher = new FakePublisher((_, call) => (call === 1 ? gate.promise.then(() => undefined) : undefined));
    const h = harness({ consumer, publisher, input: { commitsInOrder: true }, route: { ...drain, concurrency: 3 } });
    await h.route.start();
    await until(() => publisher.sent.length === 2);
    expect(consumer.commits).toEqual([]);
    gate.resolve();
    expect(await h.route.done).toMatchObject({ outcome: "completed", accounting: { delivered: 2 } });
    expect(consumer.commits.map(({ texts }) => texts.join())).toEqual(["slow", "", "last", ""]);
  });

  it("is committed at once when nothing older is in flight, and costs no pause", async () => {
    const emptied = Array.from({ length: 100 }, () => () => ({ ...consumer.deliver([]), emptied: true }));
    const consumer: FakeConsumer = new FakeConsumer(emptied);
    const h = harness({ consumer });
    await h.route.start();
    await until(() => consumer.commits.length === 100);
    expect(h.clock.time).toBe(0);
    await h.clock.run(h.route.stop());
  });
});
