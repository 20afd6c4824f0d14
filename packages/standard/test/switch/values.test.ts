import { ACCEPTED, batchOf, FILTERED, failed, Message, type Slab, slabBatch } from "@mqb/core/plugin";
import { slabOf, texts } from "@mqb/testkit";
import { expect, it } from "vitest";
import { busy, cut } from "../failures.ts";
import { NEVER } from "../opened.ts";
import { setUp } from "./setup.ts";

const CASES = { metadata_key: "kind", cases: { a: "A", "200": "B" }, default: "D" };

/** Messages `0`, `1`, … with these kinds; undefined = none. */
function ofKinds(...kinds: (string | undefined)[]): Message[] {
  return kinds.map((kind, n) => new Message(String(n), kind === undefined ? undefined : new Map([["kind", kind]])));
}

it("sends each message by the exact value, in order, and what matches nothing to the default", async () => {
  const { sinks, publisher } = await setUp(CASES);
  const batch = batchOf(ofKinds("a", "200", "A", undefined, "a", "", "200"));
  expect(await publisher.send(batch, NEVER)).toBeUndefined();
  expect(Object.fromEntries(Object.entries(sinks).map(([name, sink]) => [name, texts(sink.messages)]))).toEqual({
    A: ["0", "4"],
    B: ["1", "6"],
    D: ["2", "3", "5"],
  });
});

it("sends one part per destination, which shares the slab", async () => {
  const { sinks, publisher } = await setUp(CASES);
  const batch = slabOf(ofKinds("a", "200", "a", "x"));
  await publisher.send(batch, NEVER);
  expect(sinks["A"]!.sends).toHaveLength(1);
  expect(sinks["A"]!.sends[0]!.slab!.bytes).toBe(batch.slab!.bytes);
});

it("passes a batch on as it is when all of it goes to one destination", async () => {
  const { sinks, publisher } = await setUp(CASES);
  const batch = slabOf(ofKinds("a", "a"));
  await publisher.send(batch, NEVER);
  expect(sinks["A"]!.sends[0]).toBe(batch);
});

it("looks at metadata that a batch shares only once", async () => {
  const { sinks, publisher } = await setUp(CASES);
  const slab: Slab = { bytes: Buffer.from("xy"), starts: Uint32Array.of(0, 1), ends: Uint32Array.of(1, 2) };
  const fields = {
    metadata: () => {
      throw new Error("nobody needs the metadata of single messages");
    },
  };
  const batch = slabBatch(slab, fields, new Map([["kind", "200"]]));
  await publisher.send(batch, NEVER);
  expect(sinks["B"]!.sends[0]).toBe(batch);
});

it("drops what matches nothing where there is no default, counts it, and says so ever more rarely", async () => {
  const { publisher, context } = await setUp({ metadata_key: "kind", cases: { a: "A" } });
  expect(await publisher.send(batchOf(ofKinds("a", "b", "a")), NEVER)).toEqual([ACCEPTED, FILTERED, ACCEPTED]);
  for (let n = 0; n < 120; n++) await publisher.send(batchOf(ofKinds("b")), NEVER);
  expect(publisher.status!()).toMatchObject({ healthy: true, details: { unmatched: 121 } });
  expect(context.log.at("warn")).toEqual([1, 10, 100].map((n) => expect.stringContaining(`dropped ${n} message(s)`)));
});

it("drops a whole batch, and that of shared metadata, without a send", async () => {
  const { publisher, sinks } = await setUp({ metadata_key: "kind", cases: { a: "A" } });
  expect(await publisher.send(batchOf(ofKinds("b", "b")), NEVER)).toEqual([FILTERED, FILTERED]);
  const shared = batchOf(ofKinds("b", "b"), new Map([["kind", "b"]]));
  expect(await publisher.send(shared, NEVER)).toEqual([FILTERED, FILTERED]);
  expect(sinks["A"]!.sends).toEqual([]);
});

it("gives outcomes by position, also when one destination fails as a whole", async () => {
  const { sinks, publisher } = await setUp(CASES);
  sinks["A"]!.rejectNext(cut);
  sinks["B"]!.failAt([1], busy);
  sinks["D"]!.replyWith((message) => message);
  const batch = batchOf(ofKinds("a", "200", "200", "d", "a"));
  expect(await publisher.send(batch, NEVER)).toEqual([
    failed(cut),
    ACCEPTED,
    failed(busy),
    { type: "replied", message: batch.at(3) },
    failed(cut),
  ]);
});

it("sends the parts at the same time, and does not lose outcomes for one that hears nothing of a stop", async () => {
  const { sinks, publisher, clock } = await setUp(CASES);
  sinks["B"]!.send = () => new Promise(() => {});
  const stop = new AbortController();
  const sending = publisher.send(batchOf(ofKinds("200", "a")), stop.signal);
  await sinks["A"]!.collected(1);
  stop.abort();
  expect(await clock.runUntil(sending)).toEqual([
    failed(expect.objectContaining({ message: expect.stringContaining("cases.200") })),
    ACCEPTED,
  ]);
});

it.each(["__proto__", "constructor", "toString", ""])("takes %j for a value like any other", async (value) => {
  const { sinks, publisher } = await setUp({ metadata_key: "kind", cases: { a: "A" }, default: "D" });
  await publisher.send(batchOf(ofKinds(value)), NEVER);
  expect(texts(sinks["D"]!.messages)).toEqual(["0"]);
});

it("flushes, closes and reports every destination", async () => {
  const { sinks, publisher } = await setUp(CASES);
  sinks["B"]!.health = { healthy: false, target: "b" };
  expect(publisher.status!()).toMatchObject({ healthy: false, details: { switch: { "cases.a": {}, default: {} } } });
  await publisher.flush!();
  await publisher.close();
  expect(Object.values(sinks).map((sink) => [sink.flushes, sink.closes])).toEqual([
    [1, 1],
    [1, 1],
    [1, 1],
  ]);
});
