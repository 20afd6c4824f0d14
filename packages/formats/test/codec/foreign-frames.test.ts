import { readFile } from "node:fs/promises";
import { codeOf } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { sample } from "./sample.ts";
import { decompress } from "./support.ts";

const data = (name: string) => readFile(new URL(`./data/${name}`, import.meta.url));

describe("frames of other programs", () => {
  it.each([
    ["lz4", "linked.lz4", 200_000, "blocks that refer to earlier ones, content checksum"],
    ["lz4", "block-checksums.lz4", 200_000, "a checksum per block"],
    ["zstd", "checksum.zst", 200_000, "a checksum"],
    ["zstd", "unknown-size.zst", 200_000, "without the size of the content"],
    ["zstd", "large.zst", 9_500_000, "one frame that is decoded as a stream"],
    ["zstd", "large-unknown-size.zst", 9_500_000, "the same without size and checksum"],
  ] as const)("%s: %s is read", async (codec, name, bytes, _) => {
    const file = await data(name);
    for (const size of [1000, 1 << 20]) {
      const { decoded, failure } = await decompress(codec, file, size);
      expect(failure).toBeUndefined();
      expect(decoded.equals(sample(bytes))).toBe(true);
    }
  });

  it.each(["linked.lz4", "block-checksums.lz4"])("lz4: a checksum of %s finds damage", async (name) => {
    const file = await data(name);
    for (const at of [20, Math.floor(file.length / 2), file.length - 1]) {
      const damaged = Buffer.from(file);
      damaged[at]! ^= 1;
      const { failure } = await decompress("lz4", damaged);
      if (name === "linked.lz4" || at !== file.length - 1)
        expect(["MQB_FORMATS_CORRUPT", "MQB_FORMATS_TRUNCATED"], `${at}`).toContain(codeOf(failure));
    }
  });

  it.each(["checksum.zst", "large.zst"])("zstd: the checksum of %s finds damage, wherever it is", async (name) => {
    const file = await data(name);
    const places = [file.length - 1, Math.floor(file.length / 3), Math.floor(file.length / 2)];
    for (const at of places) {
      const damaged = Buffer.from(file);
      damaged[at]! ^= 1;
      expect(codeOf((await decompress("zstd", damaged)).failure), `${at}`).toMatch(/CORRUPT|TRUNCATED/);
    }
  });

  it.each(["lz4", "zstd"] as const)("%s: skippable frames are passed over", async (codec) => {
    const file = await data(codec === "lz4" ? "linked.lz4" : "checksum.zst");
    const skippable = Buffer.concat([Buffer.from([0x53, 0x2a, 0x4d, 0x18, 5, 0, 0, 0]), Buffer.from("hello")]);
    for (const size of [3, 1 << 20]) {
      const { decoded, failure } = await decompress(codec, Buffer.concat([skippable, file, skippable]), size);
      expect(failure).toBeUndefined();
      expect(decoded.length).toBe(sample(200_000).length);
    }
  });

  it("zstd: a window that is too large is refused from the header, before memory is taken", async () => {
    const header = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xa8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    const { failure } = await decompress("zstd", header);
    expect(failure).toMatchObject({ code: "MQB_FORMATS_WINDOW_TOO_LARGE" });
  });
});
