import { createBridge, createRegistry, type Handler, type Route } from "@mqb/core";
import { describeError } from "@mqb/core/plugin";
import standard from "@mqb/standard";
import { eventually } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import plugin from "../src/index.ts";
import { createTopic, produce, withAdmin } from "./admin.ts";
import { AdvertisingProxy, API } from "./advertising-proxy.ts";
import { openInput } from "./open.ts";
import { readAll } from "./records.ts";
import { addressOf, freshName, KAFKA_URL, withKafka } from "./server.ts";

const LONG = { timeout: 60_000 };
const QUICK = [
  ["heartbeat.interval.ms", "200"],
  ["session.timeout.ms", "6000"],
  ["fetch.wait.max.ms", "50"],
];

async function topics(partitions = 2): Promise<{ readonly from: string; readonly to: string }> {
  const [from, to] = [freshName("from"), freshName("to")];
  await createTopic(from, { numPartitions: partitions });
  await createTopic(to);
  return { from, to };
}

const fill = (topic: string, begin: number, count: number): Promise<void> =>
  produce(
    topic,
    Array.from({ length: count }, (_, n) => ({ partition: n % 2, value: `${begin + n}` })),
  );

async function committed(group: string): Promise<number[]> {
  const [found] = await withAdmin((admin) => admin.fetchOffsets({ groupId: group }));
  const partitions = [...(found?.partitions ?? [])].sort((a, b) => a.partition - b.partition);
  return partitions.map(({ offset }) => Number(offset));
}

/** A route with a transactional output through a proxy that counts requests. */
async function routeOf(
  names: { readonly from: string; readonly to: string },
  handler: Handler | undefined,
  more: object = {},
  options: readonly (readonly [string, string])[] = [],
): Promise<{ readonly route: Route; readonly proxy: AdvertisingProxy }> {
  const proxy = await AdvertisingProxy.to(addressOf(KAFKA_URL));
  const url = `${proxy.address.host}:${proxy.address.port}`;
  const config = {
    batch_size: 10,
    startup_timeout_ms: 20_000,
    reconnect_interval_ms: 50,
    input: { kafka: { url, topic: names.from, group_id: names.from, consumer_options: [...QUICK, ...options] } },
    output: { kafka: { url, topic: names.to, transactional_id: freshName("id") } },
    ...more,
  };
  const bridge = createBridge({ registry: createRegistry([plugin, standard]) });
  return { route: bridge.route("r", config, handler ? { handler } : {}), proxy };
}

const plainCommits = ({ asked }: AdvertisingProxy): number => asked.get(API.OFFSET_COMMIT) ?? 0;
const values = async (topic: string): Promise<number[]> =>
  (await readAll(topic)).map(({ message }) => Number(message.value!.toString())).sort((a, b) => a - b);
const isEven: Handler = (message) => (Number(message.text()) % 2 === 0 ? message : undefined);
const none: Handler = () => undefined;

await withKafka(() => {
  describe("a route with a transactional_id commits positions in transactions alone", () => {
    it("when it drains, with messages taken out on their way, to the last of them", LONG, async () => {
      const names = await topics();
      await fill(names.from, 0, 60);
      const { route, proxy } = await routeOf(names, (message) => (Number(message.text()) < 41 ? message : undefined), {
        exit_on_empty: true,
      });
      await route.start();
      const { outcome, error } = await route.done;
      expect(outcome, describeError(error)).toBe("completed");
      expect(await committed(names.from)).toEqual([30, 30]);
      expect(await values(names.to)).toEqual(Array.from({ length: 41 }, (_, n) => n));
      expect(plainCommits(proxy)).toBe(0);
      proxy.close();
    });

    it("when nothing of what it reads is written, without waiting for its end", LONG, async () => {
      const names = await topics();
      await fill(names.from, 0, 40);
      const { route, proxy } = await routeOf(names, none);
      await route.start();
      await eventually(async () => (await committed(names.from)).join() === "20,20", "the positions", 20_000);
      expect(route.status().output?.details).toMatchObject({ transactions: expect.any(Number) });
      await route.stop();
      expect(plainCommits(proxy)).toBe(0);
      expect(await values(names.to)).toEqual([]);
      proxy.close();
    });

    it("when it is stopped, and when the group shares out anew", LONG, async () => {
      const names = await topics();
      await fill(names.from, 0, 40);
      const { route, proxy } = await routeOf(names, isEven);
      await route.start();
      await eventually(async () => (await committed(names.from)).join() === "20,20", "the first positions", 20_000);
      const options = QUICK.map(([name, value]): [string, string] => [name!, value!]);
      const place = { url: KAFKA_URL, topic: names.from, group_id: names.from, consumer_options: options };
      const other = await openInput(place);
      const shares = (): number => (route.status().input!.details as { assigned: string[] }).assigned.length;
      await eventually(() => shares() === 1, "half of the partitions", 30_000);
      await other.close();
      await eventually(() => shares() === 2, "all partitions", 30_000);
      await fill(names.from, 40, 10);
      await eventually(async () => (await values(names.to)).length === 25, "what is even", 20_000);
      await route.stop();
      expect(await committed(names.from)).toEqual([25, 25]);
      expect(plainCommits(proxy)).toBe(0);
      proxy.close();
    });

    it("when it begins with what comes from now on, so that the next start misses nothing", LONG, async () => {
      const names = await topics();
      await fill(names.from, 0, 10);
      const { route, proxy } = await routeOf(names, undefined, {}, [["auto.offset.reset", "latest"]]);
      await route.start();
      await eventually(async () => (await committed(names.from)).join() === "5,5", "the beginnings", 20_000);
      await route.stop();
      expect(plainCommits(proxy)).toBe(0);
      proxy.close();
    });
  });

  it("a route without one commits by itself, which the proxy of these tests counts", LONG, async () => {
    const names = await topics();
    await fill(names.from, 0, 10);
    const proxy = await AdvertisingProxy.to(addressOf(KAFKA_URL));
    const url = `${proxy.address.host}:${proxy.address.port}`;
    const input = await openInput({ url, topic: names.from, group_id: names.from });
    const delivery = await input.receive(10, AbortSignal.timeout(20_000));
    await delivery.commit();
    await input.close();
    expect(plainCommits(proxy)).toBe(1);
    proxy.close();
  });
});
