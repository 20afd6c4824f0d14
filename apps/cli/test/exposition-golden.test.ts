import { readFile } from "node:fs/promises";
import { createBridge, createRegistry } from "@mqb/core";
import { MqbError } from "@mqb/core/plugin";
import standard, { METRICS, MetricsRegistry } from "@mqb/standard";
import { CollectingPublisher, FakeClock, fakePlugin, messageBatch, ScriptedConsumer } from "@mqb/testkit";
import { expect, it } from "vitest";
import { exposition } from "../src/metrics/exposition.ts";

const busy = new MqbError("MQB_TEST_BUSY", "retryable", "busy");
const refused = new MqbError("MQB_TEST_REFUSED", "permanent", "refused");

/** Message 2 comes through at its second attempt, message 3 goes to the dead letters. */
function orders() {
  const sink = new CollectingPublisher();
  sink.failWhen((message) => {
    const again = message.metadata.has("mq_bridge.retry.attempt");
    if (message.text() === "message 2" && !again) return busy;
    return message.text() === "message 3" ? refused : undefined;
  });
  return { source: new ScriptedConsumer(), sink, letters: new CollectingPublisher() };
}

/** The first message is refused, and dropped. */
function plain() {
  const sink = new CollectingPublisher();
  sink.failAt([0], refused);
  return { source: new ScriptedConsumer().push(messageBatch(2)).pushEmpty(), sink };
}

it("the exported metrics of a run are these, to the letter", async () => {
  const clock = new FakeClock();
  const [{ source, sink, letters }, other] = [orders(), plain()];
  const fakes = fakePlugin({
    source: { consumer: source },
    sink: { publisher: sink },
    letters: { publisher: letters },
    other_source: { consumer: other.source },
    other_sink: { publisher: other.sink },
  });
  const bridge = createBridge({ registry: createRegistry([standard, fakes]), clock });
  const route = bridge.route("orders", {
    exit_on_empty: true,
    input: { source: {}, middlewares: [{ metrics: {} }] },
    output: { sink: {}, middlewares: [{ metrics: {} }, { retry: {} }, { dlq: { endpoint: { letters: {} } } }] },
  });
  const quoted = bridge.route('"quoted"\\\n', {
    exit_on_empty: true,
    input: { other_source: {} },
    output: { other_sink: {} },
  });
  source
    .push(messageBatch(5))
    .push(messageBatch(3, { from: 5 }))
    .pushEmpty();
  await clock.runUntil(bridge.start());
  await clock.runUntil(Promise.all([route.done, quoted.done]));

  const registry = bridge.local(METRICS, () => new MetricsRegistry());
  const metrics = exposition({
    version: "1.2.3",
    routes: bridge.status(),
    sides: registry.list(),
    retries: (name) => registry.retries(name),
    now: clock.monotonic(),
  });
  expect(await metrics.metrics()).toBe(await readFile(new URL("golden/metrics.txt", import.meta.url), "utf8"));
});
