import { describe, expect, it } from "vitest";
import { asBuffer, Message, NO_METADATA } from "../../src/message/message.ts";

describe("a message", () => {
  it("makes its id when it is asked for, and keeps it", () => {
    const message = new Message("a");
    const { id } = message;
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(message.id).toBe(id);
  });

  it("keeps the id it came with", () => {
    expect(new Message("a", undefined, "x").id).toBe("x");
  });

  it("has no metadata until it is given some", () => {
    expect(new Message("a").metadata).toBe(NO_METADATA);
  });

  it("gives its payload as bytes, text and JSON", () => {
    const message = new Message('{"ä":1}');
    expect(message.payload).toEqual(Buffer.from('{"ä":1}'));
    expect(message.text()).toBe('{"ä":1}');
    expect(message.json()).toEqual({ ä: 1 });
  });

  it("replaces ill-formed UTF-8 in the text only", () => {
    const message = new Message(Uint8Array.of(0x61, 0xff));
    expect(message.text()).toBe("a\uFFFD");
    expect([...message.payload]).toEqual([0x61, 0xff]);
  });
});

describe("a changed copy", () => {
  it("keeps the id, also one that nobody had asked for before", () => {
    const message = new Message("a");
    const copy = message.with({ payload: Buffer.from("b") });
    expect(copy.id).toBe(message.id);
    expect(copy.text()).toBe("b");
    expect(message.text()).toBe("a");
  });

  it("sets and removes metadata from a record or from pairs", () => {
    const message = new Message(
      "a",
      new Map([
        ["one", "1"],
        ["two", "2"],
      ]),
    ); // prettier-ignore
    const copy = message.with({ metadata: { two: undefined, three: "3" } });
    expect([...copy.metadata]).toEqual([
      ["one", "1"],
      ["three", "3"],
    ]); // prettier-ignore
    expect([...message.with({ metadata: [["one", undefined]] }).metadata]).toEqual([["two", "2"]]);
    expect([...message.metadata]).toHaveLength(2);
  });

  it("takes a key that is called like a member of every object", () => {
    const copy = new Message("a").with({ metadata: JSON.parse('{"__proto__":"x"}') });
    expect([...copy.metadata]).toEqual([["__proto__", "x"]]);
  });

  it("can have another id", () => {
    expect(new Message("a").with({ id: "other" }).id).toBe("other");
  });
});

describe("a detached copy", () => {
  it("owns its bytes and is the same message otherwise", () => {
    const slab = Buffer.from("abcdef");
    const message = new Message(slab.subarray(1, 3), new Map([["k", "v"]]));
    const detached = message.detach();
    slab.fill(0);
    expect(detached.text()).toBe("bc");
    expect(detached.id).toBe(message.id);
    expect(detached.metadata.get("k")).toBe("v");
  });
});

describe("asBuffer", () => {
  it("is the same bytes, not a copy", () => {
    const bytes = Uint8Array.of(1, 2, 3).subarray(1);
    const buffer = asBuffer(bytes);
    bytes[0] = 9;
    expect([...buffer]).toEqual([9, 3]);
    expect(asBuffer(buffer)).toBe(buffer);
  });
});
