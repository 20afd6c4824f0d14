import { describe, expect, it } from "vitest";
import { ACCEPTED, failed, type Outcome } from "../../src/contract/disposition.ts";
import { MqbError } from "../../src/errors/mqb-error.ts";
import { batchOf } from "../../src/message/batch.ts";
import { Message } from "../../src/message/message.ts";
import { FakeConsumer } from "../fakes/consumer.ts";
import { harness, runToEnd } from "../fakes/harness.ts";
import { middleware } from "../fakes/plugin.ts";
import { FakePublisher } from "../fakes/publisher.ts";
import { settled } from "../fakes/until.ts";

/** An endless source of numbered messages that gives as many as it is asked for. */
function numbers(): FakeConsumer {
  let next = 0;
  const give = (max: number) => consumer.deliver(Array.from({ length: Math.min(max, 10) }, () => String(next++)));
  const consumer: FakeConsumer = new FakeConsumer(Array.from({ length: 1000 }, () => give));
  return consumer;
}

/** Makes three messages of each, as `unpack` does. */
const tripling = {
  middlewares: {
    triple: middleware({
      input: (inner, _, { accounting }) => ({
        close: () => inner.close(),
        receive: async (max, signal) => {
          const { batch, ...delivery } = await inner.receive(max, signal);
          accounting.receive(2 * batch.length);
          const made = [...batch].flatMap((message) => [..."abc"].map((part) => new Message(message.text() + part)));
          return { ...delivery, batch: batchOf(made) };
        },
      }),
    }),
  },
  route: { input: { source: {}, middlewares: ["triple"] } },
};

describe("a limit", () => {
  it.each([[1], [9], [10], [25]])("of %i is exact", async (limit) => {
    const h = harness({ consumer: numbers(), run: { limit } });
    expect(await runToEnd(h)).toMatchObject({
      outcome: "completed",
      accounting: { received: limit, delivered: limit },
    });
    expect(h.publisher.texts).toHaveLength(limit);
  });

  it("is exact with several batches in flight", async () => {
    const publisher = new FakePublisher(async () => {
      await settled();
      return undefined;
    });
    const h = harness({ consumer: numbers(), publisher, route: { concurrency: 4 }, run: { limit: 57 } });
    expect(await runToEnd(h)).toMatchObject({ accounting: { delivered: 57 } });
    expect(publisher.mostRunning).toBeGreaterThan(1);
  });

  it("counts what reached the sink: not what was filtered, dropped or given back", async () => {
    const outcomes: Outcome[] = [
      ACCEPTED,
      failed(new MqbError("X", "permanent", "no")),
      failed(new Error("busy")),
      { type: "filtered" },
    ];
    const publisher = new FakePublisher((batch) =>
      Array.from(batch, (message) => outcomes[Number(message.text()) % 4]!),
    );
    const h = harness({ consumer: numbers(), publisher, route: { concurrency: 4 }, run: { limit: 23 } });
    const { accounting } = await runToEnd(h);
    expect(accounting.delivered).toBe(23);
    expect(accounting.dropped + accounting.filtered + accounting.nacked).toBe(accounting.received - 23);
  });

  it("is exact behind a filter of the input", async () => {
    const odd = middleware({
      input: (inner, _, { accounting }) => ({
        ...inner,
        close: () => inner.close(),
        receive: async (max, signal) => {
          const delivery = await inner.receive(max, signal);
          const kept = Uint32Array.from([...delivery.batch].flatMap((m, i) => (Number(m.text()) % 2 === 1 ? [i] : [])));
          accounting.settle("filtered", delivery.batch.length - kept.length);
          return { batch: delivery.batch.select(kept), emptied: kept.length === 0, commit: () => delivery.commit() };
        },
      }),
    });
    const h = harness({
      consumer: numbers(),
      middlewares: { odd },
      route: { concurrency: 4, input: { source: {}, middlewares: ["odd"] } },
      run: { limit: 21 },
    });
    expect((await runToEnd(h)).accounting).toMatchObject({ delivered: 21, inFlight: 0 });
    expect(h.publisher.texts).toEqual(Array.from({ length: 21 }, (_, i) => String(2 * i + 1)));
  });

  it.each([[1], [7], [10], [33]])(
    "of %i is exact behind an input middleware that makes three of one",
    async (limit) => {
      const h = harness({
        consumer: numbers(),
        ...tripling,
        route: { ...tripling.route, concurrency: 4 },
        run: { limit },
      });
      const { outcome, accounting } = await runToEnd(h);
      expect({ outcome, delivered: accounting.delivered, inFlight: accounting.inFlight }).toEqual({
        outcome: "completed",
        delivered: limit,
        inFlight: 0,
      });
      expect(h.publisher.texts).toEqual(Array.from({ length: limit }, (_, i) => `${Math.floor(i / 3)}${"abc"[i % 3]}`));
      expect(accounting.received).toBe(limit + accounting.nacked);
    },
  );

  it("sends more of a batch that is too large as long as the sink takes less than the limit leaves", async () => {
    const publisher = new FakePublisher((batch) =>
      Array.from(batch, (message) =>
        message.text().endsWith("a") ? failed(new MqbError("X", "permanent", "no")) : ACCEPTED,
      ),
    );
    const h = harness({ consumer: numbers(), publisher, ...tripling, run: { limit: 5 } });
    const { accounting } = await runToEnd(h);
    expect(publisher.texts).toEqual(["0a", "0b", "0c", "1a", "1b", "1c", "2a", "2b"]);
    expect(accounting).toMatchObject({ delivered: 5, dropped: 3, inFlight: 0 });
    const [commit] = h.consumer.commits;
    const types = Array.from({ length: 15 }, (_, i) => (i < 8 ? "ack" : "nack"));
    expect(commit!.dispositions?.map(({ type }) => type)).toEqual(types);
  });

  it("gives the handler each message of a batch that is too large once", async () => {
    const handled: string[] = [];
    const handler = (message: Message) => {
      handled.push(message.text());
      return message;
    };
    const h = harness({ consumer: numbers(), ...tripling, run: { limit: 4, handler } });
    await runToEnd(h);
    expect(handled).toEqual(["0a", "0b", "0c", "1a"]);
  });

  it("survives a batch that cannot be cut: the route opens its ends again", async () => {
    const broken = middleware({
      input: (inner) => ({
        close: () => inner.close(),
        receive: async (max, signal) => {
          const { batch, ...delivery } = await inner.receive(max, signal);
          const select = (): never => {
            throw new RangeError("no such message");
          };
          return { ...delivery, batch: Object.assign(batchOf([...batch, ...batch]), { select }) };
        },
      }),
    });
    let opened = 0;
    const consumer = () => new FakeConsumer(++opened === 1 ? [["a", "b"]] : [["c"]]);
    const route = { input: { source: {}, middlewares: ["broken"] }, reconnect_interval_ms: 10 };
    const h = harness({ consumer, middlewares: { broken }, route, run: { limit: 2 } });
    expect(await runToEnd(h)).toMatchObject({ outcome: "completed", accounting: { delivered: 2, inFlight: 0 } });
    expect(h.log.at("warn").join()).toContain("no such message");
  });

  it("hurries sends that wait for company when nothing more is read", async () => {
    const waiting: (() => void)[] = [];
    const publisher = new FakePublisher(() => new Promise((resolve) => waiting.push(() => resolve(undefined))));
    publisher.onFlush = () => {
      for (const go of waiting.splice(0)) go();
    };
    const h = harness({ consumer: numbers(), publisher, route: { concurrency: 9 }, run: { limit: 25 } });
    expect(await runToEnd(h)).toMatchObject({ outcome: "completed", accounting: { delivered: 25 } });
    expect(h.clock.time).toBe(0);
  });

  it("that is not reached leaves the drain to the source", async () => {
    const consumer = new FakeConsumer([["a"]], { ends: true });
    const h = harness({ consumer, route: { exit_on_empty: true }, run: { limit: 5 } });
    expect(await runToEnd(h)).toMatchObject({ outcome: "completed", accounting: { delivered: 1 } });
  });

  it.each([[0], [-1], [1.5], [Number.NaN], [Number.POSITIVE_INFINITY]])("of %s is refused", (limit) => {
    expect(() => harness({ run: { limit } })).toThrow(RangeError);
  });
});
