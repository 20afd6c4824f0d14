import { ACK, NACK } from "@mqb/core/plugin";
import { CollectingPublisher, FakeScope, fakeContext, messageBatch, ScriptedConsumer } from "@mqb/testkit";
import { expect, it } from "vitest";
import standard, { METRICS, MetricsRegistry } from "../../src/index.ts";
import { NEVER } from "../opened.ts";

const metrics = standard.middlewares!["metrics"]!;

async function opened() {
  const context = fakeContext({ route: "r", scope: new FakeScope() });
  const source = new ScriptedConsumer();
  const consumer = await metrics.input!(source, {}, context);
  const side = context.local(METRICS, () => new MetricsRegistry()).of("r", "input");
  const take = (count: number) => {
    source.push(messageBatch(count));
    return consumer.receive(count, NEVER);
  };
  return { context, source, consumer, side, take };
}

it("follows batches from their receipt to their commit, in any order", async () => {
  const { context, side, take } = await opened();
  const first = await take(2);
  await context.clock.advance(1_000);
  const second = await take(3);
  await context.clock.advance(500);
  expect([side.inFlight, side.oldest(context.clock.monotonic())]).toEqual([5, 1_500]);
  await second.commit();
  expect([side.inFlight, side.oldest(context.clock.monotonic())]).toEqual([2, 1_500]);
  await context.clock.advance(500);
  await first.commit([ACK, NACK]);
  expect([side.inFlight, side.oldest(context.clock.monotonic())]).toEqual([0, 0]);
  expect(side.commits).toMatchObject({ count: 2, sum: 2.5 });
});

it("waits for nothing that is the source's again", async () => {
  const { context, consumer, side, take } = await opened();
  const late = await take(2);
  await consumer.close();
  expect([side.inFlight, side.oldest(context.clock.monotonic())]).toEqual([0, 0]);
  await late.commit();
  expect(side.inFlight).toBe(0);
});

it("passes dispositions and a batch that was emptied on", async () => {
  const { source, consumer, take } = await opened();
  await (await take(1)).commit([NACK]);
  expect(source.commits[0]!.dispositions).toEqual([NACK]);
  source.pushEmpty(true);
  expect((await consumer.receive(1, NEVER)).emptied).toBe(true);
});

it("tells how many messages a sink has not answered for", async () => {
  const context = fakeContext({ route: "r", scope: new FakeScope() });
  const sink = new CollectingPublisher();
  const publisher = await metrics.output!(sink, {}, { ...context, side: "output" });
  const side = context.local(METRICS, () => new MetricsRegistry()).of("r", "output");
  sink.stall();
  const sending = [publisher.send(messageBatch(2), NEVER), publisher.send(messageBatch(3), NEVER)];
  await sink.sent(2);
  expect(side.inFlight).toBe(5);
  sink.release();
  await Promise.all(sending);
  expect([side.inFlight, side.bytes]).toEqual([0, 5 * "message 0".length]);
});
