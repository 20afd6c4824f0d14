import { createBridge, createRegistry } from "@mqb/core";
import { batchOf, DEAD_LETTERED, failed, Message, type Outcome } from "@mqb/core/plugin";
import { CollectingPublisher, fakePlugin, ScriptedConsumer, within } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { busy } from "../failures.ts";
import { NEVER } from "../opened.ts";
import { ROWS } from "./rows.ts";
import { workspacePlugins } from "./workspace.ts";

const plugins = await workspacePlugins();
const registry = createRegistry(plugins);
const has = (...names: string[]) => names.every((name) => registry.middleware(name));

function setUp() {
  const source = new ScriptedConsumer();
  const sink = new CollectingPublisher();
  const dead = new CollectingPublisher();
  const fakes = fakePlugin({ source: { consumer: source }, sink: { publisher: sink }, dead: { publisher: dead } });
  const bridge = createBridge({ registry: createRegistry([...plugins, fakes]), drainIdleMs: 50 });
  return { source, sink, dead, bridge };
}

const json = (...payloads: string[]) => payloads.map((payload) => new Message(payload));
const texts = (list: Iterable<Message>) => Array.from(list, (message) => message.text());

async function send(list: readonly unknown[], messages: readonly Message[], set = setUp()) {
  const publisher = await set.bridge.openPublisher({ sink: {}, middlewares: list });
  const outcomes = await within(publisher.send(batchOf(messages), NEVER), "it is sent");
  return outcomes ?? messages.map((): Outcome => ({ type: "accepted" }));
}

const RETRY = { retry: { max_attempts: 3, initial_interval_ms: 0 } };
const DLQ = { dlq: { endpoint: { dead: {} } } };
const TRANSFORM = { transform: { schema: { type: "object", required: ["id"] } } };
const { compression, encryption } = ROWS;
const COMPRESSION = { compression: compression!.config };
const ENCRYPTION = { encryption: encryption!.config };

describe("the lists of the documentation, with what comes of them", () => {
  it("[transform, retry, dlq]: a rejection goes straight to the dead letters; what fails for a time is tried again before", async () => {
    const set = setUp();
    const tries = new Map<string, number>();
    set.sink.failWhen((message) => {
      const count = (tries.get(message.text()) ?? 0) + 1;
      tries.set(message.text(), count);
      return message.text().includes("never") || (message.text().includes("soon") && count < 3) ? busy : undefined;
    });
    const messages = json('{"x":1}', '{"id":"soon"}', '{"id":"never"}', '{"id":1}');
    const outcomes = await send([TRANSFORM, RETRY, DLQ], messages, set);
    expect(outcomes.map(({ type }) => type)).toEqual(["dead_lettered", "accepted", "dead_lettered", "accepted"]);
    expect(texts(set.dead.messages)).toEqual(['{"x":1}', '{"id":"never"}']);
    expect([...tries]).toEqual([
      ['{"id":"soon"}', 3],
      ['{"id":"never"}', 3],
      ['{"id":1}', 1],
    ]);
  });

  it("[dlq, retry]: exhausted retries never come back through the dlq, and the route returns the message", async () => {
    const set = setUp();
    set.sink.failWhen(() => busy);
    const outcomes = await send([DLQ, RETRY], json("1"), set);
    expect(outcomes).toEqual([failed(expect.objectContaining({ code: "MQB_STANDARD_RETRIES_EXHAUSTED" }))]);
    expect([set.sink.sends.length, set.dead.messages.length]).toEqual([3, 0]);
  });

  it("[timeout, retry]: each attempt has the time for itself", async () => {
    const set = setUp();
    set.sink.stall();
    const sending = send([{ timeout: { timeout_ms: 5 } }, RETRY, DLQ], json("1"), set);
    expect(await sending).toEqual([DEAD_LETTERED]);
    expect(set.sink.sends.length).toBe(3);
  });

  it("[retry, timeout]: all attempts together have the time of one", async () => {
    const set = setUp();
    set.sink.failWhen(() => busy);
    const slow = { retry: { max_attempts: 100, initial_interval_ms: 3_600_000, max_interval_ms: 3_600_000 } };
    const outcomes = await send([slow, { timeout: { timeout_ms: 5 } }], json("1"), set);
    expect(outcomes).toEqual([failed(expect.objectContaining({ code: "MQB_STANDARD_SEND_TIMEOUT" }))]);
    expect(set.sink.sends.length).toBe(1);
  });

  it("a handler runs once, however often the sink is tried, and its own failures are no dead letters", async () => {
    const { source, sink, dead, bridge } = setUp();
    let failures = 2;
    sink.failWhen(() => (failures-- > 0 ? busy : undefined));
    const calls: string[] = [];
    const handler = (message: Message) => {
      calls.push(message.text());
      if (message.text() === "bad") throw Object.assign(new Error("no"), { retryable: false });
      return message;
    };
    source.push(json("good", "bad")).pushEmpty();
    const config = { input: { source: {} }, output: { sink: {}, middlewares: [RETRY, DLQ] }, exit_on_empty: true };
    const route = bridge.route("r", config, { handler });
    await route.start();
    expect((await within(route.done, "it ends")).accounting).toMatchObject({
      delivered: 1,
      dropped: 1,
      deadLettered: 0,
    });
    expect([calls, texts(sink.messages), dead.messages]).toEqual([["good", "bad"], ["good"], []]);
  });

  it.runIf(has("pack"))(
    "[pack, buffer]: a physical message holds what several sends brought; [buffer, pack]: what one did",
    async () => {
      const buffer = { buffer: { max_messages: 3, max_delay_ms: 60_000 } };
      const both = async (list: readonly unknown[]) => {
        const { sink, bridge } = setUp();
        const publisher = await bridge.openPublisher({ sink: {}, middlewares: list });
        await within(
          Promise.all(["1", "2", "3"].map((text) => publisher.send(batchOf(json(text)), NEVER))),
          "all are sent",
        );
        return sink.messages.map((message) => message.metadata.get("mqb.pack.count"));
      };
      expect(await both([{ pack: {} }, buffer])).toEqual(["3"]);
      expect(await both([buffer, { pack: {} }])).toEqual(["1", "1", "1"]);
    },
  );

  it.runIf(has("aggregate", "deduplication"))(
    "[aggregate, deduplication]: duplicates are dropped and not counted; the other way round they are counted first",
    async () => {
      const aggregate = {
        aggregate: { consistency: "single_writer", key: "${payload:of}", into: "seen", fields: { n: "count" } },
      };
      const deduplication = { deduplication: { store: "memory://", ttl_seconds: 60, key: "${payload:id}" } };
      const counts = async (list: readonly unknown[]) => {
        const { source, sink, bridge } = setUp();
        source.push(json('{"of":"a","id":1}', '{"of":"a","id":1}', '{"of":"a","id":2}')).pushEmpty();
        const config = { input: { source: {}, middlewares: list }, output: { sink: {} }, exit_on_empty: true };
        const route = bridge.route("r", config);
        await route.start();
        expect(await within(route.done, "it ends")).toMatchObject({ outcome: "completed" });
        return sink.messages.map((message) => (message.json() as { seen: { n: number } }).seen.n);
      };
      expect(await counts([aggregate, deduplication])).toEqual([1, 2]);
      expect(await counts([deduplication, aggregate])).toEqual([1, 3]);
    },
  );

  it.runIf(has("deduplication"))(
    "[deduplication, id]: the id is there when the key is read; the other way round it is not",
    async () => {
      const deduplication = { deduplication: { store: "memory://", ttl_seconds: 60, key: "${metadata:mqb.id}" } };
      const id = { id: "${payload:id}" };
      const kept = async (list: readonly unknown[]) => {
        const { source, sink, bridge } = setUp();
        source.push(json('{"id":1}', '{"id":1}')).pushEmpty();
        const route = bridge.route("r", {
          input: { source: {}, middlewares: list },
          output: { sink: {} },
          exit_on_empty: true,
        });
        await route.start();
        await within(route.done, "it ends");
        return sink.messages.length;
      };
      expect(await kept([deduplication, id])).toBe(1);
      expect(await kept([id, deduplication])).toBe(2);
    },
  );

  describe.runIf(has("compression", "encryption"))("a route that reads what another one wrote", () => {
    /** What an input list makes of what an output list has written. */
    async function read(written: readonly unknown[], list: readonly unknown[]): Promise<readonly string[]> {
      const { source, sink, bridge } = setUp();
      const publisher = await bridge.openPublisher({ sink: {}, middlewares: written });
      await publisher.send(batchOf(json("a".repeat(500), "b")), NEVER);
      await publisher.close();
      source.push(sink.messages);
      const consumer = await bridge.openConsumer({ source: {}, middlewares: list });
      const found: string[] = [];
      while (found.length < 2) {
        const { batch, commit } = await within(consumer.receive(10, NEVER), "it is read");
        found.push(...texts(batch));
        await commit();
      }
      return found;
    }
    const plain = ["a".repeat(500), "b"];
    const onError = { encryption: { ...(encryption!.config as object), on_error: "fail" } };

    it("needs the mirror of its list", async () => {
      expect(await read([COMPRESSION, ENCRYPTION], [ENCRYPTION, COMPRESSION])).toEqual(plain);
      expect(await read([ENCRYPTION, COMPRESSION], [COMPRESSION, ENCRYPTION])).toEqual(plain);
    });

    it("fails on the first message with a copy of it", async () => {
      await expect(read([COMPRESSION, ENCRYPTION], [COMPRESSION, onError])).rejects.toMatchObject({
        kind: "permanent",
      });
    });

    it.runIf(has("pack", "unpack"))("undoes the whole stack of pack, compression and encryption", async () => {
      const buffer = { buffer: { max_messages: 2, max_delay_ms: 20 } };
      const writing = [ENCRYPTION, COMPRESSION, { pack: {} }, buffer];
      expect(await read(writing, [{ unpack: {} }, COMPRESSION, ENCRYPTION])).toEqual(plain);
      await expect(read(writing, [COMPRESSION, { unpack: {} }, onError])).rejects.toMatchObject({ kind: "permanent" });
    });
  });

  it("a nested list follows the rule by itself, apart from the list that it stands in", async () => {
    const set = setUp();
    const calls: string[] = [];
    set.sink.failWhen(() => busy);
    set.dead.failWhen((message) => {
      calls.push(message.metadata.get("mq_bridge.retry.attempt") ?? "1");
      return calls.length < 3 ? busy : undefined;
    });
    const endpoint = { dead: {}, middlewares: [{ retry: { max_attempts: 3, initial_interval_ms: 0 } }] };
    expect(await send([{ retry: { max_attempts: 1 } }, { dlq: { endpoint } }], json("1"), set)).toEqual([
      DEAD_LETTERED,
    ]);
    expect([set.sink.sends.length, calls]).toEqual([1, ["1", "2", "3"]]);
  });
});
