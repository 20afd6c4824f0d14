import { ACK, Message, nack } from "@mqb/core/plugin";
import { FakeScope, isPending, texts } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { NEVER, open, toldOf } from "./opened.ts";

const NO = nack(new Error("the sink is full"));
const of = (...payloads: string[]) => payloads.map((payload) => new Message(payload));

describe("a message whose key is new", () => {
  it("passes; later ones with its key do not, once it is accepted", async () => {
    const { source, consumer, context } = await open();
    source.push(of("a", "b")).push(of("b", "c", "a"));
    await (await consumer.receive(10, NEVER)).commit();
    const { batch, commit } = await consumer.receive(10, NEVER);
    expect(texts(batch)).toEqual(["c"]);
    await commit();
    expect(await toldOf(source, 1)).toEqual(["ack", "ack", "ack"]);
    expect(context.accounting.get("deduplicated")).toBe(2);
  });

  it("passes again when it was nacked, also at once", async () => {
    const { source, consumer } = await open();
    source.push(of("a")).push(of("a"));
    await (await consumer.receive(10, NEVER)).commit([NO]);
    expect(texts((await consumer.receive(10, NEVER)).batch)).toEqual(["a"]);
  });

  it("passes again when the source was closed before it was accepted", async () => {
    const scope = new FakeScope();
    const first = await open({}, { scope });
    first.source.push(of("a"));
    const delivery = await first.consumer.receive(10, NEVER);
    await first.consumer.close();
    const second = await open({}, { scope });
    second.source.push(of("a"));
    expect(texts((await second.consumer.receive(10, NEVER)).batch)).toEqual(["a"]);
    await expect(delivery.commit()).rejects.toThrow(/closed/);
    expect(first.source.commits).toHaveLength(0);
  });

  it("passes again when its time is over, to the millisecond", async () => {
    const { source, consumer, context } = await open({ ttl_seconds: 2 });
    source.push(of("a")).push(of("a")).push(of("a"));
    await (await consumer.receive(10, NEVER)).commit();
    await context.clock.advance(1_999);
    expect((await consumer.receive(10, NEVER)).emptied).toBe(true);
    await context.clock.advance(1);
    expect(texts((await consumer.receive(10, NEVER)).batch)).toEqual(["a"]);
  });

  it("is remembered from its acceptance, not from its receipt", async () => {
    const { source, consumer, context } = await open({ ttl_seconds: 2 });
    source.push(of("a")).push(of("a"));
    const { commit } = await consumer.receive(10, NEVER);
    await context.clock.advance(60_000);
    await commit();
    expect((await consumer.receive(10, NEVER)).emptied).toBe(true);
  });
});

describe("a duplicate in the same batch", () => {
  it("is taken out, and acked with the first", async () => {
    const { source, consumer, context } = await open();
    source.push(of("a", "b", "a"));
    const { batch, commit } = await consumer.receive(10, NEVER);
    expect(texts(batch)).toEqual(["a", "b"]);
    await commit();
    expect(await toldOf(source, 0)).toEqual(["ack", "ack", "ack"]);
    expect(context.accounting.get("deduplicated")).toBe(1);
  });

  it("goes back to the source when the first does", async () => {
    const { source, consumer, context } = await open();
    context.accounting.receive(3);
    source.push(of("a", "b", "a"));
    await (await consumer.receive(10, NEVER)).commit([NO, ACK]);
    expect(await toldOf(source, 0)).toEqual(["nack", "ack", "nack"]);
    expect([context.accounting.get("deduplicated"), context.accounting.get("nacked")]).toEqual([0, 1]);
  });
});

describe("a duplicate of what is in flight", () => {
  it("is neither acked nor handed on before that is decided, and is acked when it was accepted", async () => {
    const { source, consumer } = await open();
    source.push(of("a")).push(of("a"));
    const first = await consumer.receive(10, NEVER);
    const second = await consumer.receive(10, NEVER);
    expect([second.batch.length, second.emptied]).toEqual([0, true]);
    const committing = second.commit();
    expect(await isPending(committing)).toBe(true);
    expect(source.commits).toHaveLength(0);
    await first.commit();
    await committing;
    expect(await toldOf(source, 1)).toEqual(["ack"]);
  });

  it("goes back to the source when that was not accepted, and passes then", async () => {
    const { source, consumer } = await open();
    source.push(of("a")).push(of("a")).push(of("a"));
    const first = await consumer.receive(10, NEVER);
    const second = await consumer.receive(10, NEVER);
    const committing = second.commit();
    await first.commit([NO]);
    await committing;
    expect(await toldOf(source, 1)).toEqual(["nack"]);
    expect(texts((await consumer.receive(10, NEVER)).batch)).toEqual(["a"]);
  });

  it("waits for another route that shares the store, and is freed when that is closed", async () => {
    const scope = new FakeScope();
    const one = await open({ store: "memory://shared" }, { scope, route: "one" });
    const two = await open({ store: "memory://shared" }, { scope, route: "two" });
    one.source.push(of("a", "b"));
    two.source.push(of("a")).push(of("b"));
    const held = await one.consumer.receive(10, NEVER);
    const waiting = [await two.consumer.receive(10, NEVER), await two.consumer.receive(10, NEVER)];
    const committing = Promise.all(waiting.map(({ commit }) => commit()));
    expect(held.batch.length).toBe(2);
    expect(await isPending(committing)).toBe(true);
    await one.consumer.close();
    await committing;
    expect([await toldOf(two.source, 0), await toldOf(two.source, 1)]).toEqual([["nack"], ["nack"]]);
    expect(two.context.clock.pending).toBe(0);
  });

  it("goes back to its source after five minutes, however long the other one takes", async () => {
    const { source, consumer, context } = await open();
    source.push(of("a")).push(of("a"));
    const first = await consumer.receive(10, NEVER);
    const committing = (await consumer.receive(10, NEVER)).commit();
    await context.clock.advance(299_999);
    expect(await isPending(committing)).toBe(true);
    await context.clock.advance(1);
    await committing;
    expect(await toldOf(source, 1)).toEqual(["nack"]);
    await first.commit();
    expect(await toldOf(source, 0)).toEqual(["ack"]);
  });

  it("does not keep a close waiting", async () => {
    const { source, consumer, context } = await open();
    source.push(of("a")).push(of("a"));
    await consumer.receive(10, NEVER);
    const committing = (await consumer.receive(10, NEVER)).commit();
    committing.catch(() => {});
    await consumer.close();
    await expect(committing).rejects.toThrow(/closed/);
    expect([source.commits.length, context.clock.pending]).toEqual([0, 0]);
  });

  it("counts as dropped when it goes back to a source that takes nothing back", async () => {
    const below = { acknowledges: false, takesBack: false };
    const { source, consumer, context } = await open({}, { below });
    context.accounting.receive(2);
    source.push(of("a", "a"));
    await (await consumer.receive(10, NEVER)).commit([NO]);
    expect([context.accounting.get("dropped"), context.accounting.get("nacked")]).toEqual([1, 0]);
  });
});
