import { hostname } from "node:os";
import type { StateStore } from "@mqb/core/plugin";
import { runProcess } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import type { AggregateConfig } from "../src/index.ts";
import { batchFrom, byK, contextWith, never, opened, storeOf } from "./folding.ts";

const config: AggregateConfig = { ...byK, store: "memory:", fields: { n: "count" } };
const KEY = "mqb_aggregate_test/:writer:a";

/** A route of its own in the same bridge: it shares the store, and nothing else. */
function another(context: ReturnType<typeof contextWith>) {
  return contextWith({ scope: context.scope, clock: context.clock });
}

/** What another process has left in the store. */
async function left(store: StateStore, holder: object): Promise<void> {
  await store.putMany([{ key: KEY, value: Buffer.from(JSON.stringify({ id: "other", ...holder })) }]);
}

async function holderIn(store: StateStore): Promise<Record<string, unknown> | undefined> {
  const [entry] = await store.getMany([KEY]);
  return entry && (JSON.parse(Buffer.from(entry.value).toString()) as Record<string, unknown>);
}

const LEASED = { code: "MQB_AGGREGATE_LEASED", kind: "connection" };

describe("a single writer with a store", () => {
  it("refuses another one as long as it is open, by the name of its process", async () => {
    const context = contextWith();
    const first = await opened(config, context);
    const second = opened(config, another(context));
    await expect(second).rejects.toMatchObject(LEASED);
    await expect(second).rejects.toThrow(`process ${process.pid} on ${hostname()}`);
    await first.publisher.close();
    await first.publisher.close();
    expect(await holderIn(storeOf(context))).toMatchObject({ until: 0 });
    await (await opened(config, another(context))).publisher.close();
  });

  it.each<[string, AggregateConfig]>([
    ["another place of the result", { ...config, into: "b" }],
    ["other states", { ...config, table: "others" }],
    ["shared states", { ...config, consistency: "shared" }],
    ["states that it only reads", { ...config, read_only: true }],
  ])("does not keep out who has %s", async (_, other) => {
    const context = contextWith();
    const first = await opened(config, context);
    const second = await opened(other, another(context));
    await second.publisher.close();
    await first.publisher.close();
  });

  it("takes over at once from a process of this host that has ended", async () => {
    const context = contextWith();
    await using child = runProcess({ args: ["-e", "console.log(process.pid)"] });
    const pid = Number(await child.line(/^\d+$/));
    await child.ended;
    await left(storeOf(context), { pid, host: hostname(), until: context.clock.now() + 10_000 });
    const { publisher } = await opened(config, context);
    expect(await holderIn(storeOf(context))).toMatchObject({ pid: process.pid });
    await publisher.close();
  });

  it("takes over from another host when its time is over, not before", async () => {
    const context = contextWith();
    const until = context.clock.now() + 10_000;
    await left(storeOf(context), { pid: 1, host: "elsewhere.example", until });
    await expect(opened(config, context)).rejects.toThrow("process 1 on elsewhere.example");
    await context.clock.advance(10_000);
    await (await opened(config, another(context))).publisher.close();
  });

  it("takes no notice of what is no lease", async () => {
    const context = contextWith();
    await storeOf(context).putMany([{ key: KEY, value: Buffer.from("[1.0]") }]);
    await (await opened(config, context)).publisher.close();
  });

  it("goes on after a reconnect although it could not give its lease back", async () => {
    const context = contextWith();
    const first = await opened(config, context);
    storeOf(context).fail(new Error("out of reach"));
    await first.publisher.close();
    storeOf(context).fail(undefined);
    expect(await holderIn(storeOf(context))).toMatchObject({ pid: process.pid });
    await (await opened(config, context)).publisher.close();
  });

  it("renews its lease as long as it is open, also after the store was out of reach", async () => {
    const context = contextWith();
    const { publisher } = await opened(config, context);
    storeOf(context).fail(new Error("out of reach"));
    await context.clock.advance(5_000);
    storeOf(context).fail(undefined);
    await context.clock.advance(5_000);
    expect(await holderIn(storeOf(context))).toMatchObject({ until: context.clock.now() + 15_000 });
    await publisher.close();
    expect(context.clock.pending).toBe(0);
  });

  it("does not fold while its lease has run out, until it has renewed it", async () => {
    const context = contextWith();
    const { publisher } = await opened(config, context);
    storeOf(context).fail(new Error("out of reach"));
    await context.clock.advance(15_000);
    storeOf(context).fail(undefined);
    const late = publisher.send(batchFrom(['{"k":1}']), never);
    await expect(late).rejects.toMatchObject({ code: "MQB_AGGREGATE_LEASE_GONE", kind: "connection" });
    await context.clock.advance(5_000);
    await publisher.send(batchFrom(['{"k":1}']), never);
    await publisher.close();
  });

  it("leaves the lease to somebody who has taken it unnoticed", async () => {
    const context = contextWith();
    const { publisher } = await opened(config, context);
    await left(storeOf(context), { pid: 1, host: "elsewhere.example", until: context.clock.now() + 60_000 });
    await publisher.close();
    expect(await holderIn(storeOf(context))).toMatchObject({ id: "other" });
  });

  it("ends its connection when somebody else has the lease, and leaves that to its holder", async () => {
    const context = contextWith();
    const { publisher } = await opened(config, context);
    await left(storeOf(context), { pid: 1, host: "elsewhere.example", until: context.clock.now() + 60_000 });
    await context.clock.advance(5_000);
    await expect(publisher.send(batchFrom(['{"k":1}']), never)).rejects.toMatchObject(LEASED);
    await publisher.close();
    expect(await holderIn(storeOf(context))).toMatchObject({ id: "other" });
  });
});
