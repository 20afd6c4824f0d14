import { describe, expect, it } from "vitest";
import type { MiddlewareDefinition } from "../../src/contract/definition.ts";
import { batchOf } from "../../src/message/batch.ts";
import { FakeConsumer } from "../fakes/consumer.ts";
import { harness, runToEnd } from "../fakes/harness.ts";
import { middleware, sink } from "../fakes/plugin.ts";
import { FakePublisher } from "../fakes/publisher.ts";

/** Appends its name to every payload that passes, in either direction. */
function stamp(name: string): MiddlewareDefinition {
  const stamped = (batch: Iterable<{ text(): string; with(c: { payload: Uint8Array }): never }>) =>
    batchOf(Array.from(batch, (message) => message.with({ payload: Buffer.from(message.text() + name) })));
  return middleware({
    input: (inner) => ({
      receive: async (max, signal) => {
        const delivery = await inner.receive(max, signal);
        return { ...delivery, batch: stamped(delivery.batch as never) };
      },
      close: () => inner.close(),
    }),
    output: (inner) => ({
      send: (batch, signal) => inner.send(stamped(batch as never), signal),
      close: () => inner.close(),
    }),
  });
}

describe("a `middlewares:` list", () => {
  const middlewares = { a: stamp("a"), b: stamp("b"), c: stamp("c") };

  it("is passed bottom-up on the input: the last entry touches a message first", async () => {
    const h = harness({
      consumer: new FakeConsumer([["-"]], { ends: true }),
      middlewares,
      route: { exit_on_empty: true, input: { source: {}, middlewares: ["a", "b", "c"] } },
    });
    expect((await runToEnd(h)).accounting).toMatchObject({ received: 1, delivered: 1 });
    expect(h.publisher.texts).toEqual(["-cba"]);
  });

  it("is passed bottom-up on the output too", async () => {
    const h = harness({
      consumer: new FakeConsumer([["-"]], { ends: true }),
      middlewares,
      route: { exit_on_empty: true, output: { sink: {}, middlewares: ["a", "b", "c"] } },
    });
    await runToEnd(h);
    expect(h.publisher.texts).toEqual(["-cba"]);
  });

  it("is run by an output that discards", async () => {
    const discard = new FakePublisher();
    const h = harness({
      consumer: new FakeConsumer([["-"]], { ends: true }),
      middlewares,
      endpoints: { null: sink(() => discard) },
      route: { exit_on_empty: true, output: { middlewares: ["a"] } },
    });
    await runToEnd(h);
    expect(discard.texts).toEqual(["-a"]);
  });

  it("tells each entry what the end that it wraps can do, and what those below it make of that", async () => {
    const seen: string[] = [];
    const note = (name: string): MiddlewareDefinition =>
      middleware({
        input: (inner, _, { below }) => {
          seen.push(`${name} acknowledges ${below.acknowledges}`);
          return inner;
        },
        inputCapabilities: (below) => ({ ...below, acknowledges: !below.acknowledges }),
        output: (inner, _, { below }) => {
          seen.push(`${name} replies ${below.replies}`);
          return inner;
        },
        outputCapabilities: (below) => ({ ...below, replies: !below.replies }),
      });
    const list = ["a", "b"];
    const h = harness({
      consumer: new FakeConsumer([], { ends: true }),
      middlewares: { a: note("a"), b: note("b") },
      route: {
        exit_on_empty: true,
        input: { source: {}, middlewares: list },
        output: { sink: {}, middlewares: list },
      },
    });
    await runToEnd(h);
    expect(seen).toEqual(["a replies false", "b replies true", "b acknowledges true", "a acknowledges false"]);
  });
});
