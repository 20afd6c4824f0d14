import { describe, expect, it } from "vitest";
import { Xxh64 } from "../../src/codec/xxh64.ts";

const hashOf = (bytes: Buffer) => new Xxh64().update(bytes).digest();

describe("xxh64", () => {
  it.each([
    ["", 0xef46db3751d8e999n],
    ["a", 0xd24ec4f1a98c6e5bn],
    ["abc", 0x44bc2cf5ad770999n],
    ["Nobody inspects the spammish repetition", 0xfbcea83c8a378bf1n],
  ])("of %j is known", (text, hash) => {
    expect(hashOf(Buffer.from(text))).toBe(hash);
  });

  it("does not depend on how the bytes come", () => {
    const bytes = Buffer.from("0123456789abcdefghijklmnopqrstuvwxyz".repeat(5));
    for (let size = 1; size < 70; size++) {
      const hash = new Xxh64();
      for (let at = 0; at < bytes.length; at += size) hash.update(bytes.subarray(at, at + size));
      expect(hash.digest(), `${size}`).toBe(hashOf(bytes));
    }
  });
});
