import { batchOf, Message, type MessageBatch, slabBatch } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { createEncoder } from "../src/index.ts";
import { decodeAll } from "./support.ts";

const LF = Buffer.from("\n");
const every = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
const BINARY = { "all byte values": every, empty: Buffer.alloc(0), "1 MiB": Buffer.alloc(1 << 20, every) };

describe.each(["normal", "json", "text"] as const)("bytes in envelopes of %s", (format) => {
  const roundTrip = (payload: Uint8Array | string): Buffer => {
    const bytes = Buffer.concat(createEncoder(format, LF).encode(batchOf([new Message(payload)])).chunks);
    const [decoded] = decodeAll(bytes, { format, maxMessageBytes: 1 << 24 });
    return Buffer.from(decoded!.batch.payload(0));
  };

  it.each(Object.entries(BINARY))("come back as they were: %s", (_, bytes) => {
    expect(roundTrip(bytes).equals(bytes)).toBe(true);
  });

  it("that look like base64 are text and are left alone", () => {
    const text = every.toString("base64");
    expect(roundTrip(text).toString()).toBe(text);
  });
});

/** The messages in one slab. */
function slabOf(messages: readonly Message[]): MessageBatch {
  const starts = new Uint32Array(messages.length);
  const ends = new Uint32Array(messages.length);
  let at = 0;
  for (const [i, { payload }] of messages.entries()) {
    starts[i] = at;
    ends[i] = at += payload.length;
  }
  const bytes = Buffer.concat(messages.map(({ payload }) => payload));
  return slabBatch({ bytes, starts, ends }, { id: (i) => messages[i]!.id, metadata: (i) => messages[i]!.metadata });
}

describe("a batch of which no payload is text", () => {
  const lines = (batch: MessageBatch): string[] =>
    Buffer.concat(createEncoder("normal", LF).encode(batch).chunks).toString().trimEnd().split("\n");
  const payloads = Array.from({ length: 80 }, (_, length) => Buffer.from([0x28, 0xb5, ...every.subarray(0, length)]));
  payloads.push(Buffer.of(0xff), Buffer.from([0xc3, 0x28, 0x41]), Buffer.concat([Buffer.from("text, then "), every]));

  it.each([
    ["messages", batchOf],
    ["a slab", slabOf],
  ])("is written as each would be beside a text: %s", (_, make) => {
    const messages = payloads.map(
      (payload, n) => new Message(payload, n % 3 === 0 ? undefined : new Map([["n", `ä${n}`]])),
    );
    const beside = lines(make([...messages, new Message("text")]));
    expect(lines(make(messages))).toEqual(beside.slice(0, -1));
  });

  it("has ids that come as bytes", () => {
    const batch = slabOf(payloads.map((payload) => new Message(payload)));
    const fresh = slabBatch(batch.slab!);
    const ids = lines(fresh).map((line) => (JSON.parse(line) as { message_id: string }).message_id);
    expect(ids).toEqual(payloads.map((_, n) => fresh.id(n)));
  });

  it("says which message has metadata that cannot be written", () => {
    const broken = new Message(Buffer.of(0xff), new Map([["k", "\ud800"]]));
    const { refused, chunks } = createEncoder("normal", LF).encode(batchOf([new Message(Buffer.of(0xfe)), broken]));
    expect(refused.map(({ index }) => index)).toEqual([1]);
    expect(Buffer.concat(chunks).toString()).toContain('"payload_base64":"/g=="');
  });
});
