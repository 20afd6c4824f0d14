import { systemClock } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import {
  CollectingPublisher,
  FakeScope,
  fakeContext,
  fakePlugin,
  messageBatch,
  ScriptedConsumer,
  texts,
} from "../src/index.ts";
import { filterPublisher, middlewarePlugin, passConsumer } from "./support/middlewares.ts";

const signal = new AbortController().signal;

describe("fakeContext", () => {
  it("makes a local value once per scope", () => {
    const scope = new FakeScope();
    const [a, b] = [fakeContext({ scope }), fakeContext({ scope })];
    expect(a.local("key", () => ({}))).toBe(b.local("key", () => ({})));
    expect(fakeContext().local("key", () => 1)).toBe(1);
  });

  it("shares a resource until its last holder has released it", async () => {
    const context = fakeContext();
    const disposed: number[] = [];
    let made = 0;
    const hold = () =>
      context.share(
        "client",
        async () => ++made,
        async (value) => void disposed.push(value),
      );
    const [a, b] = await Promise.all([hold(), hold()]);
    expect([a.value, b.value, made]).toEqual([1, 1, 1]);
    await a.release();
    await a.release();
    expect(disposed).toEqual([]);
    expect(context.scope.held).toEqual(["client"]);
    await b.release();
    expect(disposed).toEqual([1]);
    expect(context.scope.held).toEqual([]);
    expect((await hold()).value).toBe(2);
  });

  it("does not keep a resource that could not be made", async () => {
    const context = fakeContext();
    const none = async (): Promise<void> => {};
    await expect(context.share("client", () => Promise.reject(new Error("refused")), none)).rejects.toThrow("refused");
    expect((await context.share("client", async () => 7, none)).value).toBe(7);
  });

  it("opens nested endpoints with their middlewares in the order of a route", async () => {
    const sink = new CollectingPublisher();
    const source = new ScriptedConsumer();
    const plugins = [
      middlewarePlugin({ input: passConsumer, output: filterPublisher }),
      fakePlugin({ sink: { publisher: sink }, source: { consumer: source } }),
    ];
    const context = fakeContext({ plugins });
    const publisher = await context.openPublisher({ sink: {}, middlewares: [{ mw: {} }] }, "dlq.endpoint");
    await publisher.send(messageBatch(2), signal);
    expect(texts(sink.messages)).toEqual(["message 0", "message 1"]);
    const consumer = await context.openConsumer({ source: {}, middlewares: ["mw"] }, "[0]");
    await consumer.close();
    expect(source.closed).toBe(true);
  });

  it("gives a nested endpoint its own place and a session that lasts", async () => {
    const seen: { path: string; side: string; session: Map<string, unknown> }[] = [];
    const publisher = (_: unknown, { path, side, session }: (typeof seen)[number]) => {
      seen.push({ path, side, session });
      return new CollectingPublisher();
    };
    const context = fakeContext({
      plugins: [fakePlugin({ sink: { publisher } })],
      path: "output.fanout",
      side: "output",
    });
    await context.openPublisher({ sink: {} }, "[1]");
    await context.openPublisher({ sink: {} }, "[1]");
    await context.openPublisher({ sink: {} }, "mirror");
    expect(seen.map(({ path }) => path)).toEqual(["output.fanout[1]", "output.fanout[1]", "output.fanout.mirror"]);
    expect(seen[0]!.session).toBe(seen[1]!.session);
    expect(seen[0]!.session).not.toBe(seen[2]!.session);
  });

  it("names what it cannot open", async () => {
    const context = fakeContext({ plugins: [fakePlugin({ sink: { publisher: () => new CollectingPublisher() } })] });
    await expect(context.openPublisher({ kafka: {} }, "x")).rejects.toMatchObject({
      code: "MQB_TESTKIT_UNKNOWN_ENDPOINT",
    });
    await expect(context.openConsumer({ sink: {} }, "x")).rejects.toMatchObject({ code: "MQB_TESTKIT_WRONG_SIDE" });
    await expect(context.openPublisher({ sink: {}, middlewares: [{ no: {} }] }, "x")).rejects.toMatchObject({
      code: "MQB_TESTKIT_UNKNOWN_MIDDLEWARE",
    });
    await expect(context.openStore("redis://host")).rejects.toMatchObject({ code: "MQB_TESTKIT_UNKNOWN_STORE" });
    expect(() => context.expressions()).toThrow("no plugin that compiles expressions");
  });

  it("opens a store of the scope that outlives its handles", async () => {
    const context = fakeContext();
    const store = await context.openStore("memory:a");
    await store.putMany([{ key: "k", value: Buffer.from("1") }]);
    await store.close();
    const again = await context.openStore("memory:a");
    expect((await again.getMany(["k"]))[0]?.key).toBe("k");
    expect((await (await context.openStore("memory:b")).getMany(["k"]))[0]).toBeUndefined();
  });

  it("takes overrides, and aborts by hand or with the given signal", () => {
    const stop = new AbortController();
    const context = fakeContext({
      clock: systemClock,
      signal: stop.signal,
      draining: true,
      references: { a: { x: 1 } },
    });
    expect(context).toMatchObject({ clock: systemClock, draining: true });
    expect([context.reference("a"), context.reference("toString")]).toEqual([{ x: 1 }, undefined]);
    expect(context.signal.aborted).toBe(false);
    stop.abort();
    expect(context.signal.aborted).toBe(true);
    const other = fakeContext();
    other.abort("enough");
    expect(other.signal.reason).toBe("enough");
  });
});
