import { API_VERSION, type Disposition, definePlugin, Message, nack } from "@mqb/core/plugin";
import { FakeClock, FakeStateStore, isPending, testMiddleware, texts, turns } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import plugin from "../src/index.ts";
import { NEVER, open, toldOf } from "./opened.ts";

const NO = nack(new Error("the sink is full"));
const of = (...payloads: string[]) => payloads.map((payload) => new Message(payload));
const STORE = "postgres://h/d";

/** Two processes beside each other, with one store. */
function together() {
  const clock = new FakeClock();
  const store = new FakeStateStore(clock);
  const asked: string[] = [];
  const openStore = async (url: string) => {
    asked.push(url);
    return store;
  };
  const one = () => open({ store: STORE }, { clock, openStore });
  return { clock, store, asked, one };
}

describe("keys in a store that others use as well", () => {
  it("are asked of a table that is named by the route, in the layout of the original", async () => {
    const { one, asked } = together();
    await one();
    expect(asked).toEqual(["postgres://h/d?layout=dedup&default_table=mqb_dedup_test"]);
  });

  it("are the bytes of the value in hex, or the id without its hyphens", async () => {
    const { store, clock } = together();
    const { source, consumer } = await open(
      { store: STORE, key: "${payload:k}" },
      { clock, openStore: async () => store },
    );
    source.push([
      new Message('{"k":"é b"}'),
      new Message('{"k":5}'),
      new Message("{}", undefined, "01900000-0000-7000-8000-000000000005"),
      new Message(`{"k":"${"x".repeat(128)}"}`),
    ]);
    await (await consumer.receive(10, NEVER)).commit();
    const found = await store.getMany(["c3a92062", "35", "01900000000070008000000000000005"]);
    expect(found.every((entry) => entry !== undefined)).toBe(true);
    expect(found[0]!.expiresAt).toBe(clock.now() + 60_000);
  });

  it("do not keep the source open when the store says nothing", async () => {
    const { one, store, clock } = together();
    const { source, consumer } = await one();
    source.push(of("a"));
    source.push(of("b"));
    await consumer.receive(10, NEVER);
    await consumer.receive(10, NEVER);
    store.putMany = () => new Promise(() => {});
    const closing = consumer.close();
    await clock.advance(500);
    await closing;
    expect(source.closed).toBe(true);
    expect(clock.pending).toBe(0);
  });

  it("let a message pass once, whoever receives it, with one call of the store before and one behind", async () => {
    const { one, store } = together();
    const [first, second] = [await one(), await one()];
    first.source.push(of("a", "b", "a"));
    second.source.push(of("b", "c"));
    const delivery = await first.consumer.receive(10, NEVER);
    expect(texts(delivery.batch)).toEqual(["a", "b"]);
    await delivery.commit();
    expect(store.calls).toMatchObject({ getMany: 0, putMany: 2 });
    const other = await second.consumer.receive(10, NEVER);
    expect(texts(other.batch)).toEqual(["c"]);
    await other.commit();
    expect(await toldOf(second.source, 0)).toEqual(["ack", "ack"]);
    expect(first.context.accounting.get("deduplicated")).toBe(1);
    expect(second.context.accounting.get("deduplicated")).toBe(1);
  });

  it("of a message in flight elsewhere are waited for, and decided as that is", async () => {
    const { one, clock } = together();
    const [first, second] = [await one(), await one()];
    first.source.push(of("a", "b"));
    second.source.push(of("a", "b"));
    const held = await first.consumer.receive(10, NEVER);
    const waiting = await second.consumer.receive(10, NEVER);
    expect(waiting.emptied).toBe(true);
    const committing = waiting.commit();
    await turns(5);
    expect(await isPending(committing)).toBe(true);
    await held.commit([{ type: "ack" }, NO] as Disposition[]);
    await clock.advance(100);
    await committing;
    expect(await toldOf(second.source, 0)).toEqual(["ack", "nack"]);
  });

  it("stay held while their process lives, however long the sink takes", async () => {
    const { one, clock } = together();
    const [first, second] = [await one(), await one()];
    first.source.push(of("a"));
    const held = await first.consumer.receive(10, NEVER);
    for (let i = 0; i < 20; i++) {
      await clock.advance(1500);
      await turns(5);
    }
    second.source.push(of("a"));
    expect((await second.consumer.receive(10, NEVER)).emptied).toBe(true);
    await held.commit();
  });

  it("are free five seconds after their process has died, and it cannot write over who has them then", async () => {
    const { store, clock, one } = together();
    const dead = await open(
      { store: STORE },
      { clock: Object.assign(Object.create(clock), { timer: () => () => {} }), openStore: async () => store },
    );
    dead.source.push(of("a"));
    const old = await dead.consumer.receive(10, NEVER);
    const next = await one();
    await clock.advance(5000);
    next.source.push(of("a"));
    const taken = await next.consumer.receive(10, NEVER);
    expect(texts(taken.batch)).toEqual(["a"]);
    const [before] = await store.getMany(["61"]);
    // The first one wakes up: what it says is not taken.
    await old.commit([NO]);
    expect((await store.getMany(["61"]))[0]).toEqual(before);
    await taken.commit();
    expect(dead.context.log.at("warn").join()).toContain("delivered twice");
  });

  it("are freed at once by a failure, and by the close", async () => {
    const { one } = together();
    const [first, second] = [await one(), await one()];
    first.source.push(of("a")).push(of("a")).push(of("b"));
    await (await first.consumer.receive(10, NEVER)).commit([NO]);
    const again = await first.consumer.receive(10, NEVER);
    expect(texts(again.batch)).toEqual(["a"]);
    await again.commit();
    await first.consumer.receive(10, NEVER);
    await first.consumer.close();
    second.source.push(of("b"));
    expect(texts((await second.consumer.receive(10, NEVER)).batch)).toEqual(["b"]);
  });

  it("that cannot be asked for send everything back to the source", async () => {
    const { one, store } = together();
    const { source, consumer } = await one();
    source.push(of("a", "b"));
    store.fail(new Error("gone"));
    const { batch, emptied, commit } = await consumer.receive(10, NEVER);
    expect([batch.length, emptied]).toEqual([0, true]);
    await commit();
    await expect(consumer.receive(10, NEVER)).rejects.toMatchObject({ code: "MQB_DEDUP_STORE_GONE" });
    expect(await toldOf(source, 0)).toEqual(["nack", "nack"]);
  });
});

describe("as a middleware", () => {
  const clock = { now: Date.now, monotonic: () => performance.now(), timer: () => () => {} };
  const stores = definePlugin({
    name: "stores",
    apiVersion: API_VERSION,
    stores: { postgres: { description: "", durable: false, open: () => new FakeStateStore(clock) } },
    services: { "sql:postgres": {} } as never,
  });
  testMiddleware(
    { describe, it },
    {
      plugin,
      middleware: "deduplication",
      message: (n) => new Message(`{"k":"key ${n}"}`, new Map([["kept", "ä b"]])),
      config: { store: STORE, ttl_seconds: 3600, key: "${payload:k}" },
      context: () => ({ plugins: [stores] }),
    },
  );
});
