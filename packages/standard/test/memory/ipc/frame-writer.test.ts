import { batchOf, Message, slabBatch } from "@mqb/core/plugin";
import { slabOf } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { FrameWriter } from "../../../src/memory/ipc/frame-writer.ts";
import { ID, read, shown } from "./frames.ts";

const id = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
const write = (...messages: Message[]): Buffer => new FrameWriter().write(batchOf(messages), 0, messages.length)!;

describe("a frame", () => {
  it("has the recorded bytes of the original", () => {
    const frame = write(
      new Message('{"n":1}', new Map([["kind", "a"]]), id(1)),
      new Message("two", undefined, id(2)),
      new Message(Buffer.from([0, 255]), undefined, id(3)),
    );
    const text = (n: number) => `d924${Buffer.from(id(n)).toString("hex")}`;
    expect(frame.toString("hex")).toBe(
      `000000909393${text(1)}c4077b226e223a317d81a46b696e64a16192${text(2)}c40374776f92${text(3)}c40200ff`,
    );
  });

  it.each([
    [0, "c400"],
    [255, "c4ff"],
    [256, "c50100"],
    [65_535, "c5ffff"],
    [65_536, "c600010000"],
  ])("has the shortest header for a payload of %i bytes", (length, header) => {
    const frame = write(new Message(Buffer.alloc(length, "x"), undefined, ID));
    const at = 4 + 1 + 1 + 38;
    expect(frame.subarray(at, at + header.length / 2).toString("hex")).toBe(header);
    expect(frame.length).toBe(at + header.length / 2 + length);
    expect(frame.readUInt32BE(0)).toBe(frame.length - 4);
  });

  it.each([
    [15, "9f"],
    [16, "dc0010"],
    [65_535, "dcffff"],
    [65_536, "dd00010000"],
  ])("has the shortest header for %i messages", (count, header) => {
    const frame = write(...Array.from({ length: count }, () => new Message("", undefined, ID)));
    expect(frame.subarray(4, 4 + header.length / 2).toString("hex")).toBe(header);
    expect(read(frame.subarray(4)).length).toBe(count);
  });

  it.each([0, 31, 32, 255, 256, 65_535, 65_536])("holds metadata of %i characters", (length) => {
    const metadata = new Map([
      ["k".repeat(length), "v".repeat(length)],
      ["größe", "東京 🚀"],
      ["__proto__", ""],
    ]);
    const frame = write(new Message("x", metadata, ID));
    expect(shown(read(frame.subarray(4)))).toEqual([{ id: ID, payload: "x", metadata: [...metadata] }]);
  });

  it("holds more pairs than fit into a small map", () => {
    const metadata = new Map(Array.from({ length: 70_000 }, (_, i) => [`k${i}`, `v${i}`]));
    const frame = write(new Message("x", metadata, ID));
    expect(read(frame.subarray(4)).metadata(0)).toEqual(metadata);
  });

  it("holds the messages of a slab, with metadata that they share", () => {
    const { slab } = slabOf(["one", "", "three"].map((text) => new Message(text)));
    const shared = new Map([["source", "a file"]]);
    const own = new Map([["line", "2"]]);
    const batch = slabBatch(slab!, { metadata: (index) => (index === 1 ? own : undefined) }, shared);
    const frame = new FrameWriter().write(batch, 0, 3)!;
    expect(shown(read(frame.subarray(4)))).toEqual(shown(batch));
    expect(shown(read(new FrameWriter().write(batch, 1, 3)!.subarray(4)))).toEqual(shown(batch).slice(1));
  });

  it("is not made when it would be longer than allowed, whatever makes it long", () => {
    const writer = new FrameWriter(200);
    const tooLong = [
      new Message(Buffer.alloc(201), undefined, ID),
      new Message("x", new Map([["k", "v".repeat(201)]]), ID),
    ];
    for (const message of tooLong) expect(writer.write(batchOf([message]), 0, 1)).toBeUndefined();
    const six = batchOf(Array.from({ length: 6 }, () => new Message("x", undefined, ID)));
    expect(writer.write(six, 0, 6)).toBeUndefined();
    expect(read(writer.write(six, 0, 3)!.subarray(4)).length).toBe(3);
  });

  it("uses the memory of a frame again that was given back, and of no other", () => {
    const writer = new FrameWriter();
    const frames = ["one", "two", "three"].map(
      (text) => writer.write(batchOf([new Message(text, undefined, ID)]), 0, 1)!,
    );
    const texts = () => frames.map((frame) => read(frame.subarray(4)).at(0).text());
    expect(texts()).toEqual(["one", "two", "three"]);
    writer.release(frames[1]!);
    frames[1] = writer.write(batchOf([new Message("2", undefined, ID)]), 0, 1)!;
    frames.push(writer.write(batchOf([new Message("four", undefined, ID)]), 0, 1)!);
    expect(texts()).toEqual(["one", "2", "three", "four"]);
  });
});
