import { createBridge, createRegistry } from "@mqb/core";
import standard from "@mqb/standard";
import { CollectingPublisher, fakePlugin, lineBatch, ScriptedConsumer, texts, within } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import plugin from "../src/index.ts";
import { CODECS } from "./compressing.ts";

const names = Array.from({ length: 2000 }, (_, n) => `message ${n}`);

function setUp() {
  const source = new ScriptedConsumer();
  const sink = new CollectingPublisher();
  const fakes = fakePlugin({ source: { consumer: source }, sink: { publisher: sink } });
  const bridge = createBridge({ registry: createRegistry([standard, plugin, fakes]), drainIdleMs: 50 });
  const run = async (name: string, input: object, output: object, concurrency: number) => {
    const route = bridge.route(name, { input, output, concurrency, batch_size: 100, exit_on_empty: true });
    await route.start();
    return within(route.done, `the route ${name} ends`);
  };
  for (let at = 0; at < names.length; at += 100) source.push(lineBatch(100, { from: at, metadata: true }));
  source.pushEmpty();
  return { source, sink, run };
}

const all = { outcome: "completed", accounting: { received: 2000, delivered: 2000, inFlight: 0 } };

describe.each([1, 8])("with a concurrency of %i", (concurrency) => {
  it.each(CODECS)("what one route compresses with %s another one decompresses, in order", async (algorithm) => {
    const { sink, run } = setUp();
    const memory = { topic: "between", capacity: 100 };
    const middlewares = [{ compression: { algorithm } }];
    expect(await run("write", { source: {} }, { memory, middlewares }, concurrency)).toMatchObject(all);
    expect(await run("read", { memory, middlewares }, { sink: {} }, concurrency)).toMatchObject(all);
    expect(texts(sink.messages)).toEqual(names);
    expect(sink.messages.every((message, n) => message.metadata.get("n") === String(n))).toBe(true);
  });

  it("packed messages are compressed as a whole, and mirrored lists undo it", async () => {
    const { sink, run } = setUp();
    const memory = { topic: "packed", capacity: 100 };
    const written = [{ compression: { algorithm: "zstd" } }, { pack: { max_messages: 50 } }];
    const read = [{ unpack: {} }, { compression: { algorithm: "zstd" } }];
    expect(await run("write", { source: {} }, { memory, middlewares: written }, concurrency)).toMatchObject(all);
    const { accounting } = await run("read", { memory, middlewares: read }, { sink: {} }, concurrency);
    expect(accounting).toMatchObject({ received: 2000, delivered: 2000, inFlight: 0 });
    expect(texts(sink.messages)).toEqual(names);
  });
});

it("a list that is copied instead of mirrored fails at the first message", async () => {
  const { run } = setUp();
  const memory = { topic: "copied", capacity: 100 };
  await run("write", { source: {} }, { memory, middlewares: ["compression", "pack"] }, 1);
  const result = await run("read", { memory, middlewares: ["compression", "unpack"] }, { sink: {} }, 1);
  expect(result).toMatchObject({ outcome: "failed", error: { code: "MQB_STANDARD_UNPACK_FAILED" } });
});
