import { createBridge, createRegistry, type RouteResult } from "@mqb/core";
import { describeError } from "@mqb/core/plugin";
import standard from "@mqb/standard";
import { eventually, FaultProxy } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import plugin from "../src/index.ts";
import { createTopic, foreign, produce, withAdmin } from "./admin.ts";
import { AdvertisingProxy } from "./advertising-proxy.ts";
import { rawBatches } from "./raw-batches.ts";
import { readAll } from "./records.ts";
import { addressOf, freshName, KAFKA_URL, withKafka } from "./server.ts";

const LONG = { timeout: 90_000 };
const COUNT = 3000;
const QUICK = [
  ["heartbeat.interval.ms", "200"],
  ["session.timeout.ms", "6000"],
  ["fetch.wait.max.ms", "50"],
];

async function topics(): Promise<{ readonly from: string; readonly to: string }> {
  const [from, to] = [freshName("from"), freshName("to")];
  await createTopic(from, { numPartitions: 3 });
  await createTopic(to, { numPartitions: 2 });
  const messages = Array.from({ length: COUNT }, (_, n) => ({ key: `${n}`, value: `${n}` }));
  await produce(from, messages);
  return { from, to };
}

function routeOf({ from, to }: { readonly from: string; readonly to: string }, url: string, more: object = {}): object {
  return {
    batch_size: 100,
    reconnect_interval_ms: 50,
    startup_timeout_ms: 20_000,
    input: { kafka: { url, topic: from, group_id: from, consumer_options: QUICK } },
    output: { kafka: { url, topic: to, transactional_id: from } },
    ...more,
  };
}

const bridge = () => createBridge({ registry: createRegistry([plugin, standard]) });

async function run(config: object): Promise<RouteResult> {
  const route = bridge().route("r", config);
  await route.start();
  return route.done;
}

/** What somebody sees who reads committed records only. */
async function seenIn(topic: string): Promise<number[]> {
  return (await readAll(topic)).map(({ message }) => Number(message.value!.toString())).sort((a, b) => a - b);
}

async function committed(group: string): Promise<number> {
  const [found] = await withAdmin((admin) => admin.fetchOffsets({ groupId: group }));
  return (found?.partitions ?? []).reduce((sum, { offset }) => sum + Math.max(0, Number(offset)), 0);
}

const ALL = Array.from({ length: COUNT }, (_, n) => n);

await withKafka(() => {
  describe("a route from kafka to kafka with a transactional_id", () => {
    it("writes records and offsets in transactions, each message once", LONG, async () => {
      const names = await topics();
      const result = await run(
        routeOf(names, KAFKA_URL, { exit_on_empty: true, required_delivery: "effectively_once" }),
      );
      expect(result.outcome, describeError(result.error)).toBe("completed");
      expect(await seenIn(names.to)).toEqual(ALL);
      expect(await committed(names.from)).toBe(COUNT);
      const batches = await rawBatches(names.to);
      expect(batches.every((batch) => batch.transactional && batch.has_producer_id)).toBe(true);
    });

    it("loses nothing and repeats nothing when it is cut off again and again", LONG, async () => {
      const names = await topics();
      const advertising = await AdvertisingProxy.to(addressOf(KAFKA_URL));
      await using proxy = await FaultProxy.to(advertising.address);
      advertising.advertise(proxy.address.port);
      const url = `${proxy.address.host}:${proxy.address.port}`;
      const route = bridge().route("r", routeOf(names, url, { concurrency: 3, batch_size: 20 }));
      await route.start();
      for (let cuts = 0; cuts < 12; cuts++) {
        const before = await committed(names.from).catch(() => 0);
        if (before === COUNT) break;
        await eventually(
          async () => (await committed(names.from).catch(() => 0)) !== before,
          "some transactions",
          30_000,
        );
        proxy.cut();
      }
      await eventually(async () => (await committed(names.from)) === COUNT, "everything to be committed", 60_000);
      await route.stop();
      advertising.close();
      expect(await seenIn(names.to)).toEqual(ALL);
    });

    it("takes the place of a producer that has left a transaction open, and shows nothing of that", LONG, async () => {
      const names = await topics();
      const abandoned = foreign.producer({ transactionalId: names.from, idempotent: true, maxInFlightRequests: 1 });
      await abandoned.connect();
      const transaction = await abandoned.transaction();
      await transaction.send({ topic: names.to, messages: [{ value: "-1" }] });
      const result = await run(routeOf(names, KAFKA_URL, { exit_on_empty: true }));
      expect(result.outcome, describeError(result.error)).toBe("completed");
      expect(await seenIn(names.to)).toEqual(ALL);
      await expect(transaction.commit()).rejects.toThrow();
      await abandoned.disconnect();
    });

    it("reads nothing of transactions that were given up, and drains to what open ones hold up", LONG, async () => {
      const names = await topics();
      const other = foreign.producer({ transactionalId: freshName(), idempotent: true, maxInFlightRequests: 1 });
      await other.connect();
      const [given, open] = [[{ value: "-1" }], [{ value: "-2" }]];
      const up = await other.transaction();
      await up.send({ topic: names.from, messages: given });
      await up.abort();
      const held = await other.transaction();
      await held.send({ topic: names.from, messages: open });
      const result = await run(routeOf(names, KAFKA_URL, { exit_on_empty: true }));
      expect(result.outcome, describeError(result.error)).toBe("completed");
      expect(await seenIn(names.to)).toEqual(ALL);
      await held.abort();
      await other.disconnect();
    });

    it("needs a kafka group as its input", async () => {
      const to = freshName("to");
      const result = await run({
        exit_on_empty: true,
        input: { static: { body: "x" } },
        output: { kafka: { url: KAFKA_URL, topic: to, transactional_id: to } },
      }).catch((error: unknown) => ({ outcome: "refused", error }));
      expect(result.outcome).not.toBe("completed");
      expect(describeError(result.error)).toMatch(/transactional_id/);
    });
  });
});
