import type { Delivery, StateStore, StateWrite, WriteResult } from "@mqb/core/plugin";
import { eventually, isPending, ScriptedConsumer, texts } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import type { AggregateConfig } from "../src/index.ts";
import { batchFrom, byK, contextWith, definition, never, opened, storeOf } from "./folding.ts";

const config: AggregateConfig = { ...byK, store: "memory:", fields: { n: "count" } };
const row = (k: number | string): string => JSON.stringify({ k });
const KEY = "mqb_aggregate_test/a:1";

/** A store whose writes of states wait until the test lets them go; not those that say who writes them. */
class HeldStore implements StateStore {
  readonly writes: (readonly StateWrite[])[] = [];
  reads = 0;
  private readonly inner: StateStore;
  private readonly waiting: ((error?: Error) => void)[] = [];

  constructor(inner: StateStore) {
    this.inner = inner;
  }

  getMany(keys: readonly string[]) {
    this.reads += keys.filter((key) => !isLease(key)).length;
    return this.inner.getMany(keys);
  }

  async putMany(writes: readonly StateWrite[]): Promise<readonly WriteResult[]> {
    if (writes.some(({ key }) => isLease(key))) return this.inner.putMany(writes);
    this.writes.push(writes);
    const error = await new Promise<Error | undefined>((resolve) => this.waiting.push(resolve));
    if (error) throw error;
    return this.inner.putMany(writes);
  }

  deleteMany = (keys: readonly string[]) => this.inner.deleteMany(keys);
  close = () => this.inner.close();

  /** Lets the oldest write that waits go, or fail. */
  async next(error?: Error): Promise<void> {
    await eventually(() => this.waiting.length > 0, "a write");
    this.waiting.shift()!(error);
  }
}

function isLease(key: string): boolean {
  return key.includes("/:writer:");
}

async function input() {
  const context = contextWith({ below: { acknowledges: true } });
  const store = new HeldStore(storeOf(context));
  const source = new ScriptedConsumer();
  const consumer = await definition.input!(source, config, { ...context, openStore: async () => store });
  const receive = (...keys: (number | string)[]): Promise<Delivery> => {
    source.push(batchFrom(keys.map(row)));
    return context.clock.runUntil(consumer.receive(100, never));
  };
  return { context, store, source, consumer, receive };
}

async function stored(context: ReturnType<typeof contextWith>, key = KEY): Promise<string | undefined> {
  const [found] = await storeOf(context).getMany([key]);
  return found && Buffer.from(found.value).toString();
}

describe("states of a single writer with a store", () => {
  it("go on at once and are acked only when a write has covered them", async () => {
    const { store, source, receive, context } = await input();
    const first = await receive(1);
    const second = await receive(1, 2);
    expect(texts(second.batch)).toEqual(['{"k":1,"a":{"n":2}}', '{"k":2,"a":{"n":1}}']);
    const commits = [first.commit(), second.commit()];
    expect(await isPending(commits[0]!)).toBe(true);
    await store.next();
    await commits[0];
    expect(source.commits).toHaveLength(1);
    expect(await isPending(commits[1]!)).toBe(true);
    await store.next();
    await commits[1];
    expect(source.commits).toHaveLength(2);
    expect(await stored(context)).toBe("[2.0]");
  });

  it("are read once per key, and a key that changed often is written once", async () => {
    const { store, receive, context } = await input();
    const deliveries: Delivery[] = [];
    for (let n = 0; n < 10; n++) deliveries.push(await receive(1, 2, 1));
    const commits = Promise.all(deliveries.map((delivery) => delivery.commit()));
    await store.next();
    await store.next();
    await commits;
    expect(store.reads).toBe(2);
    // The first write began with the first batch; all others went into the second.
    expect(store.writes.map((writes) => writes.length)).toEqual([2, 2]);
    expect(await stored(context)).toBe("[20.0]");
  });

  it("whose write fails are dropped and read again, and what is not stored is nacked", async () => {
    const { store, source, receive, context } = await input();
    const kept = await receive(1);
    const done = kept.commit();
    await store.next();
    await done;
    const [second, third] = [await receive(1), await receive(1)];
    const commits = [second.commit(), third.commit()];
    await store.next(new Error("the disk is full"));
    await Promise.all(commits);
    expect(source.commits.slice(1).map(({ dispositions }) => dispositions?.map(({ type }) => type))).toEqual([
      ["nack"],
      ["nack"],
    ]);
    expect(source.commits[1]!.dispositions![0]).toMatchObject({ error: { code: "MQB_AGGREGATE_STORE_WRITE" } });
    const again = await receive(1);
    expect(texts(again.batch)).toEqual(['{"k":1,"a":{"n":2}}']);
    const commit = again.commit();
    await store.next();
    await commit;
    expect(await stored(context)).toBe("[2.0]");
  });

  it("that another instance has written are found out by a refused write", async () => {
    const { store, source, receive, context } = await input();
    const first = await receive(1);
    await storeOf(context).putMany([{ key: KEY, value: Buffer.from("[40.0]") }]);
    const commit = first.commit();
    await store.next();
    await commit;
    expect(source.commits[0]!.dispositions).toMatchObject([
      { type: "nack", error: { code: "MQB_AGGREGATE_REFUSED", kind: "retryable" } },
    ]);
    expect(texts((await receive(1)).batch)).toEqual(['{"k":1,"a":{"n":41}}']);
    expect(await stored(context)).toBe("[40.0]");
  });

  it("are not written when the lease has run out meanwhile", async () => {
    const { store, source, receive, context } = await input();
    const commits = [(await receive(1)).commit(), (await receive(1)).commit()];
    storeOf(context).fail(new Error("out of reach"));
    await context.clock.advance(15_000);
    storeOf(context).fail(undefined);
    await store.next();
    await Promise.all(commits);
    expect(store.writes).toHaveLength(1);
    expect(source.commits[1]!.dispositions).toMatchObject([
      { type: "nack", error: { code: "MQB_AGGREGATE_LEASE_GONE" } },
    ]);
    expect(await stored(context)).toBe("[1.0]");
  });

  it("that are not stored when it closes are not acked and not written", async () => {
    const { store, source, consumer, receive, context } = await input();
    const [first, second] = [await receive(1), await receive(1)];
    const commits = [first.commit(), second.commit()];
    const closing = consumer.close();
    await store.next();
    await Promise.all([closing, ...commits]);
    expect(source.commits.map(({ dispositions }) => dispositions?.[0]?.type).sort()).toEqual(["nack", undefined]);
    expect(await stored(context)).toBe("[1.0]");
    await consumer.close();
  });

  it("leave the memory when there are too many, and are read again when their key returns", async () => {
    const context = contextWith();
    const { publisher, sink } = await opened({ ...config, max_keys: 4 }, context);
    for (let n = 0; n < 3; n++) {
      for (let k = 0; k < 20; k += 5) {
        await publisher.send(batchFrom([k, k + 1, k + 2, k + 3, k + 4].map(row)), never);
      }
    }
    const counts = texts(sink.messages).map((text) => Number(/"n":(\d)/.exec(text)![1]));
    expect(counts).toEqual([1, 2, 3].flatMap((n) => Array<number>(20).fill(n)));
    // Nobody is told: nothing is lost.
    expect(context.log.entries).toEqual([]);
  });
});

describe("a send with states of a single writer", () => {
  it("returns only after the write that covers it, with what the sink says", async () => {
    const context = contextWith();
    const store = new HeldStore(storeOf(context));
    const { publisher, sink } = await opened(config, { ...context, openStore: async () => store });
    sink.failAt([1], new Error("refused"));
    const sending = publisher.send(batchFrom([row(1), row(2), "plain"]), never);
    await sink.sent(1);
    expect(await isPending(sending)).toBe(true);
    await store.next();
    expect((await sending)?.map(({ type }) => type)).toEqual(["accepted", "failed", "failed"]);
  });

  it("fails as retryable when the write does, although the sink has accepted", async () => {
    const context = contextWith();
    const store = new HeldStore(storeOf(context));
    const { publisher } = await opened(config, { ...context, openStore: async () => store });
    const sending = publisher.send(batchFrom([row(1), row(2)]), never);
    await store.next(new Error("full"));
    expect(await sending).toMatchObject([
      { type: "failed", error: { code: "MQB_AGGREGATE_STORE_WRITE", kind: "retryable" } },
      { type: "failed" },
    ]);
  });

  it("does not wait for the store any longer than its signal says", async () => {
    const context = contextWith();
    const store = new HeldStore(storeOf(context));
    const { publisher } = await opened(config, { ...context, openStore: async () => store });
    const stop = new AbortController();
    const sending = publisher.send(batchFrom([row(1)]), stop.signal);
    await eventually(() => store.writes.length === 1, "a write");
    const reason = new Error("the grace period is over");
    stop.abort(reason);
    await expect(sending).rejects.toBe(reason);
    await store.next();
  });
});
