import { describe, expect, it } from "vitest";
import { batchOf, type MessageBatch, type Slab, slabBatch } from "../../src/message/batch.ts";
import { Message } from "../../src/message/message.ts";

function slabOf(...texts: string[]): Slab {
  const starts = new Uint32Array(texts.length);
  const ends = new Uint32Array(texts.length);
  let at = 0;
  texts.forEach((text, i) => {
    starts[i] = at;
    at += Buffer.byteLength(text);
    ends[i] = at;
    at += 1;
  });
  return { bytes: Buffer.from(texts.map((text) => `${text}\n`).join("")), starts, ends, terminator: Buffer.from("\n") };
}

const texts = (batch: MessageBatch): string[] => [...batch].map((message) => message.text());
const kinds: [string, (...texts: string[]) => MessageBatch][] = [
  ["a batch of messages", (...all) => batchOf(all.map((text) => new Message(text)))],
  ["a batch over a slab", (...all) => slabBatch(slabOf(...all))],
  [
    "a selection of a slab",
    (...all) => slabBatch(slabOf("x", ...all, "y")).select(Uint32Array.from(all, (_, i) => i + 1)),
  ],
];

describe.each(kinds)("%s", (_, make) => {
  it("gives the same message object at a position every time", () => {
    const batch = make("a", "b");
    expect(batch.at(1)).toBe(batch.at(1));
    expect([...batch][1]).toBe(batch.at(1));
    expect(batch.at(1).text()).toBe("b");
  });

  it("gives one id for a position, asked of the batch or of the message", () => {
    const batch = make("a", "b");
    const first = batch.id(0);
    expect(batch.at(0).id).toBe(first);
    const second = batch.at(1).id;
    expect(batch.id(1)).toBe(second);
    expect(second).not.toBe(first);
  });

  it("reads payloads without making a message", () => {
    const batch = make("a", "", "ccc");
    expect([0, 1, 2].map((i) => Buffer.from(batch.payload(i)).toString())).toEqual(["a", "", "ccc"]);
    expect(batch.byteLength).toBe(4);
    expect(batch.length).toBe(3);
  });

  it("throws a RangeError outside", () => {
    const batch = make("a");
    for (const index of [-1, 1, Number.NaN]) {
      expect(() => batch.at(index)).toThrow(RangeError);
      expect(() => batch.payload(index)).toThrow(RangeError);
    }
    expect(() => batch.at(1)).toThrow("no message 1 in a batch of 1");
  });

  it("selects in the asked order, with the same message objects and ids", () => {
    const batch = make("a", "b", "c");
    const id = batch.id(0);
    const some = batch.select(Uint32Array.of(2, 0));
    expect(texts(some)).toEqual(["c", "a"]);
    expect(some.at(1)).toBe(batch.at(0));
    expect(some.id(1)).toBe(id);
    expect(some.byteLength).toBe(2);
  });

  it("selects from a selection", () => {
    const batch = make("a", "b", "c", "d");
    const some = batch.select(Uint32Array.of(3, 1, 0)).select(Uint32Array.of(2, 0));
    expect(texts(some)).toEqual(["a", "d"]);
    expect(some.at(1)).toBe(batch.at(3));
    expect(() => batch.select(Uint32Array.of(0)).select(Uint32Array.of(1)).at(0)).toThrow(RangeError);
  });

  it("selects nothing", () => {
    const none = make("a").select(new Uint32Array());
    expect(none.length).toBe(0);
    expect(none.byteLength).toBe(0);
    expect([...none]).toEqual([]);
  });
});

describe("a batch over a slab", () => {
  it("refuses starts without ends", () => {
    const slab = { ...slabOf("a"), ends: new Uint32Array() };
    expect(() => slabBatch(slab)).toThrow(TypeError);
  });

  it("asks for ids and metadata only when somebody wants them, once per message", () => {
    const asked: string[] = [];
    const batch = slabBatch(slabOf("a", "b"), {
      id: (i) => {
        asked.push(`id ${i}`);
        return i === 0 ? "first" : undefined;
      },
      metadata: (i) => {
        asked.push(`metadata ${i}`);
        return new Map([["i", String(i)]]);
      },
    });
    expect(texts(batch)).toEqual(["a", "b"]);
    expect(asked).toEqual([]);
    expect(batch.at(0).id).toBe("first");
    expect(batch.at(1).id).toBe(batch.at(1).id);
    expect(batch.at(1).metadata).toBe(batch.at(1).metadata);
    expect(asked).toEqual(["id 0", "id 1", "metadata 1"]);
  });

  it("writes ids as the texts that they are, given or fresh, whole or selected", () => {
    const given = "00000000-0000-4000-8000-000000000001";
    const id = (index: number): string | undefined => (index === 0 ? given : undefined);
    const writeId = (index: number, into: Uint8Array, at: number): boolean => {
      if (index === 0) into.set(Buffer.from(given), at);
      return index === 0;
    };
    const batch = slabBatch(slabOf("a", "b"), { id });
    for (const one of [batch, batch.select(Uint32Array.of(1, 0)), slabBatch(slabOf("a", "b"), { id, writeId })]) {
      const bytes = Buffer.alloc(72);
      one.writeId!(0, bytes, 0);
      one.writeId!(1, bytes, 36);
      expect(bytes.toString()).toBe(one.id(0) + one.id(1));
    }
    expect(batch.id(0)).toBe(given);
  });

  it("shares its bytes with what is selected from it, and keeps the terminator", () => {
    const slab = slabOf("a", "b", "c");
    const some = slabBatch(slab).select(Uint32Array.of(1, 2));
    expect(some.slab?.bytes).toBe(slab.bytes);
    expect([...some.slab!.starts]).toEqual([2, 4]);
    expect([...some.slab!.ends]).toEqual([3, 5]);
    expect(some.slab!.terminator).toBe(slab.terminator);
    expect(some.slab).toBe(some.slab);
  });
});

describe("shared metadata", () => {
  const shared = new Map([
    ["topic", "t"],
    ["k", "shared"],
  ]); // prettier-ignore

  it("is the metadata of every message that has none of its own, held once", () => {
    const batch = slabBatch(slabOf("a", "b"), undefined, shared);
    expect(batch.shared).toBe(shared);
    expect(batch.at(0).metadata).toBe(shared);
    expect(batch.metadata(1)).toBe(shared);
    expect(batch.select(Uint32Array.of(1)).shared).toBe(shared);
  });

  it("gives way to a message's own", () => {
    const batch = slabBatch(slabOf("a"), { metadata: () => new Map([["k", "own"]]) }, shared);
    expect([...batch.metadata(0)]).toEqual([
      ["topic", "t"],
      ["k", "own"],
    ]); // prettier-ignore
    expect([...batch.at(0).with({ metadata: { topic: undefined } }).metadata]).toEqual([["k", "own"]]);
  });

  it("is kept by a selection of messages", () => {
    const batch = batchOf([new Message("a", shared)], shared);
    expect(batch.shared).toBe(shared);
    expect(batch.select(Uint32Array.of(0)).shared).toBe(shared);
    expect(batchOf([]).shared).toBeUndefined();
  });
});
