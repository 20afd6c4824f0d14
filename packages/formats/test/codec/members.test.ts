import { codeOf } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { type CodecName, openCompressor, sniffCodec } from "../../src/index.ts";
import { sample } from "./sample.ts";
import { decompress } from "./support.ts";

const codecs: readonly CodecName[] = ["gzip", "lz4", "zstd"];

async function members(codec: CodecName, ...parts: readonly Uint8Array[]): Promise<Buffer[]> {
  const compressor = await openCompressor(codec);
  return Promise.all(parts.map(async (part) => Buffer.concat((await compressor.compress(part)) as Buffer[])));
}

describe.each(codecs)("%s", (codec) => {
  it("gives back what was compressed, whatever its size", async () => {
    for (const bytes of [0, 1, 100, 70_000, 300_000]) {
      const text = sample(bytes).subarray(0, bytes);
      const [member] = await members(codec, text);
      if (bytes > 0) expect(sniffCodec(member!)).toBe(codec);
      const { decoded, failure } = await decompress(codec, member!);
      expect(failure).toBeUndefined();
      expect(decoded.equals(text)).toBe(true);
    }
  });

  it("reads any number of members as one stream, cut anywhere", async () => {
    const stream = Buffer.concat(await members(codec, Buffer.from("a\nb"), Buffer.from("c\n"), sample(1000)));
    for (const size of [1, 2, 5, 13, 1 << 20]) {
      const { decoded, failure } = await decompress(codec, stream, size);
      expect(failure, `${size}`).toBeUndefined();
      expect(decoded.toString()).toBe(`a\nbc\n${sample(1000)}`);
    }
  });

  it("takes zero bytes behind the last member for padding", async () => {
    const [member] = await members(codec, Buffer.from("text\n"));
    for (const size of [3, 1 << 20]) {
      const { decoded, failure } = await decompress(codec, Buffer.concat([member!, Buffer.alloc(512)]), size);
      expect([decoded.toString(), failure]).toEqual(["text\n", undefined]);
    }
  });

  it("takes zero bytes between members for padding", async () => {
    const [one, two] = await members(codec, Buffer.from("one\n"), Buffer.from("two\n"));
    const padded = Buffer.concat([one!, Buffer.alloc(300), two!, Buffer.alloc(9), one!]);
    for (const size of [1, 7, 100, 1 << 20]) {
      const { decoded, failure } = await decompress(codec, padded, size);
      expect([decoded.toString(), failure], `${size}`).toEqual(["one\ntwo\none\n", undefined]);
    }
  });

  it("refuses something else behind whole members, after giving what they hold", async () => {
    const both = Buffer.concat(await members(codec, sample(3000), Buffer.from("text\n")));
    const garbage = Buffer.concat([both, Buffer.from("garbage")]);
    for (const size of [both.length, 1 << 20]) {
      const { decoded, failure } = await decompress(codec, garbage, size);
      expect(decoded.toString()).toBe(`${sample(3000)}text\n`);
      expect(codeOf(failure)).toBe("MQB_FORMATS_CORRUPT");
      expect((failure as Error).message).toContain(`byte ${both.length}`);
    }
  });

  it("names the offset where the data was cut off, after giving what stood before", async () => {
    const [first, second] = await members(codec, Buffer.from("whole\n"), sample(5000));
    const cut = Buffer.concat([first!, second!.subarray(0, second!.length - 9)]);
    const { decoded, failure } = await decompress(codec, cut, 7);
    expect(decoded.toString().startsWith("whole\n")).toBe(true);
    expect(failure).toMatchObject({ code: "MQB_FORMATS_TRUNCATED", kind: "permanent" });
    expect((failure as Error).message).toContain(`byte ${cut.length}`);
  });

  it("finds damage, after giving the members before it", async () => {
    const [whole, member] = await members(codec, Buffer.from("whole\n"), sample(5000));
    // What is written has no checksum but in gzip: damage of the structure is found with any codec.
    const damaged = Buffer.from(member!);
    damaged.fill(0xff, codec === "gzip" ? member!.length - 8 : 6, codec === "gzip" ? member!.length - 4 : 12);
    const { decoded, failure } = await decompress(codec, Buffer.concat([whole!, damaged]));
    expect(decoded.subarray(0, 6).toString()).toBe("whole\n");
    expect(codeOf(failure)).toBe("MQB_FORMATS_CORRUPT");
  });

  it("says so when the data is of another kind", async () => {
    const { failure } = await decompress(codec, Buffer.from("plain text, which is not compressed"));
    expect(failure).toMatchObject({ code: "MQB_FORMATS_WRONG_CODEC", kind: "permanent" });
  });

  it("unfolds a bomb in pieces of bounded size", async () => {
    const size = 24 * 1024 * 1024;
    const bomb = Buffer.concat(await members(codec, Buffer.alloc(size)));
    expect(bomb.length).toBeLessThan(size / 100);
    const { decoded, largest, failure } = await decompress(codec, bomb);
    expect(failure).toBeUndefined();
    expect(decoded.length).toBe(size);
    expect(largest).toBeLessThanOrEqual(9 * 1024 * 1024);
  });

  it("takes nothing for an empty stream", async () => {
    expect(await decompress(codec, Buffer.alloc(0))).toMatchObject({ failure: undefined, largest: 0 });
  });
});
