import { Message } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { lineBatch, messageBatch, messages, slabOf, texts } from "../src/index.ts";

describe("messages", () => {
  it("numbers them, with the length and metadata that is asked for", () => {
    const [first, second] = messages(2, { from: 7, bytes: 12, metadata: true, id: (n) => `id-${n}` });
    expect(first!.text()).toBe("message 7...");
    expect([second!.id, second!.metadata.get("n")]).toEqual(["id-8", "8"]);
    expect(texts(messageBatch(2))).toEqual(["message 0", "message 1"]);
  });
});

describe("lineBatch", () => {
  it("lays payloads into one buffer, ready to be written as lines", () => {
    const { slab } = lineBatch(2);
    expect(slab!.bytes.toString()).toBe("message 0\nmessage 1\n");
    expect([[...slab!.starts], [...slab!.ends]]).toEqual([
      [0, 10],
      [9, 19],
    ]);
    expect(slab!.terminator).toEqual(Buffer.from("\n"));
  });
});

describe("slabOf", () => {
  it("keeps ids and metadata", () => {
    const message = new Message("a", new Map([["k", "v"]]));
    const batch = slabOf([message, new Message("b")]);
    expect([batch.id(0), [...batch.metadata(0)], batch.metadata(1).size]).toEqual([message.id, [["k", "v"]], 0]);
  });

  it("claims no terminator that occurs in a payload", () => {
    expect(slabOf([new Message("two\nlines")]).slab!.terminator).toBeUndefined();
  });
});
