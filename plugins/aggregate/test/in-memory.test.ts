import { texts } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { batchFrom, byK, contextWith, never, opened } from "./folding.ts";

const config = { ...byK, fields: { n: "count" } };
const row = (k: number): string => JSON.stringify({ k });

describe("states in memory only", () => {
  it("outlive a reconnect of the route", async () => {
    const context = contextWith();
    const first = await opened(config, context);
    await first.publisher.send(batchFrom([row(1)]), never);
    await first.publisher.close();
    const second = await opened(config, context);
    await second.publisher.send(batchFrom([row(1)]), never);
    expect(texts(second.sink.messages)).toEqual(['{"k":1,"a":{"n":2}}']);
  });

  it("do not outlive the route", async () => {
    const context = contextWith();
    await (await opened(config, context)).publisher.send(batchFrom([row(1)]), never);
    const other = await opened(config, contextWith({ scope: context.scope }));
    await other.publisher.send(batchFrom([row(1)]), never);
    expect(texts(other.sink.messages)).toEqual(['{"k":1,"a":{"n":1}}']);
  });

  it("are bounded: the half that was used least recently begins anew, with one warning", async () => {
    const { publisher, sink, context } = await opened({ ...config, max_keys: 4 });
    for (const keys of [[1, 2, 3, 4], [1, 2], [5], [1, 2, 5], [3, 4, 6, 7, 8], [9, 10]]) {
      await publisher.send(batchFrom(keys.map(row)), never);
    }
    const counts = texts(sink.messages).map((text) => Number(/"n":(\d)/.exec(text)![1]));
    // 3 and 4 go when 5 comes.
    expect(counts).toEqual([1, 1, 1, 1, 2, 2, 1, 3, 3, 2, 1, 1, 1, 1, 1, 1, 1]);
    expect(context.log.entries.map(({ level }) => level)).toEqual(["warn"]);
  });

  it("are unbounded with max_keys: 0", async () => {
    const { publisher, sink } = await opened({ ...config, max_keys: 0 });
    const keys = Array.from({ length: 5000 }, (_, k) => row(k));
    await publisher.send(batchFrom(keys), never);
    await publisher.send(batchFrom(keys), never);
    expect(texts(sink.messages).filter((text) => text.includes('"n":2'))).toHaveLength(5000);
  });

  it("of a key that was only ever rejected take no room", async () => {
    const { publisher, sink, context } = await opened({ ...byK, fields: { s: "sum(v)" }, max_keys: 2 });
    await publisher.send(batchFrom(['{"k":0,"v":1}']), never);
    await publisher.send(batchFrom(Array.from({ length: 100 }, (_, k) => `{"k":${k + 1}}`)), never);
    await publisher.send(batchFrom(['{"k":0,"v":1}']), never);
    expect(texts(sink.messages).at(-1)).toBe('{"k":0,"v":1,"a":{"s":2.0}}');
    expect(context.log.entries).toEqual([]);
  });

  it("that grow with each message are refused beyond a mebibyte", async () => {
    const expression = "{ l: flatMap([state.l ?? [], [v]], #) }";
    const text = "x".repeat(400_000);
    const { publisher } = await opened({ ...byK, expression });
    const send = async () => (await publisher.send(batchFrom([`{"k":1,"v":"${text}"}`]), never))?.[0];
    expect(await send()).toBeUndefined();
    expect(await send()).toBeUndefined();
    expect(await send()).toMatchObject({ error: { message: expect.stringContaining("grown too large") } });
  });
});
