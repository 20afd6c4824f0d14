import { batchOf, failed, Message } from "@mqb/core/plugin";
import { FakeClock, texts, within } from "@mqb/testkit";
import { expect, it } from "vitest";
import { NEVER, TestBridge } from "../opened.ts";

const of = (id: string | undefined, ...payloads: string[]) =>
  payloads.map((text) => new Message(text, id === undefined ? undefined : new Map([["correlation_id", id]])));

function setUp(output: object = {}, input: object = {}) {
  const bridge = new TestBridge();
  const clock = new FakeClock();
  const context = () => bridge.context({ clock });
  return {
    clock,
    publisher: () => bridge.publisher({ stream_buffer: { topic: "t", ...output } }, context()),
    consumer: (id: string) =>
      bridge.consumer({ stream_buffer: { topic: "t", correlation_id: id, ...input } }, context()),
  };
}

it("gives each reader the messages of its correlation id, in order, also those sent before it came", async () => {
  const { publisher, consumer } = setUp();
  const sink = await publisher();
  const b = await consumer("b");
  const list = [...of("a", "1"), ...of("b", "2"), ...of("a", "3"), ...of("b", "4")];
  expect(await sink.send(batchOf(list), NEVER)).not.toContainEqual(expect.objectContaining({ type: "failed" }));
  const a = await consumer("a");
  expect(texts((await a.receive(10, NEVER)).batch)).toEqual(["1", "3"]);
  expect(texts((await b.receive(10, NEVER)).batch)).toEqual(["2", "4"]);
});

it("passes on a batch of one stream as it is", async () => {
  const { publisher, consumer } = setUp();
  const batch = batchOf(of("a", "1", "2"));
  const shared = batchOf(of("a", "3"), new Map([["correlation_id", "a"]]));
  const sink = await publisher();
  expect(await sink.send(batch, NEVER)).toBeUndefined();
  expect(await sink.send(shared, NEVER)).toBeUndefined();
  const source = await consumer("a");
  expect((await source.receive(2, NEVER)).batch).toBe(batch);
  expect((await source.receive(10, NEVER)).batch).toBe(shared);
});

it("refuses messages without a correlation id for good, and no others", async () => {
  const { publisher, consumer } = setUp();
  const sink = await publisher();
  const refused = failed(expect.objectContaining({ code: "MQB_STANDARD_STREAM_NO_ID", kind: "permanent" }));
  expect(await sink.send(batchOf(of(undefined, "1")), NEVER)).toEqual([refused]);
  const outcomes = await sink.send(batchOf([...of("a", "1"), ...of(undefined, "2")]), NEVER);
  expect(outcomes).toEqual([{ type: "accepted" }, refused]);
  expect(texts((await (await consumer("a")).receive(10, NEVER)).batch)).toEqual(["1"]);
});

it("makes the sender of a full stream wait, and no other", async () => {
  const { publisher, consumer } = setUp({ capacity: 1 }, { capacity: 1 });
  const sink = await publisher();
  await sink.send(batchOf(of("a", "1")), NEVER);
  let done = false;
  const waiting = sink.send(batchOf(of("a", "2")), NEVER).then(() => {
    done = true;
  });
  expect(await sink.send(batchOf(of("b", "3")), NEVER)).toBeUndefined();
  expect(done).toBe(false);
  const source = await consumer("a");
  await (await source.receive(10, NEVER)).commit();
  await within(waiting, "the slot is free");
});

it("keeps what a reader has not settled for the next one, and forgets a stream that was read", async () => {
  const { publisher, consumer } = setUp();
  const sink = await publisher();
  await sink.send(batchOf(of("a", "1", "2")), NEVER);
  const first = await consumer("a");
  const delivery = await first.receive(1, NEVER);
  expect(texts(delivery.batch)).toEqual(["1"]);
  await first.close();
  const second = await consumer("a");
  const again = await second.receive(1, NEVER);
  expect(texts(again.batch)).toEqual(["1"]);
  await again.commit([{ type: "nack" }]);
  for (const text of ["1", "2"]) {
    const next = await second.receive(1, NEVER);
    expect(texts(next.batch)).toEqual([text]);
    await next.commit();
  }
  expect(sink.status!()).toMatchObject({ details: { streams: 1 } });
  await second.close();
  await second.close();
  expect(sink.status!()).toMatchObject({ details: { streams: 0 } });
  // Sent again to the same id, a new stream begins.
  await sink.send(batchOf(of("a", "3")), NEVER);
  expect(texts((await (await consumer("a")).receive(10, NEVER)).batch)).toEqual(["3"]);
});

it("discards a stream without a reader when nothing was added for its time to live", async () => {
  const { publisher, consumer, clock } = setUp({ idle_ttl_secs: 10 });
  const sink = await publisher();
  await sink.send(batchOf(of("a", "1")), NEVER);
  await clock.advance(9_000);
  await sink.send(batchOf(of("a", "2")), NEVER);
  await clock.advance(9_000);
  expect(sink.status!()).toMatchObject({ details: { streams: 1 } });
  await clock.advance(2_000);
  expect(sink.status!()).toMatchObject({ details: { streams: 0 } });
  const source = await consumer("a");
  await sink.send(batchOf(of("a", "3")), NEVER);
  expect(texts((await source.receive(10, NEVER)).batch)).toEqual(["3"]);
});

it("never discards a stream that has a reader, nor one with a time to live of 0", async () => {
  const { publisher, consumer, clock } = setUp({ idle_ttl_secs: 10 }, { idle_ttl_secs: 10 });
  const sink = await publisher();
  const source = await consumer("a");
  await sink.send(batchOf(of("a", "1")), NEVER);
  await clock.advance(100_000);
  expect(texts((await source.receive(10, NEVER)).batch)).toEqual(["1"]);

  const lasting = setUp({ idle_ttl_secs: 0 });
  const other = await lasting.publisher();
  await other.send(batchOf(of("a", "1")), NEVER);
  await lasting.clock.advance(100_000_000);
  expect(other.status!()).toMatchObject({ details: { streams: 1 } });
});

it("fails a send that waits for room in a stream that is discarded, for now", async () => {
  const { publisher, clock } = setUp({ capacity: 1, idle_ttl_secs: 10 });
  const sink = await publisher();
  await sink.send(batchOf(of("a", "1")), NEVER);
  const waiting = sink.send(batchOf(of("a", "2")), NEVER);
  const refused = expect(waiting).rejects.toMatchObject({ kind: "retryable", code: "MQB_STANDARD_STREAM_DISCARDED" });
  await clock.advance(11_000);
  await refused;
  expect(await sink.send(batchOf(of("a", "2")), NEVER)).toBeUndefined();
});

it("leaves no timer behind when everybody has closed, and goes on when somebody comes", async () => {
  const { publisher, clock } = setUp({ idle_ttl_secs: 10 });
  const sink = await publisher();
  await sink.send(batchOf(of("a", "1")), NEVER);
  await sink.close();
  await sink.close();
  expect(clock.pending).toBe(0);
  const again = await publisher();
  expect(again.status!()).toMatchObject({ details: { streams: 1 } });
  await clock.advance(11_000);
  expect(again.status!()).toMatchObject({ details: { streams: 0 } });
});

it("wakes the senders that wait when it closes", async () => {
  const { publisher } = setUp({ capacity: 1 });
  const sink = await publisher();
  await sink.send(batchOf(of("a", "1")), NEVER);
  const waiting = sink.send(batchOf(of("a", "2")), NEVER);
  const refused = expect(waiting).rejects.toMatchObject({ kind: "connection" });
  await sink.close();
  await refused;
  await expect(sink.send(batchOf(of("a", "3")), NEVER)).rejects.toMatchObject({ kind: "connection" });
});
