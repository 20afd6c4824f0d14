import { batchOf, type StateStore } from "@mqb/core/plugin";
import { texts } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import type { AggregateConfig } from "../src/index.ts";
import { batchFrom, byK, contextWith, never, opened, storeOf } from "./folding.ts";

const config: AggregateConfig = { ...byK, consistency: "shared", store: "memory:", fields: { n: "count" } };
const row = (k: number | string): string => JSON.stringify({ k });

/** A store in which somebody else changes a key before each of the first `times` writes. */
function contended(inner: StateStore, key: string, times: number): StateStore {
  let left = times;
  return {
    getMany: (keys) => inner.getMany(keys),
    deleteMany: (keys) => inner.deleteMany(keys),
    close: () => inner.close(),
    async putMany(writes) {
      if (left-- > 0) {
        const [current] = await inner.getMany([key]);
        const count = Number(/\d+/.exec(Buffer.from(current?.value ?? "[0.0]").toString())![0]);
        await inner.putMany([{ key, value: Buffer.from(`[${count + 1}.0]`) }]);
      }
      return inner.putMany(writes);
    },
  };
}

describe("shared states", () => {
  it("are loaded and written with one call each per batch, whatever the number of keys", async () => {
    const { publisher, sink, context } = await opened(config);
    const store = storeOf(context);
    await publisher.send(batchFrom([1, 2, 1, 3, 1].map(row)), never);
    expect(store.calls).toMatchObject({ getMany: 1, putMany: 1 });
    expect(texts(sink.messages)).toEqual([1, 1, 2, 1, 3].map((n, i) => `{"k":${[1, 2, 1, 3, 1][i]},"a":{"n":${n}}}`));
  });

  it("are counted right when several instances fold the same keys at the same time", async () => {
    const context = contextWith();
    const instances = await Promise.all([1, 2, 3, 4].map(() => opened(config, context)));
    await Promise.all(
      instances.flatMap(({ publisher }) =>
        Array.from({ length: 10 }, () => publisher.send(batchFrom([1, 2, 1].map(row)), never)),
      ),
    );
    const [one, two] = await storeOf(context).getMany(["mqb_aggregate_test/a:1", "mqb_aggregate_test/a:2"]);
    expect([one, two].map((state) => Buffer.from(state!.value).toString())).toEqual(["[80.0]", "[40.0]"]);
    // Each number was given once.
    const given = instances.flatMap(({ sink }) => texts(sink.messages)).filter((text) => text.startsWith('{"k":1'));
    expect(new Set(given).size).toBe(80);
  });

  it("that others have changed are folded again, and only those", async () => {
    const context = contextWith();
    const store = contended(storeOf(context), "mqb_aggregate_test/a:1", 3);
    const { publisher, sink } = await opened(config, { ...context, openStore: async () => store });
    await publisher.send(batchFrom([1, 2, 1].map(row)), never);
    expect(texts(sink.messages)).toEqual(['{"k":1,"a":{"n":4}}', '{"k":2,"a":{"n":1}}', '{"k":1,"a":{"n":5}}']);
    const [one, two] = await storeOf(context).getMany(["mqb_aggregate_test/a:1", "mqb_aggregate_test/a:2"]);
    expect([one, two].map((state) => Buffer.from(state!.value).toString())).toEqual(["[5.0]", "[1.0]"]);
  });

  it("that others change again and again are given up after 32 times, and the batch is retryable", async () => {
    const context = contextWith();
    const store = contended(storeOf(context), "mqb_aggregate_test/a:1", 1000);
    const { publisher, sink } = await opened(config, { ...context, openStore: async () => store });
    const outcomes = await publisher.send(batchFrom([1, 2].map(row)), never);
    expect(outcomes).toMatchObject([
      { type: "failed", error: { code: "MQB_AGGREGATE_CONTENDED", kind: "retryable" } },
      { type: "failed" },
    ]);
    expect(sink.messages).toEqual([]);
    expect(storeOf(context).calls.putMany).toBe(64);
  });

  it("that cannot be read or written are a retryable error, and the sink gets nothing", async () => {
    const context = contextWith();
    const store = storeOf(context);
    const { publisher, sink } = await opened(config, { ...context, openStore: async () => store });
    store.fail(new Error("gone"));
    const outcomes = await publisher.send(batchFrom([row(1)]), never);
    expect(outcomes).toMatchObject([
      { type: "failed", error: { code: "MQB_AGGREGATE_STORE_READ", kind: "retryable" } },
    ]);
    store.fail(undefined);
    store.putMany = async () => Promise.reject(new Error("full"));
    expect(await publisher.send(batchFrom([row(1)]), never)).toMatchObject([
      { error: { code: "MQB_AGGREGATE_STORE_WRITE", kind: "retryable" } },
    ]);
    expect(sink.sends).toEqual([]);
  });

  it("are written before the message goes on", async () => {
    const context = contextWith();
    const store = storeOf(context);
    const { publisher, sink } = await opened(config, { ...context, openStore: async () => store });
    const put = store.putMany.bind(store);
    store.putMany = async (writes) => {
      expect(sink.sends).toEqual([]);
      return put(writes);
    };
    await publisher.send(batchFrom([row(1)]), never);
    expect(sink.messages).toHaveLength(1);
  });

  it("of a batch in which nothing can be folded are not written", async () => {
    const { publisher, context } = await opened({ ...config, on_error: "skip" });
    await publisher.send(batchFrom(["plain", "{}"]), never);
    expect(storeOf(context).calls).toMatchObject({ getMany: 0, putMany: 0 });
    await publisher.send(batchOf([]), never);
  });

  it("that were stored before `time` was set are read and extended", async () => {
    const context = contextWith();
    const before = await opened({ ...config, fields: { n: "count", e: "ema(v, 0.5)" } }, context);
    await before.publisher.send(batchFrom(['{"k":1,"v":4}']), never);
    const after = await opened({ ...config, fields: { n: "count", e: "ema(v, 0.5)" }, time: "t" }, context);
    await after.publisher.send(batchFrom(['{"k":1,"v":4,"t":5}', '{"k":1,"v":4,"t":3}']), never);
    expect(after.sink.messages.map(({ metadata }) => metadata.get("mqb.aggregate.late"))).toEqual([undefined, "a"]);
    expect(texts(after.sink.messages).map((text) => /"n":\d/.exec(text)![0])).toEqual(['"n":2', '"n":3']);
  });

  it("lie under the route's name unless they are given another", async () => {
    const context = contextWith({ route: "my-route é" });
    await (await opened(config, context)).publisher.send(batchFrom([row(1)]), never);
    await (await opened({ ...config, table: "mine" }, context)).publisher.send(batchFrom([row(1)]), never);
    const found = await storeOf(context).getMany(["mqb_aggregate_my_route__/a:1", "mine/a:1"]);
    expect(found.every((state) => state !== undefined)).toBe(true);
  });
});

describe("read_only", () => {
  it("computes from the stored states and changes none", async () => {
    const context = contextWith();
    await (await opened(config, context)).publisher.send(batchFrom([row(1), row(1)]), never);
    for (const consistency of ["shared", "single_writer"] as const) {
      const reader = await opened({ ...config, consistency, read_only: true }, context);
      await reader.publisher.send(batchFrom([row(1), row(1), row(2)]), never);
      expect(texts(reader.sink.messages)).toEqual([
        '{"k":1,"a":{"n":3}}',
        '{"k":1,"a":{"n":3}}',
        '{"k":2,"a":{"n":1}}',
      ]);
      const previous = await opened({ ...config, consistency, read_only: true, emit: "previous" }, context);
      await previous.publisher.send(batchFrom([row(1), row(2)]), never);
      expect(texts(previous.sink.messages)).toEqual(['{"k":1,"a":{"n":2}}', '{"k":2,"a":null}']);
    }
    expect(storeOf(context).calls.putMany).toBe(1);
  });

  it("reads the states of another route by their name", async () => {
    const context = contextWith();
    await (await opened({ ...config, table: "t" }, context)).publisher.send(batchFrom([row(1)]), never);
    const other = contextWith({ scope: context.scope, route: "other" });
    const reader = await opened({ ...config, table: "t", read_only: true, emit: "previous" }, other);
    await reader.publisher.send(batchFrom([row(1)]), never);
    expect(texts(reader.sink.messages)).toEqual(['{"k":1,"a":{"n":1}}']);
  });
});
