import { describe, expect, it } from "vitest";
import { ReceivedQueue } from "../src/consumer/queue.ts";
import { Frame } from "../src/wire/frame.ts";
import { frameOf } from "./frame-of.ts";

const ID = "0190aaaa-0000-7000-8000-0000000000ff";
const HEX = ID.replaceAll("-", "");
const READING = { streamed: true, stamps: false };
const ack = (place: number): string => `$JS.ACK.s.c.1.${place}.${place}.1.0`;
const block = (...lines: string[]): string => `NATS/1.0\r\n${lines.map((line) => `${line}\r\n`).join("")}\r\n`;

/** Messages that came in one piece of memory. */
function together(payloads: readonly string[]): Frame[] {
  const bytes = Buffer.from(payloads.join(""));
  let at = 0;
  return payloads.map((payload) => {
    const frame = Object.assign(new Frame(), { bytes, subject: at, subjectEnd: at, head: at, payload: at });
    at += Buffer.byteLength(payload);
    return Object.assign(frame, { end: at });
  });
}

describe("messages that wait for the route", () => {
  it("come out in their order and in any number, whatever pieces they came in", () => {
    const queue = new ReceivedQueue();
    const all = Array.from({ length: 2000 }, (_, n) => `${n}`.repeat(1 + (n % 3)));
    const out: string[] = [];
    const take = (max: number): void => {
      for (const message of queue.take(max).batch(READING)) out.push(message.text());
    };
    for (let n = 0, size = 1; n < all.length; n += size, size = 1 + (n % 17)) {
      for (const frame of together(all.slice(n, n + size))) queue.push(frame);
      if (n % 5 === 0) take(1 + (n % 23));
    }
    expect(queue.bytes).toBe(all.join("").length - out.join("").length);
    expect(queue.waiting().length).toBe(queue.length);
    take(all.length);
    expect(out).toEqual(all);
    expect([queue.length, queue.bytes, queue.take(5).length]).toEqual([0, 0, 0]);
  });

  it("do not keep what came between them for others", () => {
    const queue = new ReceivedQueue();
    for (let n = 0; n < 100; n += 2) {
      const bytes = Buffer.alloc(65_536);
      for (const [number, at] of [
        [n, 0],
        [n + 1, 50_000],
      ] as const) {
        const { bytes: own, ...places } = frameOf({
          subject: `s.${number}`,
          reply: number % 2 ? "_INBOX.x" : "",
          block: block("k: v"),
          payload: `${number}`,
        });
        own.copy(bytes, at);
        const moved = Object.entries(places).map(([name, place]) => [name, place === 0 ? 0 : place + at]);
        queue.push(Object.assign(new Frame(), Object.fromEntries(moved), { bytes }));
      }
      if (n === 8) queue.take(3);
    }
    expect(queue.waiting().bytes.length).toBeLessThan(65_536);
    queue.take(2);
    expect(queue.take(1).bytes.buffer.byteLength).toBeLessThan(1000);
    const received = queue.take(94);
    expect(Array.from(received.batch(READING), (message) => message.text())).toEqual(
      Array.from({ length: 94 }, (_, n) => `${n + 6}`),
    );
    expect([received.subject(0), received.reply(0)]).toEqual(["s.6", ""]);
    expect([received.subject(1), received.reply(1)]).toEqual(["s.7", "_INBOX.x"]);
    expect(`${received.block(1)}`).toBe(block("k: v"));
  });

  it("are not copied when they came in one piece", () => {
    const queue = new ReceivedQueue();
    const frames = together(["a", "bc", "d"]);
    for (const frame of frames) queue.push(frame);
    queue.take(1);
    const { bytes } = queue.take(2);
    expect(bytes.buffer).toBe(frames[0]!.bytes.buffer);
    expect(`${bytes}`).toBe("bcd");
  });
});

describe("the id of a message", () => {
  const idsOf = (lines: string | undefined, streamed = true): [string, string] => {
    const queue = new ReceivedQueue();
    queue.push(frameOf({ payload: "before", reply: ack(1) }));
    queue.push(frameOf({ payload: "x", reply: ack(258), ...(lines === undefined ? {} : { block: lines }) }));
    const batch = queue.take(2).batch({ streamed, stamps: false });
    const written = new Uint8Array(36);
    batch.writeId!(1, written, 0);
    return [batch.id(1), Buffer.from(written).toString()];
  };
  const twice = (id: string): [string, string] => [id, id];

  it.each([
    ["our header", block(`mq_bridge.message_id: ${HEX}`, "a: 1")],
    ["our header in capitals", block(`mq_bridge.message_id: ${HEX.toUpperCase()}`)],
    ["our header behind others", block("a: 1", `mq_bridge.message_id: ${HEX}`)],
    ["our header with other blanks", block(`mq_bridge.message_id:${HEX} `)],
  ])("is that of %s, as a text and as bytes", (_, lines) => {
    expect(idsOf(lines)).toEqual(twice(ID));
  });

  it.each([
    ["no headers", undefined],
    ["another id", block(`mq_bridge.message_id: ${HEX.slice(1)}g`)],
    ["a longer one", block(`mq_bridge.message_id: ${HEX}0`)],
    ["a deduplication id, which is only for the stream", block(`Nats-Msg-Id: ${ID}`)],
  ])("is the place in the stream with %s", (_, lines) => {
    expect(idsOf(lines)).toEqual(twice("00000000-0000-0000-0000-000000000102"));
  });

  it("is the deduplication id of core NATS, where it is a UUID", () => {
    expect(idsOf(block(`Nats-Msg-Id: ${ID}`), false)).toEqual(twice(ID));
  });
});

describe("the metadata of a message", () => {
  it("has where to reply for core NATS, and where it was read when that is asked for", () => {
    const queue = new ReceivedQueue();
    for (const reply of [ack(7), "_INBOX.x", ""]) queue.push(frameOf({ subject: "s.b", reply, block: block("k: v") }));
    const received = queue.take(3);
    const of = (index: number, streamed: boolean, stamps: boolean) =>
      Object.fromEntries(received.batch({ streamed, stamps }).metadata(index));
    expect(of(0, true, false)).toEqual({ k: "v" });
    expect(of(0, true, true)).toEqual({
      k: "v",
      "mqb.src.nats_subject": "s.b",
      "mqb.src.nats_stream_sequence": "7",
    });
    expect(of(1, false, false)).toEqual({ k: "v", reply_to: "_INBOX.x" });
    expect(of(2, false, true)).toEqual({ k: "v", "mqb.src.nats_subject": "s.b" });
  });
});
