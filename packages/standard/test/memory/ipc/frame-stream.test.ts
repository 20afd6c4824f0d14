import { batchOf, Message, type MessageBatch } from "@mqb/core/plugin";
import { messages } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { FrameStream } from "../../../src/memory/ipc/frame-stream.ts";
import { FrameWriter } from "../../../src/memory/ipc/frame-writer.ts";
import { framed, ID, shown } from "./frames.ts";

const frameOf = (...list: Message[]): Buffer => new FrameWriter().write(batchOf(list), 0, list.length)!;

function readAll(stream: FrameStream, chunks: Iterable<Buffer>) {
  const batches: MessageBatch[] = [];
  for (const chunk of chunks) stream.push(Buffer.from(chunk), (batch) => batches.push(batch));
  return batches;
}

describe("the bytes of a connection", () => {
  const sent = messages(12, { metadata: true });
  const bytes = Buffer.concat([
    frameOf(...sent.slice(0, 5)),
    frameOf(),
    frameOf(sent[5]!),
    frameOf(...sent.slice(6, 12)),
  ]);

  it("give the same messages wherever they are cut", () => {
    for (let size = 1; size <= bytes.length; size += size < 64 ? 1 : 37) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
        bytes.subarray(i * size, (i + 1) * size),
      );
      const stream = new FrameStream();
      const received = readAll(stream, chunks).flatMap((batch) => [...batch]);
      expect(shown(received), `pieces of ${size}`).toEqual(shown(sent));
      expect(stream.pending).toBe(0);
    }
  });

  it("give one batch for all frames that lie together", () => {
    expect(readAll(new FrameStream(), [bytes]).map((batch) => batch.length)).toEqual([12]);
  });

  it("give a frame of several mebibytes that comes in pieces", () => {
    const large = new Message(Buffer.alloc(5_000_000, "0123456789abcdef"), undefined, ID);
    const frame = frameOf(large, sent[0]!);
    const pieces = function* () {
      for (let at = 0; at < frame.length; at += 65_536) yield frame.subarray(at, at + 65_536);
    };
    expect(shown(readAll(new FrameStream(), pieces())[0]!)).toEqual(shown([large, sent[0]!]));
  });

  it("keep what stands before a wrong frame, and are refused from there on", () => {
    const got: MessageBatch[] = [];
    const stream = new FrameStream();
    const wrong = Buffer.concat([frameOf(sent[0]!), framed(Buffer.from([0xc0]))]);
    expect(() => stream.push(wrong, (batch) => got.push(batch))).toThrow(/not a list/);
    expect(shown(got[0]!)).toEqual(shown([sent[0]!]));
  });

  it.each([
    ["more than is allowed", 104_857_601, /104857601 bytes, and 104857600 are allowed/],
    ["four gigabytes", 0xffffffff, /4294967295 bytes/],
    ["nothing", 0, /empty/],
  ])("are refused at a frame that says it has %s", (_, length, reason) => {
    const header = Buffer.alloc(4);
    header.writeUInt32BE(length);
    for (const pieces of [[header], [header.subarray(0, 1), header.subarray(1)]]) {
      expect(() => readAll(new FrameStream(), pieces)).toThrow(reason);
    }
  });

  it("cost no memory for what a length only announces", () => {
    const header = Buffer.alloc(4);
    header.writeUInt32BE(100_000_000);
    const before = process.memoryUsage().arrayBuffers;
    const streams = Array.from({ length: 20 }, () => new FrameStream());
    for (const stream of streams) readAll(stream, [header, Buffer.from([0x91])]);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(100_000_000);
    expect(streams.map((stream) => stream.pending)).toEqual(streams.map(() => 5));
  });
});
