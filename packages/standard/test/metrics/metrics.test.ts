import { failed } from "@mqb/core/plugin";
import { CollectingPublisher, FakeScope, fakeContext, messageBatch, ScriptedConsumer } from "@mqb/testkit";
import { expect, it } from "vitest";
import standard, { METRICS, MetricsRegistry } from "../../src/index.ts";
import { busy } from "../failures.ts";
import { NEVER } from "../opened.ts";

const metrics = standard.middlewares!["metrics"]!;

function setUp(route = "r", scope = new FakeScope()) {
  const context = fakeContext({ route, scope });
  const registry = context.local(METRICS, () => new MetricsRegistry());
  return { context, registry, scope };
}

it("counts what is received, with the time that was waited for it", async () => {
  const { context, registry } = setUp();
  const source = new ScriptedConsumer();
  const consumer = await metrics.input!(source, {}, context);
  const received = consumer.receive(10, NEVER);
  await context.clock.advance(2_000);
  source.push(messageBatch(4));
  await received;
  source.pushEmpty();
  await consumer.receive(10, NEVER);
  const [side, ...others] = registry.list();
  expect(others).toEqual([]);
  expect(side).toMatchObject({ route: "r", endpoint: "input", processed: 4, durations: { count: 1, sum: 0.5 } });
});

it("counts what is sent without an error, once per batch", async () => {
  const { context, registry } = setUp();
  const sink = new CollectingPublisher();
  const publisher = await metrics.output!(sink, {}, { ...context, side: "output" });
  sink.stall();
  const sent = publisher.send(messageBatch(10), NEVER);
  await sink.sent(1);
  await context.clock.advance(5_000);
  sink.failAt([3, 4], busy);
  sink.release();
  await sent;
  const [side] = registry.list();
  expect(side).toMatchObject({ endpoint: "output", processed: 8, durations: { count: 1, sum: 0.5 } });
});

it("counts nothing of a batch that fails as a whole", async () => {
  const { context, registry } = setUp();
  const sink = new CollectingPublisher();
  const publisher = await metrics.output!(sink, {}, context);
  sink.failWhen(() => busy);
  expect(await publisher.send(messageBatch(1), NEVER)).toEqual([failed(busy)]);
  sink.rejectNext(busy);
  await expect(publisher.send(messageBatch(1), NEVER)).rejects.toBe(busy);
  expect(registry.list()[0]).toMatchObject({ processed: 0, durations: { count: 0 } });
});

it("keeps the counts of routes and sides apart, in one registry per bridge, across reconnects", async () => {
  const one = setUp("one");
  const two = setUp("two", one.scope);
  for (const { context } of [one, two, one]) {
    const source = new ScriptedConsumer().push(messageBatch(1));
    await (await metrics.input!(source, {}, context)).receive(1, NEVER);
  }
  expect(one.registry).toBe(two.registry);
  expect(one.registry.list().map(({ route, endpoint, processed }) => [route, endpoint, processed])).toEqual([
    ["one", "input", 2],
    ["two", "input", 1],
  ]);
});

it("arms no timer", async () => {
  const { context } = setUp();
  const publisher = await metrics.output!(new CollectingPublisher(), {}, context);
  for (let i = 0; i < 100; i++) await publisher.send(messageBatch(10), NEVER);
  expect(context.clock.armed).toBe(0);
});
