import { createBridge, createRegistry } from "@mqb/core";
import { type Disposition, Message, nack, reply } from "@mqb/core/plugin";
import standard from "@mqb/standard";
import { CollectingPublisher, eventually, FaultProxy, fakePlugin, within } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import plugin from "../src/index.ts";
import { durableName } from "../src/names.ts";
import { Ends, isSilent, take } from "./ends.ts";
import { RawClient } from "./raw-client.ts";
import { addressOf, freshName, NATS_URL, urlOf, withServer } from "./servers.ts";
import { makeConsumer } from "./system.ts";

const url = NATS_URL;
const ack = (): Disposition => ({ type: "ack" });

/** A stream with some messages, and a client that looks at it. */
class Place implements AsyncDisposable {
  readonly stream = freshName();
  readonly subject = `${this.stream}.a`;
  readonly client: RawClient;
  readonly config = { url, stream: this.stream, subject: this.subject };

  private constructor(client: RawClient) {
    this.client = client;
  }

  static async with(count: number): Promise<Place> {
    const place = new Place(await RawClient.to(url));
    const { stream } = place;
    await place.client.api(`STREAM.CREATE.${stream}`, { name: stream, subjects: [`${stream}.>`] });
    await place.publish(Array.from({ length: count }, (_, n) => `${n}`));
    return place;
  }

  async publish(texts: readonly string[], headers?: [string, string][]): Promise<void> {
    for (const payload of texts) this.client.publish({ subject: this.subject, payload, ...(headers && { headers }) });
    await this.client.flush();
  }

  async consumer(name = durableName(this.stream, this.subject)): Promise<{
    config: Record<string, unknown>;
    num_ack_pending: number;
    num_pending: number;
    num_waiting: number;
    num_redelivered: number;
    ack_floor: { stream_seq: number };
  }> {
    return (await this.client.api(`CONSUMER.INFO.${this.stream}.${name}`)) as never;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.api(`STREAM.DELETE.${this.stream}`);
    await this.client[Symbol.asyncDispose]();
  }
}

const range = (count: number): string[] => Array.from({ length: count }, (_, n) => `${n}`);

await withServer("nats", url, () => {
  describe("an input from a stream", () => {
    it("keeps what it works on for longer than the ack wait, also what it has only read ahead", async () => {
      await using place = await Place.with(6);
      await makeConsumer(url, place.stream, place.subject, 1000);
      await using ends = new Ends();
      await using others = new Ends();
      const consumer = await ends.input({ ...place.config, shared: false });
      const { deliveries } = await take(consumer, 3, undefined, 3);
      const other = await others.input(place.config);
      expect(await isSilent(other, 3000)).toBe(true);
      for (const delivery of deliveries) await delivery.commit();
      expect((await take(consumer, 3, ack)).texts).toEqual(["3", "4", "5"]);
      expect((await place.consumer()).num_redelivered).toBe(0);
    });

    it("reads on when fewer messages may be unacknowledged than a batch holds", async () => {
      await using place = await Place.with(50);
      await using ends = new Ends();
      const consumer = await ends.input({ ...place.config, prefetch_count: 5 });
      const { texts } = await take(consumer, 50, ack, 100);
      expect(texts).toEqual(range(50));
      expect((await place.consumer()).config["max_ack_pending"]).toBe(5);
    });

    it("leaves a consumer that somebody has tuned as it is", async () => {
      await using place = await Place.with(1);
      await makeConsumer(url, place.stream, place.subject, 7000);
      await using ends = new Ends();
      await ends.input(place.config);
      expect((await place.consumer()).config["ack_wait"]).toBe(7e9);
      await ends.input({ ...place.config, prefetch_count: 9, deliver_policy: "all" });
      expect((await place.consumer()).config).toMatchObject({ ack_wait: 7e9, max_ack_pending: 9 });
      await expect(ends.input({ ...place.config, deliver_policy: "new" })).rejects.toMatchObject({
        code: "MQB_NATS_CONSUMER",
        kind: "config",
        message: expect.stringContaining("deliver_policy"),
      });
    });

    it.each([{ max_expires: 2e9 }, { max_bytes: 1024 * 1024 }, { max_batch: 2 }])(
      "reads a durable consumer that permits only %j at once",
      async (limits) => {
        await using place = await Place.with(5);
        const { stream, subject } = place;
        const name = durableName(stream, subject);
        await place.client.api(`CONSUMER.CREATE.${stream}.${name}.${subject}`, {
          stream_name: stream,
          config: {
            durable_name: name,
            deliver_policy: "all",
            ack_policy: "explicit",
            filter_subject: subject,
            ...limits,
          },
        });
        await using ends = new Ends();
        expect((await take(await ends.input(place.config), 5, ack)).texts).toEqual(range(5));
      },
    );

    it("does not wait for a subject that the stream does not hold", async () => {
      await using place = await Place.with(0);
      await using ends = new Ends();
      await expect(ends.input({ ...place.config, subject: "elsewhere.a" })).rejects.toMatchObject({
        code: "MQB_NATS_STREAM_SUBJECT",
        kind: "config",
      });
    });

    it("gives a message that always fails back with growing pauses, and the good one behind it goes through", async () => {
      await using place = await Place.with(0);
      await place.publish(["bad", "good"]);
      await using ends = new Ends();
      const consumer = await ends.input(place.config);
      const seen: string[] = [];
      const end = performance.now() + 1500;
      while (performance.now() < end) {
        const delivery = await consumer.receive(10, AbortSignal.timeout(200));
        const texts = Array.from(delivery.batch, (message) => message.text());
        seen.push(...texts);
        await delivery.commit(texts.map((text) => (text === "bad" ? nack(new Error("always")) : ack())));
      }
      expect(seen.filter((text) => text === "good")).toHaveLength(1);
      const tries = seen.filter((text) => text === "bad").length;
      expect(tries).toBeGreaterThanOrEqual(3);
      expect(tries).toBeLessThanOrEqual(7);
    });

    it("acks nothing by a delivery of a closed consumer", async () => {
      await using place = await Place.with(3);
      await using ends = new Ends();
      const consumer = await ends.input(place.config);
      const { deliveries } = await take(consumer, 3);
      await consumer.close();
      await expect(deliveries[0]!.commit()).rejects.toMatchObject({ kind: "connection" });
      const again = await ends.input(place.config);
      expect((await take(again, 3, ack)).texts.sort()).toEqual(["0", "1", "2"]);
    });

    it("gets what it held back long before the ack wait when its connection was cut", async () => {
      await using place = await Place.with(5);
      await using proxy = await FaultProxy.to(addressOf(url));
      await using ends = new Ends();
      const consumer = await ends.input({ ...place.config, url: urlOf(proxy.address) });
      const { deliveries } = await take(consumer, 5);
      proxy.cut();
      await eventually(() => consumer.status?.().healthy === false, "the loss to be noticed");
      await expect(deliveries[0]!.commit()).rejects.toMatchObject({ code: "MQB_NATS_LOST", kind: "connection" });
      await consumer.close();
      await eventually(async () => (await place.consumer()).num_waiting === 0, "the server to notice it, too");
      const again = await ends.input(place.config);
      const began = performance.now();
      const { texts } = await take(again, 5, ack);
      expect(texts.sort()).toEqual(range(5));
      expect(performance.now() - began).toBeLessThan(10_000);
    });

    it("says that its consumer was deleted, and begins with a new one", async () => {
      await using place = await Place.with(2);
      await using ends = new Ends();
      const consumer = await ends.input(place.config);
      await take(consumer, 2, ack);
      const waiting = consumer.receive(10, AbortSignal.timeout(10_000));
      waiting.catch(() => {});
      await place.client.api(`CONSUMER.DELETE.${place.stream}.${durableName(place.stream, place.subject)}`);
      await expect(waiting).rejects.toMatchObject({ code: "MQB_NATS_CONSUMER_GONE", kind: "connection" });
      expect(consumer.status?.()).toMatchObject({ healthy: false });
      const again = await ends.input(place.config);
      await place.publish(["2"]);
      expect((await take(again, 3, ack)).texts).toContain("2");
    });

    it("with subscriber_mode goes on after a reconnect, although its consumer is gone", async () => {
      await using place = await Place.with(5);
      await using ends = new Ends();
      const config = { ...place.config, subscriber_mode: true };
      const consumer = await ends.input(config);
      await take(consumer, 3, ack, 3);
      const { consumer: name } = consumer.status!().details as { consumer: string };
      await consumer.close();
      await place.client.api(`CONSUMER.DELETE.${place.stream}.${name}`);
      await place.publish(["5"]);
      const again = await ends.input(config);
      const { texts } = await take(again, 3, ack);
      expect(texts.sort()).toEqual(["3", "4", "5"]);
    });

    it("with subscriber_mode and new misses nothing that comes before the first read", async () => {
      await using place = await Place.with(2);
      await using ends = new Ends();
      const config = { ...place.config, subscriber_mode: true, deliver_policy: "new" as const };
      const consumer = await ends.input(config);
      await place.publish(["2"]);
      await consumer.close();
      await place.publish(["3"]);
      const again = await ends.input(config);
      expect((await take(again, 2, ack)).texts).toEqual(["2", "3"]);
    });

    it("stamps messages with where they were read, and lets nobody else do so", async () => {
      await using place = await Place.with(0);
      await place.publish(
        ["a"],
        [
          ["mqb.src.nats_subject", "forged"],
          ["k", "v"],
        ],
      );
      await using ends = new Ends();
      const consumer = await ends.input({ ...place.config, source_metadata: true });
      const { deliveries } = await take(consumer, 1);
      expect([...deliveries[0]!.batch.at(0).metadata].sort()).toEqual([
        ["k", "v"],
        ["mqb.src.nats_stream_sequence", "1"],
        ["mqb.src.nats_subject", place.subject],
      ]);
    });

    it("does not let a header turn a reply into an order to the server", async () => {
      await using place = await Place.with(0);
      const orders = await place.client.collect(`${place.stream}x.reply`);
      await place.publish(["evil"], [["reply_to", `$JS.API.STREAM.DELETE.${place.stream}`]]);
      await place.publish(["wild"], [["reply_to", "a.>"]]);
      await place.publish(["good"], [["reply_to", `${place.stream}x.reply`]]);
      await using ends = new Ends();
      const consumer = await ends.input(place.config);
      await take(consumer, 3, () => reply(new Message("answer", new Map([["kind", "x"]]))));
      await eventually(() => orders.length === 1, "the reply");
      expect(orders[0]!.payload.toString()).toBe("answer");
      expect(orders[0]!.headers!.toString()).toContain("kind: x");
      expect((await place.consumer()).num_ack_pending).toBe(0);
      expect(consumer.status?.().details).toMatchObject({ failedReplies: 2 });
    });
  });

  describe("a route from a stream", () => {
    const bridge = (sink: CollectingPublisher) =>
      createBridge({
        registry: createRegistry([plugin, standard, fakePlugin({ sink: { publisher: () => sink } })]),
      });

    it("that is stopped in the middle has given back what it had only read, and acked what it has sent", async () => {
      await using place = await Place.with(2000);
      const [first, second] = [new CollectingPublisher(), new CollectingPublisher()];
      const route = bridge(first).route("r", {
        input: { nats: { ...place.config, prefetch_count: 500 } },
        output: { sink: {} },
        batch_size: 20,
      });
      await route.start();
      await first.collected(300);
      await within(route.stop({ graceMs: 5000 }), "the stop", 8000);
      const sent = first.messages.map((message) => message.text());
      // What is not acknowledged is exactly what was not sent.
      const { num_pending: waiting, num_ack_pending: given } = await place.consumer();
      expect(waiting + given).toBe(2000 - sent.length);
      const rest = bridge(second).route("r", {
        input: { nats: place.config },
        output: { sink: {} },
        exit_on_empty: true,
      });
      await rest.start();
      const { outcome } = await within(rest.done, "the drain", 20_000);
      expect(outcome).toBe("completed");
      const later = second.messages.map((message) => message.text());
      expect(new Set([...sent, ...later]).size).toBe(2000);
      expect(later.filter((text) => sent.includes(text))).toEqual([]);
    });

    it("drains to the end in well under the second of silence that other sources need", async () => {
      await using place = await Place.with(10);
      const sink = new CollectingPublisher();
      const route = bridge(sink).route("r", {
        input: { nats: place.config },
        output: { sink: {} },
        exit_on_empty: true,
      });
      const began = performance.now();
      await route.start();
      await route.done;
      expect(sink.messages).toHaveLength(10);
      expect(performance.now() - began).toBeLessThan(900);
    });
  });

  describe("inputs of core NATS", () => {
    it("share the messages of a queue group, and get all of them with subscriber_mode", async () => {
      await using client = await RawClient.to(url);
      await using ends = new Ends();
      const subject = freshName();
      const config = { url, stream: "group", subject, no_jetstream: true };
      // Of different routes: what waits for a route belongs to its session.
      const [a, b] = [
        await ends.input(config, { session: new Map() }),
        await ends.input(config, { session: new Map() }),
      ];
      const all = await ends.input({ ...config, subscriber_mode: true }, { session: new Map() });
      for (let n = 0; n < 40; n++) client.publish({ subject, payload: `${n}` });
      expect((await take(all, 40)).texts).toEqual(range(40));
      const shared: string[] = [];
      await eventually(async () => {
        for (const consumer of [a, b]) {
          const { batch } = await consumer.receive(100, AbortSignal.timeout(20));
          for (const message of batch) shared.push(message.text());
        }
        return shared.length >= 40;
      }, "every message");
      expect(shared.sort((x, y) => Number(x) - Number(y))).toEqual(range(40));
    });

    it("drop what they cannot hold, and say how much", async () => {
      await using client = await RawClient.to(url);
      await using ends = new Ends();
      const subject = freshName();
      const consumer = await ends.input({ url, stream: "s", subject, no_jetstream: true, prefetch_count: 10 });
      for (let n = 0; n < 25; n++) client.publish({ subject, payload: `${n}` });
      await client.flush();
      await eventually(() => consumer.status?.().details?.["dropped"] === 15, "the drops");
      expect(ends.context.log.at("warn").join()).toContain("dropped");
      expect((await take(consumer, 10)).texts).toEqual(range(10));
      expect(consumer.status?.().pending).toBe(0);
    });
  });
});
