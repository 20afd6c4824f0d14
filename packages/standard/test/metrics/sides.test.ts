import { CollectingPublisher, FakeScope, fakeContext, messageBatch, ScriptedConsumer } from "@mqb/testkit";
import { expect, it } from "vitest";
import standard, { METRICS, MetricsRegistry } from "../../src/index.ts";
import { NEVER } from "../opened.ts";

const metrics = standard.middlewares!["metrics"]!;

it("the time of a slow sink is the output's, not the input's", async () => {
  const context = fakeContext({ route: "r", scope: new FakeScope() });
  const source = new ScriptedConsumer();
  const sink = new CollectingPublisher();
  const consumer = await metrics.input!(source, {}, context);
  const publisher = await metrics.output!(sink, {}, { ...context, side: "output" });
  for (let batch = 1; batch <= 3; batch++) {
    source.push(messageBatch(10));
    const delivery = await consumer.receive(10, NEVER);
    sink.stall();
    const sent = publisher.send(delivery.batch, NEVER);
    await sink.sent(batch);
    await context.clock.advance(300);
    sink.release();
    await sent;
    await delivery.commit();
  }
  const sides = context.local(METRICS, () => new MetricsRegistry()).list();
  const total = (endpoint: string) => sides.find((side) => side.endpoint === endpoint)!.durations;
  expect(total("input")).toMatchObject({ count: 3, sum: 0 });
  expect(total("output").sum).toBeCloseTo((3 * 0.3) / 10, 6);
});
