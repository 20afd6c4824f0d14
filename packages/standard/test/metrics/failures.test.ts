import { codeOf } from "@mqb/core/plugin";
import { CollectingPublisher, FakeScope, fakeContext, messageBatch, ScriptedConsumer } from "@mqb/testkit";
import { expect, it } from "vitest";
import standard, { METRICS, MetricsRegistry } from "../../src/index.ts";
import { retrySchema } from "../../src/retry/config.ts";
import { busy, cut, rejected } from "../failures.ts";
import { NEVER } from "../opened.ts";

const { metrics, retry } = standard.middlewares!;

function setUp() {
  const context = fakeContext({ route: "r", scope: new FakeScope() });
  const registry = context.local(METRICS, () => new MetricsRegistry());
  return { context, registry };
}

const failures = (registry: MetricsRegistry) =>
  Object.fromEntries([...registry.list()[0]!.failures].filter(([, count]) => count > 0));

it("counts the messages that a sink did not take, by the kind of the error", async () => {
  const { context, registry } = setUp();
  const sink = new CollectingPublisher();
  const publisher = await metrics!.output!(sink, {}, { ...context, side: "output" });
  sink.failWhen((_, index) => [busy, rejected, undefined, rejected, new Error("unknown")][index]);
  await publisher.send(messageBatch(5), NEVER);
  sink.rejectNext(cut);
  await publisher.send(messageBatch(3), NEVER).catch(codeOf);
  expect(failures(registry)).toEqual({ retryable: 2, permanent: 2, connection: 3 });
  expect(registry.list()[0]).toMatchObject({ processed: 1, bytes: "message 2".length, inFlight: 0 });
});

it("counts reads and commits that failed, and not a wait that was told to end", async () => {
  const { context, registry } = setUp();
  const source = new ScriptedConsumer();
  const consumer = await metrics!.input!(source, {}, context);
  source.pushError(cut);
  await expect(consumer.receive(1, NEVER)).rejects.toBe(cut);
  source.push(messageBatch(1));
  const delivery = await consumer.receive(1, NEVER);
  source.failNextCommit(new Error("lost"));
  await expect(delivery.commit()).rejects.toThrow("lost");
  source.pushError(new Error("told to end"));
  await expect(consumer.receive(1, AbortSignal.abort())).rejects.toThrow("told to end");
  expect(failures(registry)).toEqual({ connection: 2 });
});

it("counts what a retry sends again, also without the metrics middleware", async () => {
  const { context, registry } = setUp();
  const sink = new CollectingPublisher();
  const publisher = await retry!.output!(sink, retrySchema.parse({ max_attempts: 4 }), context);
  let sends = 0;
  sink.failWhen((_, index, batch) =>
    batch.length === 4 ? (index > 0 ? busy : undefined) : ++sends === 1 ? busy : undefined,
  );
  await context.clock.runUntil(publisher.send(messageBatch(4), NEVER));
  // Three of them, and one of these once more.
  expect([registry.retries("r"), registry.retries("another")]).toEqual([4, 0]);
  expect(registry.list()).toEqual([]);
});
