import { NACK } from "@mqb/core/plugin";
import { FakeClock, FakeScope, fakeContext, messageBatch, recordingLogger, ScriptedConsumer } from "@mqb/testkit";
import { expect, it } from "vitest";
import standard from "../../src/index.ts";
import { cut } from "../failures.ts";
import { NEVER } from "../opened.ts";

interface Given {
  readonly phases?: number;
  readonly draining?: boolean;
  readonly session?: Map<string, unknown>;
  readonly scope?: FakeScope;
  readonly marker?: boolean;
}

async function setUp({ phases = 2, draining = false, session, scope, marker = false }: Given = {}) {
  const sources = Array.from({ length: phases }, () => new ScriptedConsumer());
  const opened: string[] = [];
  const clock = new FakeClock();
  const log = recordingLogger();
  const context = fakeContext({
    clock,
    log,
    draining,
    ...(session ? { session } : {}),
    ...(scope ? { scope } : {}),
    openConsumer: async (_, path, options) => {
      opened.push(`open ${path}${options?.draining ? " to its end" : ""}`);
      return sources[Number(/\d+/.exec(String(path))![0])]!;
    },
    pin: async (_, path) => void opened.push(`pin ${path}`),
  });
  const endpoints = sources.map((_, index) => ({ [`kind_${index}`]: {} }));
  const store = marker ? { cursor_id: "c", checkpoint_store: "memory:" } : {};
  const consumer = await standard.endpoints!["sequence"]!.input!.open({ endpoints, ...store }, context);
  const read = async () => {
    const delivery = await consumer.receive(100, NEVER);
    return { delivery, texts: Array.from(delivery.batch, (message) => message.text()) };
  };
  return { sources, opened, clock, log, context, consumer, read };
}

it("asks later phases to keep their position before the first one is opened, and opens one at a time", async () => {
  const { opened, sources, read } = await setUp({ phases: 3 });
  expect(opened).toEqual(["pin endpoints[1]", "pin endpoints[2]", "open endpoints[0] to its end"]);
  sources[0]!.push(messageBatch(1)).pushEmpty();
  const { delivery } = await read();
  await delivery.commit();
  const next = read();
  sources[1]!.pushEmpty();
  sources[2]!.push(messageBatch(1, { from: 7 }));
  expect((await next).texts).toEqual(["message 7"]);
  expect(opened.slice(3)).toEqual(["open endpoints[1] to its end", "open endpoints[2]"]);
  expect(sources.map((source) => source.closes)).toEqual([1, 1, 0]);
});

it("reads the last phase to its end in a drain, and streams it otherwise", async () => {
  for (const draining of [true, false]) {
    const { opened, sources, read } = await setUp({ draining });
    sources[0]!.pushEmpty();
    sources[1]!.pushEmpty();
    expect((await read()).texts).toEqual([]);
    expect(opened.at(-1)).toBe(`open endpoints[1]${draining ? " to its end" : ""}`);
  }
});

it("begins the next phase when every batch of the one before is acknowledged", async () => {
  const { sources, read } = await setUp();
  sources[0]!
    .push(messageBatch(1))
    .push(messageBatch(1, { from: 1 }))
    .pushEmpty();
  sources[1]!.push(messageBatch(1, { from: 2 }));
  const [first, second] = [await read(), await read()];
  const third = read();
  let isThere = false;
  void third.then(() => (isThere = true));
  await second.delivery.commit();
  await new Promise(setImmediate);
  expect(isThere).toBe(false);
  await first.delivery.commit();
  expect((await third).texts).toEqual(["message 2"]);
});

it("reads the same phase again when something of it was not acknowledged", async () => {
  const { sources, read } = await setUp();
  sources[0]!.push(messageBatch(1)).pushEmpty().push(messageBatch(1)).pushEmpty();
  sources[1]!.push(messageBatch(1, { from: 2 }));
  const first = await read();
  const again = read();
  await first.delivery.commit([NACK]);
  const second = await again;
  expect(second.texts).toEqual(["message 0"]);
  await second.delivery.commit();
  expect((await read()).texts).toEqual(["message 2"]);
});

it("reads the same phase again when only a middleware of it has given something back", async () => {
  const { sources, read, context } = await setUp();
  sources[0]!.push(messageBatch(1)).pushEmpty().push(messageBatch(1)).pushEmpty();
  sources[1]!.push(messageBatch(1, { from: 2 }));
  const first = await read();
  const again = read();
  context.accounting.returned();
  await first.delivery.commit();
  const second = await again;
  expect(second.texts).toEqual(["message 0"]);
  await second.delivery.commit();
  expect((await read()).texts).toEqual(["message 2"]);
});

it("takes an emptied batch not for the end of a phase", async () => {
  const { sources, read } = await setUp();
  sources[0]!.pushEmpty(true).push(messageBatch(1));
  const emptied = await read();
  expect(emptied.delivery.emptied).toBe(true);
  await emptied.delivery.commit();
  expect((await read()).texts).toEqual(["message 0"]);
});

it("says so when the next phase waits long", async () => {
  const { sources, read, clock, log } = await setUp();
  sources[0]!.push(messageBatch(1)).pushEmpty();
  sources[1]!.push(messageBatch(1, { from: 2 }));
  const first = await read();
  const next = read();
  await new Promise(setImmediate);
  await clock.advance(30_000);
  expect(log.at("warn")).toEqual([expect.stringContaining("phase 2 waits for 1 batches")]);
  await first.delivery.commit();
  expect((await next).texts).toEqual(["message 2"]);
});

it("stops waiting for the next phase when it is told to", async () => {
  const { sources, consumer, read } = await setUp();
  sources[0]!.push(messageBatch(1)).pushEmpty();
  await read();
  const stop = new AbortController();
  const next = consumer.receive(10, stop.signal);
  await new Promise(setImmediate);
  stop.abort();
  expect((await next).batch.length).toBe(0);
  expect(sources[1]!.asked).toEqual([]);
});

it("does not wait for ever for a phase that does not close", async () => {
  const { sources, read, clock } = await setUp();
  sources[0]!.pushEmpty();
  sources[0]!.close = () => new Promise(() => {});
  sources[1]!.push(messageBatch(1));
  expect((await clock.runUntil(read())).texts).toEqual(["message 0"]);
});

it("reads nothing of the next phase when it was told to stop meanwhile", async () => {
  const { sources, consumer } = await setUp();
  const stop = new AbortController();
  sources[0]!.pushEmpty();
  const { close } = sources[0]!;
  sources[0]!.close = async () => {
    stop.abort();
    await close.call(sources[0]);
  };
  expect((await consumer.receive(10, stop.signal)).batch.length).toBe(0);
  expect(sources[1]!.asked).toEqual([]);
});

it("goes on in the phase that was reached when the route reconnects", async () => {
  const session = new Map<string, unknown>();
  const first = await setUp({ session });
  first.sources[0]!.pushEmpty();
  first.sources[1]!.pushError(cut);
  await expect(first.read()).rejects.toThrow();
  const second = await setUp({ session });
  expect(second.opened).toEqual(["open endpoints[1]"]);
});

it("goes on in the phase that was reached when the process starts again, with a marker", async () => {
  const scope = new FakeScope();
  const first = await setUp({ scope, marker: true });
  first.sources[0]!.pushEmpty();
  first.sources[1]!.push(messageBatch(1));
  await first.read();
  const store = await first.context.openStore("memory:");
  const [entry] = await store.getMany(["sequence:c"]);
  expect(Buffer.from(entry!.value).toString()).toBe("1 kind_0,kind_1");
  expect((await setUp({ scope, marker: true })).opened).toEqual(["open endpoints[1]"]);
});

it("does not move the marker while something is not acknowledged", async () => {
  const scope = new FakeScope();
  const { sources, read, context } = await setUp({ scope, marker: true });
  sources[0]!.push(messageBatch(1)).pushEmpty().push(messageBatch(1));
  const first = await read();
  const again = read();
  await first.delivery.commit([NACK]);
  await again;
  const store = await context.openStore("memory:");
  expect(await store.getMany(["sequence:c"])).toEqual([undefined]);
});

it.each([
  ["0 file,kafka", "MQB_STANDARD_SEQUENCE_OTHER", /file,kafka.*kind_0,kind_1/],
  ["2 kind_0,kind_1", "MQB_STANDARD_SEQUENCE_MARKER", /2 kind_0/],
  ["int:5", "MQB_STANDARD_SEQUENCE_MARKER", /int:5/],
])("refuses to start with the marker %s", async (text, code, message) => {
  const scope = new FakeScope();
  const store = await fakeContext({ scope }).openStore("memory:");
  await store.putMany([{ key: "sequence:c", value: Buffer.from(text) }]);
  const refused = setUp({ scope, marker: true });
  await expect(refused).rejects.toMatchObject({ code, kind: "config", message: expect.stringMatching(message) });
});
