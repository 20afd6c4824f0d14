import { describe, expect, it } from "vitest";
import { failed } from "../../src/contract/disposition.ts";
import { MqbError } from "../../src/errors/mqb-error.ts";
import type { MessageBatch } from "../../src/message/batch.ts";
import { FakeConsumer } from "../fakes/consumer.ts";
import { type Deferred, deferred } from "../fakes/deferred.ts";
import { harness } from "../fakes/harness.ts";
import { FakePublisher } from "../fakes/publisher.ts";
import { settled, until } from "../fakes/until.ts";

function gated(count: number, first: string | undefined = undefined) {
  const gates: Deferred<void>[] = Array.from({ length: count }, () => deferred());
  const consumer = new FakeConsumer(gates.map((_, i) => [first && i === 0 ? first : String(i)]));
  const publisher = new FakePublisher((batch, call) =>
    gates[call - 1]!.promise.then(() =>
      batch.at(0).text() === "bad" ? [failed(new MqbError("X", "retryable", "no"))] : undefined,
    ),
  );
  return { gates, consumer, publisher };
}
const route = { concurrency: 4 };

describe("commits", () => {
  it("of a source that needs it are made one at a time in the order of receipt", async () => {
    const { gates, consumer, publisher } = gated(3);
    const committing = deferred();
    consumer.onCommit = ({ texts }) => (texts[0] === "0" ? committing.promise : undefined);
    const h = harness({ consumer, publisher, input: { commitsInOrder: true }, route });
    await h.route.start();
    await until(() => publisher.running === 3);
    gates[2]!.resolve();
    gates[1]!.resolve();
    await settled();
    expect(consumer.commits).toEqual([]);
    gates[0]!.resolve();
    await settled();
    expect(consumer.acked).toEqual(["0"]);
    committing.resolve();
    await until(() => consumer.acked.length === 3);
    expect(consumer.acked).toEqual(["0", "1", "2"]);
    await h.clock.run(h.route.stop());
  });

  it("of other sources are made as soon as the sink has answered", async () => {
    const { gates, consumer, publisher } = gated(3);
    const h = harness({ consumer, publisher, input: { commitsInOrder: false }, route });
    await h.route.start();
    await until(() => publisher.running === 3);
    gates[2]!.resolve();
    await until(() => consumer.acked.length === 1);
    gates[0]!.resolve();
    await until(() => consumer.acked.length === 2);
    expect(consumer.acked).toEqual(["2", "0"]);
    gates[1]!.resolve();
    await h.clock.run(h.route.stop());
  });

  it("never overtake a nack", async () => {
    const { gates, consumer, publisher } = gated(3, "bad");
    const h = harness({ consumer, publisher, input: { commitsInOrder: true }, route });
    await h.route.start();
    await until(() => publisher.running === 3);
    gates[1]!.resolve();
    gates[2]!.resolve();
    await settled();
    expect(consumer.commits).toEqual([]);
    gates[0]!.resolve();
    await until(() => consumer.commits.length === 3);
    expect(consumer.commits.map(({ texts, dispositions }) => [texts[0], dispositions?.[0]?.type])).toEqual([
      ["bad", "nack"],
      ["1", undefined],
      ["2", undefined],
    ]);
    await h.clock.run(h.route.stop());
  });

  it("behind one that failed are not made, since a later position would cover it", async () => {
    const { gates, consumer, publisher } = gated(3);
    consumer.onCommit = ({ texts }) => {
      if (texts[0] === "0") throw new Error("lost the coordinator");
    };
    const h = harness({ consumer, publisher, input: { commitsInOrder: true }, route });
    await h.route.start();
    await until(() => publisher.running === 3);
    gates[2]!.resolve();
    gates[1]!.resolve();
    gates[0]!.resolve();
    await until(() => h.route.state === "reconnecting");
    expect(consumer.commits.map(({ texts }) => texts)).toEqual([["0"]]);
    await h.clock.run(h.route.stop());
  });

  it("of several batches of an unordered source may run at the same time", async () => {
    const consumer = new FakeConsumer([["a"], ["b"], ["c"]]);
    const gate = deferred();
    consumer.onCommit = () => gate.promise;
    const h = harness({ consumer, input: { commitsInOrder: false } });
    await h.route.start();
    await until(() => consumer.commits.length === 3);
    gate.resolve();
    await h.clock.run(h.route.stop());
  });
});

describe("sends", () => {
  it("to a sink that needs it are made one at a time in the order of receipt", async () => {
    const consumer = new FakeConsumer([["0"], ["1"], ["2"], ["3"]], { ends: true });
    const gates = [deferred(), deferred()];
    const publisher = new FakePublisher((_, call) => gates[call - 1]?.promise.then(() => undefined));
    const handled: string[] = [];
    const slow = deferred();
    const h = harness({
      consumer,
      publisher,
      output: { orderedPublish: true },
      route: { ...route, exit_on_empty: true },
      run: {
        handler: async (message) => {
          if (message.text() === "0") await slow.promise;
          handled.push(message.text());
          return message;
        },
      },
    });
    await h.route.start();
    await until(() => handled.length === 3);
    await settled();
    expect(publisher.sent).toEqual([]);
    slow.resolve();
    await until(() => publisher.sent.length === 1);
    await settled();
    expect(publisher.sent).toEqual([["0"]]);
    for (const gate of gates) gate.resolve();
    await h.clock.run(h.route.done);
    expect(publisher.sent).toEqual([["0"], ["1"], ["2"], ["3"]]);
    expect(publisher.mostRunning).toBe(1);
  });

  it("that wait for their turn are told of beforehand, in order, and the one that need not wait is not", async () => {
    const gate = deferred();
    const seen: string[] = [];
    class Preparing extends FakePublisher {
      willSend(batch: MessageBatch): void {
        seen.push(`willSend ${batch.at(0).text()}`);
      }
    }
    const publisher = new Preparing(async (batch, call) => {
      seen.push(`send ${batch.at(0).text()}`);
      if (call === 1) await gate.promise;
      return undefined;
    });
    const consumer = new FakeConsumer([["0"], ["1"], ["2"]], { ends: true });
    const h = harness({
      consumer,
      publisher,
      output: { orderedPublish: true },
      route: { ...route, exit_on_empty: true },
    });
    await h.route.start();
    await until(() => seen.length === 3);
    expect(seen).toEqual(["send 0", "willSend 1", "willSend 2"]);
    gate.resolve();
    await h.clock.run(h.route.done);
    expect(seen.slice(3)).toEqual(["send 1", "send 2"]);
  });

  it("go on in turn behind batches that are empty, emptied, acked by the handler, or failed", async () => {
    const consumer = new FakeConsumer([
      ["fails"],
      () => consumer.deliver([]),
      () => ({ ...consumer.deliver([]), emptied: true }),
      ["skip"],
      ["throws"],
      ["last"],
    ]);
    const publisher = new FakePublisher((batch) => {
      if (batch.at(0).text() === "fails") throw new MqbError("X", "permanent", "no");
      return undefined;
    });
    const h = harness({
      consumer,
      publisher,
      input: { commitsInOrder: true },
      output: { orderedPublish: true },
      route: { ...route, empty_batch_delay_ms: 0 },
      run: {
        handler: (message) => {
          if (message.text() === "throws") throw new MqbError("X", "permanent", "no");
          return message.text() === "skip" ? undefined : message;
        },
      },
    });
    await h.route.start();
    await h.clock.advance(100);
    await until(() => consumer.commits.length === 6);
    expect(publisher.sent).toEqual([["fails"], ["last"]]);
    expect(consumer.commits.map(({ texts }) => texts.join())).toEqual(["fails", "", "", "skip", "throws", "last"]);
    await h.clock.run(h.route.stop());
  });

  it("to other sinks overtake each other", async () => {
    const { gates, consumer, publisher } = gated(2);
    const h = harness({ consumer, publisher, route });
    await h.route.start();
    await until(() => publisher.running === 2);
    for (const gate of gates) gate.resolve();
    await h.clock.run(h.route.stop());
    expect(publisher.mostRunning).toBe(2);
  });

  it("stop after the sink has failed: nothing younger goes ahead of what comes back", async () => {
    const gate = deferred();
    const consumer = new FakeConsumer([["0"], ["1"], ["2"]]);
    const publisher = new FakePublisher(async () => {
      await gate.promise;
      throw new MqbError("X", "connection", "gone");
    });
    const h = harness({ consumer, publisher, output: { orderedPublish: true }, route });
    await h.route.start();
    await until(() => consumer.asked.length === 4);
    gate.resolve();
    await until(() => h.route.state === "reconnecting");
    expect(publisher.sent).toEqual([["0"]]);
    expect(consumer.nacked).toEqual(["0", "1", "2"]);
    await h.clock.run(h.route.stop());
  });

  it("go on after the source has failed or ended", async () => {
    for (const kind of ["connection", "end"] as const) {
      const gate = deferred();
      const consumer = new FakeConsumer([["0"], ["1"], new MqbError("X", kind, "over")]);
      const publisher = new FakePublisher((_, call) => (call === 1 ? gate.promise.then(() => undefined) : undefined));
      const h = harness({ consumer, publisher, output: { orderedPublish: true }, route });
      await h.route.start();
      await until(() => consumer.asked.length === 3);
      await settled();
      gate.resolve();
      await until(() => consumer.acked.length === 2);
      expect(publisher.texts).toEqual(["0", "1"]);
      await h.clock.run(h.route.stop());
    }
  });
});
