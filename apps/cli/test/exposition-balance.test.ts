import { createBridge, createRegistry } from "@mqb/core";
import { Message, MqbError } from "@mqb/core/plugin";
import expression from "@mqb/expression";
import standard, { METRICS, MetricsRegistry } from "@mqb/standard";
import { CollectingPublisher, FakeClock, fakePlugin, ScriptedConsumer } from "@mqb/testkit";
import { expect, it } from "vitest";
import { exposition } from "../src/metrics/exposition.ts";

const busy = new MqbError("MQB_TEST_BUSY", "retryable", "busy");
const refused = new MqbError("MQB_TEST_REFUSED", "permanent", "refused");
const USERS = 2_000;
const BATCH = 100;

/** The values of a series over all of its labels. */
function total(text: string, name: string): number {
  return [...text.matchAll(new RegExp(`^${name}\\{.*\\} (\\S+)$`, "gm"))].reduce(
    (sum, [, value]) => sum + Number(value),
    0,
  );
}

it("received is what has a fate and what is in flight, at every scrape, and no value of a message becomes a series", async () => {
  const clock = new FakeClock();
  const [source, sink] = [new ScriptedConsumer(), new CollectingPublisher()];
  const endpoints = fakePlugin({ source: { consumer: source }, sink: { publisher: sink } });
  const bridge = createBridge({ registry: createRegistry([standard, expression, endpoints]), clock });
  const registry = bridge.local(METRICS, () => new MetricsRegistry());
  const scrape = (): Promise<string> =>
    exposition({
      version: "1",
      routes: bridge.status(),
      sides: registry.list(),
      retries: (route) => registry.retries(route),
      now: clock.monotonic(),
    }).metrics();
  const scraping: Promise<string>[] = [];
  // Of a hundred messages one is filtered, five are refused, two are sent a second time.
  sink.failWhen(({ payload, metadata }, index) => {
    if (index === 0) scraping.push(scrape());
    const n = Number(Buffer.from(payload).toString().replace(/\D/g, ""));
    if (n % 100 < 5) return refused;
    return n % 100 > 97 && !metadata.has("mq_bridge.retry.attempt") ? busy : undefined;
  });
  const route = bridge.route("r", {
    exit_on_empty: true,
    batch_size: BATCH,
    input: { source: {}, middlewares: [{ metrics: {} }, { filter: "n % 100 != 50" }] },
    output: { sink: {}, middlewares: [{ metrics: {} }, { retry: {} }] },
  });
  for (let from = 0; from < USERS; from += BATCH) {
    source.push(
      Array.from(
        { length: BATCH },
        (_, i) => new Message(`{"n":${from + i}}`, new Map([["user", `user ${from + i}`]])),
      ),
    );
  }
  source.pushEmpty();
  await clock.runUntil(route.start());
  await clock.runUntil(route.done);
  scraping.push(scrape());

  const scrapes = await Promise.all(scraping);
  expect(scrapes.length).toBeGreaterThan(USERS / BATCH);
  for (const text of scrapes) {
    expect(total(text, "mqb_route_messages_total") + total(text, "mqb_route_in_flight_messages")).toBe(
      total(text, "mqb_route_received_total"),
    );
  }
  const [, early] = scrapes;
  const late = scrapes.at(-1)!;
  expect(late.split("\n").length).toBe(early!.split("\n").length + (early!.includes("mqb_route_drops_total{") ? 0 : 4));
  expect(late).not.toContain("user");
  expect(total(late, "mqb_route_drops_total")).toBe(USERS / 20);
  expect(total(late, "mqb_route_retries_total")).toBe(USERS / 50);
  expect(late).toContain(`mqb_route_messages_total{route="r",fate="filtered"} ${USERS / 100}`);
});
