import { describe, expect, it } from "vitest";
import { MqbError } from "../../src/errors/mqb-error.ts";
import { FakeConsumer } from "../fakes/consumer.ts";
import { deferred } from "../fakes/deferred.ts";
import { harness, runToEnd } from "../fakes/harness.ts";
import { FakePublisher } from "../fakes/publisher.ts";
import { settled, until } from "../fakes/until.ts";

describe("a flush", () => {
  it("is made once at the end of a drain, after the last commit", async () => {
    const events: string[] = [];
    const consumer = new FakeConsumer([["a"]], { ends: true });
    consumer.onCommit = ({ texts }) => void events.push(`commit ${texts}`);
    const h = harness({ consumer, route: { exit_on_empty: true } });
    h.publisher.onFlush = () => void events.push("flush");
    await runToEnd(h);
    expect(events).toEqual(["commit a", "commit ", "flush"]);
  });

  it("that fails, fails the route: what was acked may be lost", async () => {
    const cause = new MqbError("MQB_DISK", "connection", "disk full");
    for (const stop of [false, true]) {
      const h = harness({ consumer: new FakeConsumer([["a"]], { ends: !stop }), route: { exit_on_empty: !stop } });
      h.publisher.onFlush = () => Promise.reject(cause);
      await h.route.start();
      if (stop) await settled();
      const result = await (stop ? h.route.stop() : h.route.done);
      expect(result).toMatchObject({ outcome: "failed", error: { code: "MQB_CORE_FLUSH_FAILED", cause } });
      expect(h.route.status().error).toContain(
        "could not be flushed, so the last messages may not be durable: disk full",
      );
    }
  });

  it("is not made after a failure", async () => {
    const h = harness({ consumer: new FakeConsumer([new MqbError("X", "permanent", "no")]) });
    await h.route.start();
    await h.route.done;
    expect(h.publisher.flushed).toBe(0);
  });

  it("is not needed: a sink may have none", async () => {
    const publisher = { send: async () => undefined, close: async () => {} };
    const h = harness({ consumer: new FakeConsumer([], { ends: true }), publisher, route: { exit_on_empty: true } });
    expect(await runToEnd(h)).toMatchObject({ outcome: "completed" });
  });
});

describe("sends that wait for company", () => {
  it("are hurried when the route stops, also those that begin after that", async () => {
    const waiting: (() => void)[] = [];
    const publisher = new FakePublisher(
      () => new Promise<undefined>((resolve) => waiting.push(() => resolve(undefined))),
    );
    publisher.onFlush = () => {
      for (const go of waiting.splice(0)) go();
    };
    const handled = deferred();
    const h = harness({
      consumer: new FakeConsumer([["a"], ["b"]]),
      publisher,
      route: { concurrency: 2 },
      run: {
        handler: async (message) => {
          if (message.text() === "b") await handled.promise;
          return message;
        },
      },
    });
    await h.route.start();
    await until(() => waiting.length === 1);
    const stopped = h.route.stop();
    await settled();
    handled.resolve();
    expect(await stopped).toMatchObject({ outcome: "stopped", accounting: { delivered: 2 } });
    expect(h.clock.time).toBe(0);
  });

  it("may fail to be hurried: then their own failure tells", async () => {
    const gate = deferred();
    const publisher = new FakePublisher(() => gate.promise.then(() => undefined));
    publisher.onFlush = () => {
      if (publisher.flushed === 1) throw new Error("not now");
    };
    const h = harness({ consumer: new FakeConsumer([["a"]]), publisher });
    await h.route.start();
    await until(() => publisher.running === 1);
    const stopped = h.route.stop();
    await settled();
    gate.resolve();
    expect(await stopped).toMatchObject({ outcome: "stopped", accounting: { delivered: 1 } });
  });
});
