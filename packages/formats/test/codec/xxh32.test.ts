import { describe, expect, it } from "vitest";
import { Xxh32, xxh32 } from "../../src/codec/xxh32.ts";

describe("xxh32", () => {
  it.each([
    ["", 0x02cc5d05],
    ["a", 0x550d7456],
    ["abc", 0x32d153ff],
    ["Nobody inspects the spammish repetition", 0xe2293b2f],
  ])("of %j is known", (text, hash) => {
    expect(xxh32(Buffer.from(text))).toBe(hash);
  });

  it("does not depend on how the bytes come", () => {
    const bytes = Buffer.from("0123456789abcdefghijklmnopqrstuvwxyz".repeat(3));
    for (let size = 1; size < 40; size++) {
      const hash = new Xxh32();
      for (let at = 0; at < bytes.length; at += size) hash.update(bytes.subarray(at, at + size));
      expect(hash.digest(), `${size}`).toBe(xxh32(bytes));
    }
  });
});
