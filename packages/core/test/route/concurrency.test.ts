import { describe, expect, it } from "vitest";
import { FakeConsumer } from "../fakes/consumer.ts";
import { deferred } from "../fakes/deferred.ts";
import { harness } from "../fakes/harness.ts";
import { FakePublisher } from "../fakes/publisher.ts";
import { settled, until } from "../fakes/until.ts";

describe("concurrency", () => {
  it.each([[1], [3]])("of %i is how many batches are at the sink at the same time", async (concurrency) => {
    const gates = Array.from({ length: 6 }, () => deferred());
    const consumer = new FakeConsumer(gates.map((_, i) => [String(i)]));
    const publisher = new FakePublisher((_, call) => gates[call - 1]!.promise.then(() => undefined));
    const { route, clock } = harness({ consumer, publisher, route: { concurrency } });
    await route.start();
    await until(() => publisher.running === concurrency);
    await settled();
    expect(publisher.running).toBe(concurrency);
    // The source is asked only when there is room, so that the wait for the sink is not the source's.
    expect(consumer.asked).toHaveLength(concurrency);
    gates[0]!.resolve();
    await until(() => publisher.sent.length === concurrency + 1);
    for (const gate of gates) gate.resolve();
    await until(() => consumer.acked.length === 6);
    expect(publisher.mostRunning).toBe(concurrency);
    await clock.run(route.stop());
  });

  it("frees the worker when the sink has answered, not when the source has taken the commit", async () => {
    const consumer = new FakeConsumer([["a"], ["b"], ["c"]]);
    const commits = deferred();
    consumer.onCommit = () => commits.promise;
    const h = harness({ consumer });
    await h.route.start();
    await until(() => h.publisher.texts.length === 3);
    expect(h.route.status().inFlight).toEqual({ batches: 3, bytes: 3 });
    commits.resolve();
    await h.clock.run(h.route.stop());
    expect(consumer.acked).toEqual(["a", "b", "c"]);
  });
});

it("lets every send under way listen to the signal, without a warning of Node that there are many", async () => {
  const warnings: Error[] = [];
  const warned = (warning: Error): void => void warnings.push(warning);
  process.on("warning", warned);
  const gate = deferred();
  const consumer = new FakeConsumer(Array.from({ length: 12 }, (_, n) => [String(n)]));
  const publisher = new FakePublisher((_batch, _call, signal) => {
    signal.addEventListener("abort", () => {}, { once: true });
    return gate.promise.then(() => undefined);
  });
  const { route, clock } = harness({ consumer, publisher, route: { concurrency: 12 } });
  await route.start();
  await until(() => publisher.running === 12);
  gate.resolve();
  await until(() => consumer.acked.length === 12);
  await clock.run(route.stop());
  process.off("warning", warned);
  expect(warnings).toEqual([]);
});

describe("commit_concurrency_limit", () => {
  it("stops reading while that many batches wait for their commit", async () => {
    const gates = Array.from({ length: 5 }, () => deferred());
    const consumer = new FakeConsumer(gates.map((_, i) => [String(i)]));
    consumer.onCommit = ({ texts }) => gates[Number(texts[0])]!.promise;
    const { route, clock, publisher } = harness({ consumer, route: { commit_concurrency_limit: 2 } });
    await route.start();
    await until(() => publisher.sent.length === 2);
    await settled();
    expect(consumer.asked).toHaveLength(2);
    gates[1]!.resolve();
    await until(() => publisher.sent.length === 3);
    await settled();
    expect(consumer.asked).toHaveLength(3);
    for (const gate of gates) gate.resolve();
    await until(() => publisher.sent.length === 5);
    await clock.run(route.stop());
  });

  it("counts empty batches that wait for their turn, so that an idle source does not pile them up", async () => {
    const consumer = new FakeConsumer([["slow"]], { ends: true });
    const publisher = new FakePublisher(() => new Promise(() => {}));
    const { route, clock } = harness({
      consumer,
      publisher,
      input: { commitsInOrder: true },
      route: { concurrency: 2, commit_concurrency_limit: 5 },
    });
    await route.start();
    await clock.advance(10_000);
    expect(consumer.asked).toHaveLength(6);
    await clock.run(route.stop());
  });
});

describe("max_in_flight_bytes", () => {
  it("stops reading while that many payload bytes are not settled", async () => {
    const gates = Array.from({ length: 4 }, () => deferred());
    const consumer = new FakeConsumer([["12345"], ["12345"], ["1"], ["1"]]);
    const publisher = new FakePublisher((_, call) => gates[call - 1]!.promise.then(() => undefined));
    const { route, clock } = harness({ consumer, publisher, route: { concurrency: 10, max_in_flight_bytes: 10 } });
    await route.start();
    await until(() => publisher.running === 2);
    await settled();
    expect(publisher.running).toBe(2);
    expect(route.status().inFlight).toEqual({ batches: 2, bytes: 10 });
    gates[1]!.resolve();
    await until(() => publisher.sent.length === 4);
    for (const gate of gates) gate.resolve();
    await until(() => consumer.acked.length === 4);
    expect(route.status().inFlight).toEqual({ batches: 0, bytes: 0 });
    await clock.run(route.stop());
  });

  it("lets a batch through that is larger than all of it", async () => {
    const consumer = new FakeConsumer([["123456789"], ["b"]], { ends: true });
    const h = harness({ consumer, route: { max_in_flight_bytes: 1, exit_on_empty: true } });
    await h.route.start();
    await h.clock.run(h.route.done);
    expect(h.publisher.texts).toEqual(["123456789", "b"]);
  });
});
