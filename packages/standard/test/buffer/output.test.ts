import { ACCEPTED, failed } from "@mqb/core/plugin";
import { CollectingPublisher, FakeClock, isPending, messageBatch, texts, within } from "@mqb/testkit";
import { expect, it } from "vitest";
import type { BufferSettings } from "../../src/buffer/definition.ts";
import { BufferedPublisher } from "../../src/buffer/publisher.ts";
import { busy, cut, rejected } from "../failures.ts";
import { NEVER } from "../opened.ts";

function setUp(settings: Partial<BufferSettings> = {}) {
  const sink = new CollectingPublisher();
  const clock = new FakeClock();
  const publisher = new BufferedPublisher(sink, { max_messages: 4, max_delay_ms: 20, ...settings }, clock);
  const send = (from: number, count = 1, signal = NEVER) => publisher.send(messageBatch(count, { from }), signal);
  return { sink, clock, publisher, send };
}

const sizes = (sink: CollectingPublisher) => sink.sends.map((batch) => batch.length);

it("sends what waits as one batch as soon as it is enough, in the order in which it came", async () => {
  const { sink, clock, send } = setUp();
  const sends = [send(0), send(1), send(2)];
  expect(sizes(sink)).toEqual([]);
  sends.push(send(3));
  expect(await within(Promise.all(sends), "all are sent")).toEqual([undefined, undefined, undefined, undefined]);
  expect(sink.sends.map((batch) => texts(batch))).toEqual([["message 0", "message 1", "message 2", "message 3"]]);
  expect(clock.pending).toBe(0);
});

it("waits no longer than its delay, counted from the oldest send", async () => {
  const { sink, clock, send } = setUp();
  const first = send(0);
  await clock.advance(15);
  const second = send(1);
  await clock.advance(4);
  expect(sizes(sink)).toEqual([]);
  await clock.advance(1);
  await within(Promise.all([first, second]), "both are sent");
  expect(sizes(sink)).toEqual([2]);
});

it("with a delay of 0, sends at once, and what comes meanwhile as the next batch", async () => {
  const { sink, clock, send } = setUp({ max_messages: 10, max_delay_ms: 0 });
  sink.stall();
  const first = send(0);
  expect(sizes(sink)).toEqual([1]);
  const others = [send(1), send(2), send(3)];
  await clock.advance(1_000);
  expect(sizes(sink)).toEqual([1]);
  sink.release();
  await within(Promise.all([first, ...others]), "all are sent");
  expect([sizes(sink), sink.maxInFlight, clock.armed]).toEqual([[1, 3], 1, 0]);
});

it("has one batch under way at a time, and cuts no batch", async () => {
  const { sink, send } = setUp();
  sink.stall();
  const sends = [send(0, 10), send(10, 3), send(13, 2), send(15, 9)];
  sink.release();
  await within(Promise.all(sends), "all are sent");
  expect([sizes(sink), sink.maxInFlight]).toEqual([[10, 3, 2, 9], 1]);
});

it("gives each caller its own outcomes", async () => {
  const { sink, send } = setUp({ max_messages: 5 });
  sink.failWhen((message) => (["message 1", "message 4"].includes(message.text()) ? rejected : undefined));
  const sends = [send(0, 2), send(2, 2), send(4, 1)];
  expect(await within(Promise.all(sends), "all are sent")).toEqual([
    [ACCEPTED, failed(rejected)],
    [ACCEPTED, ACCEPTED],
    [failed(rejected)],
  ]);
});

it("a batch that fails as a whole fails each of its callers once, and the next one is sent", async () => {
  const { sink, send } = setUp({ max_messages: 2 });
  sink.rejectNext(cut);
  const sends = [send(0), send(1), send(2), send(3)];
  const results = await within(Promise.allSettled(sends), "all are settled");
  expect(results).toEqual([
    { status: "rejected", reason: cut },
    { status: "rejected", reason: cut },
    { status: "fulfilled", value: undefined },
    { status: "fulfilled", value: undefined },
  ]);
});

it("sends what waits when it is flushed, then flushes the sink", async () => {
  const { sink, clock, publisher, send } = setUp({ max_messages: 3, max_delay_ms: 180_000 });
  sink.stall();
  const sends = [send(0, 3), send(3), send(4)];
  const flushed = publisher.flush();
  expect([await isPending(flushed), sink.flushes]).toEqual([true, 0]);
  sink.release();
  await within(Promise.all([flushed, ...sends]), "all are sent without the delay");
  expect([sizes(sink), sink.flushes, clock.pending]).toEqual([[3, 2], 1, 0]);
});

it("a send that is given up while it waits is not sent", async () => {
  const { sink, clock, send } = setUp();
  const stop = new AbortController();
  const given = expect(send(0, 1, stop.signal)).rejects.toBe(busy);
  const other = send(1);
  stop.abort(busy);
  await given;
  await clock.advance(20);
  await within(other, "the other is sent");
  expect(sink.messages.map((message) => message.text())).toEqual(["message 1"]);
  await expect(send(2, 1, AbortSignal.abort(busy))).rejects.toBe(busy);
});

it("a send that is given up while its batch is under way does not end that of the others", async () => {
  const { sink, send } = setUp({ max_messages: 2 });
  sink.stall();
  const stop = new AbortController();
  const given = expect(send(0, 1, stop.signal)).rejects.toBe(busy);
  const other = send(1);
  stop.abort(busy);
  await given;
  expect(sink.lastSignal!.aborted).toBe(false);
  sink.release();
  expect(await within(other, "the other is sent")).toBeUndefined();
});

it("when all callers of a batch give up, the sink is told, and says what it took", async () => {
  const { sink, send } = setUp({ max_messages: 2 });
  sink.stall();
  const stop = new AbortController();
  const sends = Promise.allSettled([send(0, 1, stop.signal), send(1, 1, stop.signal)]);
  stop.abort(busy);
  expect(sink.lastSignal!.aborted).toBe(true);
  expect(await within(sends, "both are settled")).toEqual([
    { status: "rejected", reason: busy },
    { status: "rejected", reason: busy },
  ]);
});

it("a close fails what waits, and what comes later", async () => {
  const { sink, clock, publisher, send } = setUp();
  const closed = { code: "MQB_STANDARD_BUFFER_CLOSED", kind: "retryable" };
  const waiting = expect(send(0)).rejects.toMatchObject(closed);
  await publisher.close();
  await waiting;
  await expect(send(1)).rejects.toMatchObject(closed);
  expect([sink.sends.length, sink.closes, clock.pending]).toEqual([0, 1, 0]);
});
