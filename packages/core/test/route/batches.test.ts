import { describe, expect, it } from "vitest";
import { FakeConsumer } from "../fakes/consumer.ts";
import { harness, runToEnd } from "../fakes/harness.ts";
import { FakePublisher } from "../fakes/publisher.ts";

const drain = { exit_on_empty: true };

describe("a route", () => {
  it("moves batches as they come, and acks each after the sink has accepted it", async () => {
    const events: string[] = [];
    const consumer = new FakeConsumer([["a", "b"], ["c"]], { ends: true });
    consumer.onCommit = ({ texts }) => void events.push(`commit ${texts}`);
    const publisher = new FakePublisher((batch) => void events.push(`send ${batch.length}`));
    const h = harness({ consumer, publisher, route: drain });
    const result = await runToEnd(h);
    expect(publisher.sent).toEqual([["a", "b"], ["c"]]);
    expect(events).toEqual(["send 2", "commit a,b", "send 1", "commit c", "commit "]);
    expect(consumer.commits.map(({ dispositions }) => dispositions)).toEqual([undefined, undefined, undefined]);
    expect(result).toMatchObject({ outcome: "completed", accounting: { received: 3, delivered: 3, inFlight: 0 } });
    expect([consumer.closed, publisher.closed]).toEqual([1, 1]);
  });

  it("hands the sink the batch of the source itself when nobody looks inside", async () => {
    const consumer = new FakeConsumer([["a"]], { ends: true });
    const delivered = consumer.deliver(["x"]);
    const other = new FakeConsumer([() => delivered], { ends: true });
    let sent: unknown;
    const publisher = new FakePublisher((batch) => {
      sent = batch;
      return undefined;
    });
    await runToEnd(harness({ consumer: other, publisher, route: drain }));
    expect(sent).toBe(delivered.batch);
  });

  it("asks for at most `batch_size` messages", async () => {
    const consumer = new FakeConsumer([["a"]], { ends: true });
    await runToEnd(harness({ consumer, route: { ...drain, batch_size: 7 } }));
    expect(consumer.asked).toEqual([7, 7]);
  });

  it("takes the sink's own batch size unless the user gives one", async () => {
    for (const [route, asked] of [
      [drain, 33],
      [{ ...drain, batch_size: 512 }, 512],
      [drain, 33],
    ] as const) {
      const consumer = new FakeConsumer([], { ends: true });
      await runToEnd(harness({ consumer, output: { defaultBatchSize: 33 }, route }));
      expect(consumer.asked).toEqual([asked]);
    }
  });

  it("takes a huge batch size without preparing for it", async () => {
    const consumer = new FakeConsumer([["a"]], { ends: true });
    // Of this thread alone: others run tests beside it.
    const used = (): number => process.memoryUsage().heapUsed + process.memoryUsage().external;
    const before = used();
    await runToEnd(harness({ consumer, route: { ...drain, batch_size: 100_000_000 } }));
    expect(used() - before).toBeLessThan(50e6);
    expect(consumer.asked[0]).toBe(100_000_000);
  });

  it("waits `empty_batch_delay_ms` after an empty batch, and acks it", async () => {
    const consumer = new FakeConsumer([[], [], ["a"]]);
    const h = harness({ consumer, route: { empty_batch_delay_ms: 50 } });
    await h.route.start();
    await h.clock.advance(49);
    expect(consumer.asked).toHaveLength(1);
    await h.clock.advance(1);
    expect(consumer.asked).toHaveLength(2);
    await h.clock.advance(50);
    expect(h.publisher.texts).toEqual(["a"]);
    expect(consumer.commits.map(({ texts }) => texts.length)).toEqual([0, 0, 1]);
    await h.clock.run(h.route.stop());
  });

  it("goes on reading while an empty batch waits for its turn to commit", async () => {
    const consumer = new FakeConsumer([["slow"], [], ["b"]]);
    const publisher = new FakePublisher((_, call) => (call === 1 ? new Promise(() => {}) : undefined));
    const h = harness({ consumer, publisher, input: { commitsInOrder: true }, route: { concurrency: 2 } });
    await h.route.start();
    await h.clock.advance(10);
    expect(publisher.sent).toEqual([["slow"], ["b"]]);
    expect(consumer.commits).toEqual([]);
    await h.clock.run(h.route.stop());
  });
});
