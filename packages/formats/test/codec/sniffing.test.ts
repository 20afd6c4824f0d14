import { describe, expect, it } from "vitest";
import { looksSealed, sniffCodec } from "../../src/index.ts";

describe("the first bytes of a file", () => {
  it("tell compressed data from text", () => {
    expect(sniffCodec(Buffer.from("1f8b0800", "hex"))).toBe("gzip");
    expect(sniffCodec(Buffer.from("28b52ffd", "hex"))).toBe("zstd");
    expect(sniffCodec(Buffer.from("04224d18", "hex"))).toBe("lz4");
    expect(sniffCodec(Buffer.from('{"a"'))).toBeUndefined();
    expect(sniffCodec(Buffer.alloc(0))).toBeUndefined();
  });

  it("tell encrypted frames from text", () => {
    const sealed = Buffer.from(
      "000000000000003d0100026b31c0ab826cc58f877cf0fe8cd3c0f41f1153cf6f3851a40eef28b5775f06e1c753b3",
      "hex",
    );
    expect(looksSealed(sealed, 69)).toBe(true);
    expect(looksSealed(sealed, 68)).toBe(false);
    expect(looksSealed(Buffer.from("\0\0\0\0\0\0\0\0 a record that begins with NUL"), 1000)).toBe(false);
    expect(looksSealed(Buffer.from("short"), 5)).toBe(false);
  });
});
