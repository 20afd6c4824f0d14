import { randomBytes } from "node:crypto";
import { codeOf, describeError, kindOf } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { type CodecName, GrowingBuffer, openCompressor, openPayloadCodec, type UnfoldLimits } from "../../src/index.ts";
import { sample } from "./sample.ts";
import { decompress } from "./support.ts";

const CODECS: readonly CodecName[] = ["gzip", "lz4", "zstd"];
const LIMITS: UnfoldLimits = { maxBytes: 100 * 1024 * 1024, maxRatio: 1000 };
const MIB = 1024 * 1024;
/** For tests that move many megabytes. */
const PATIENCE_MS = 60_000;
const opened = new Map(await Promise.all(CODECS.map(async (codec) => [codec, await openPayloadCodec(codec)] as const)));

/** Compresses payloads that lie in one buffer with bytes between them. */
async function compressed(codec: CodecName, payloads: readonly Uint8Array[]): Promise<Buffer[]> {
  const starts = new Uint32Array(payloads.length);
  const ends = new Uint32Array(payloads.length);
  let at = 0;
  const pieces = payloads.map((payload, i) => {
    starts[i] = at;
    ends[i] = at + payload.length;
    at = ends[i]! + 1;
    return Buffer.concat([payload, Buffer.from("\n")]);
  });
  const out = await opened.get(codec)!.compress({ bytes: Buffer.concat(pieces), starts, ends, count: payloads.length });
  return payloads.map((_, i) => Buffer.from(out.bytes.subarray(out.starts[i], out.ends[i])));
}

async function unfolded(codec: CodecName, payload: Buffer, limits = LIMITS): Promise<Buffer> {
  const around = Buffer.concat([Buffer.from("<"), payload, Buffer.from(">")]);
  const out = new GrowingBuffer(0);
  opened.get(codec)!.decompress(around, 1, 1 + payload.length, limits, out);
  return out.written();
}

const failure = (codec: CodecName, payload: Buffer, limits?: UnfoldLimits): Promise<unknown> =>
  unfolded(codec, payload, limits).then(
    () => "no failure",
    (error: unknown) => error,
  );

describe.each(CODECS)("payloads in %s", (codec) => {
  it("come back as they were, of any size and kind", async () => {
    const sizes = [0, 1, 2, 7, 100, 190, 255, 256, 257, 1023, 1024, 4096, 70_000, 300_000];
    const payloads = [
      ...sizes.map(sample),
      ...sizes.map((size) => randomBytes(size)),
      ...sizes.map((n) => Buffer.alloc(n)),
    ];
    const frames = await compressed(codec, payloads);
    for (const [i, frame] of frames.entries()) expect((await unfolded(codec, frame)).equals(payloads[i]!)).toBe(true);
  });

  it("are what readers of files take, too", async () => {
    const payloads = [sample(100), sample(0), sample(5000)];
    const { decoded, failure } = await decompress(codec, Buffer.concat(await compressed(codec, payloads)));
    expect(failure).toBeUndefined();
    expect(decoded.equals(Buffer.concat(payloads))).toBe(true);
  });

  it(
    "come back when they are larger than what fits into memory that is kept",
    async () => {
      const large = Buffer.concat([randomBytes(5 * MIB), sample(4 * MIB)]);
      const [frame, small] = await compressed(codec, [large, sample(100)]);
      expect((await unfolded(codec, frame!)).equals(large)).toBe(true);
      expect((await unfolded(codec, small!)).equals(sample(100))).toBe(true);
    },
    PATIENCE_MS,
  );

  it("are read in several members, as files are written", async () => {
    const members = await (await openCompressor(codec)).compress(sample(3 * MIB));
    expect((await unfolded(codec, Buffer.concat([...members]))).equals(sample(3 * MIB))).toBe(true);
    const two = Buffer.concat(await compressed(codec, [sample(50), sample(90)]));
    expect((await unfolded(codec, two)).toString()).toBe(sample(50).toString() + sample(90).toString());
  });

  it("are refused when they are cut off anywhere", async () => {
    const [frame] = await compressed(codec, [sample(300)]);
    for (let length = 0; length < frame!.length; length++) {
      const error = await failure(codec, frame!.subarray(0, length));
      expect(codeOf(error), `cut to ${length}`).toMatch(/^MQB_FORMATS_(TRUNCATED|CORRUPT|WRONG_CODEC)$/);
      expect(kindOf(error, "connection")).toBe("permanent");
    }
  });

  it("are refused when something else follows, and when they are of another codec or of none", async () => {
    const [frame] = await compressed(codec, [sample(300)]);
    expect(codeOf(await failure(codec, Buffer.concat([frame!, Buffer.from("more")])))).toBe("MQB_FORMATS_CORRUPT");
    expect(codeOf(await failure(codec, Buffer.concat([frame!, Buffer.alloc(8), Buffer.from("more")])))).toBe(
      "MQB_FORMATS_CORRUPT",
    );
    for (const other of CODECS.filter((one) => one !== codec)) {
      const [foreign] = await compressed(other, [sample(300)]);
      expect(codeOf(await failure(codec, foreign!))).toBe("MQB_FORMATS_WRONG_CODEC");
    }
    expect(codeOf(await failure(codec, Buffer.from("plain text")))).toBe("MQB_FORMATS_WRONG_CODEC");
    expect(codeOf(await failure(codec, Buffer.alloc(0)))).toBe("MQB_FORMATS_TRUNCATED");
  });

  it("give a coded error or some bytes within the limit, whatever byte is changed", async () => {
    const [frame] = await compressed(codec, [sample(300)]);
    const limits = { maxBytes: 4096, maxRatio: 1000 };
    for (let at = 0; at < frame!.length; at++) {
      for (const flip of [1, 0x80, 0xff]) {
        const changed = Buffer.from(frame!);
        changed[at]! ^= flip;
        const result = await unfolded(codec, changed, limits).catch((error: unknown) => error);
        if (Buffer.isBuffer(result)) expect(result.length).toBeLessThanOrEqual(4096);
        else expect(codeOf(result), `byte ${at}`).toMatch(/^MQB_FORMATS_/);
      }
    }
  });

  it("may unfold to exactly the limit, and to no byte more", async () => {
    const [frame] = await compressed(codec, [sample(5000)]);
    const size = sample(5000).length;
    expect(await unfolded(codec, frame!, { maxBytes: size, maxRatio: 1 })).toHaveLength(size);
    const error = await failure(codec, frame!, { maxBytes: size - 1, maxRatio: 1 });
    expect(codeOf(error)).toBe("MQB_FORMATS_UNFOLDS_TOO_FAR");
    expect(describeError(error)).toContain(`more than ${size - 1} bytes`);
  });

  it(
    "may have any ratio below 16 MiB, and above it none that is too high",
    async () => {
      const [small, large] = await compressed(codec, [Buffer.alloc(16 * MIB), Buffer.alloc(17 * MIB)]);
      expect(await unfolded(codec, small!, { ...LIMITS, maxRatio: 10 })).toHaveLength(16 * MIB);
      expect(codeOf(await failure(codec, large!, { ...LIMITS, maxRatio: 10 }))).toBe("MQB_FORMATS_RATIO_TOO_HIGH");
      expect(await unfolded(codec, large!, { ...LIMITS, maxRatio: 1e6 })).toHaveLength(17 * MIB);
    },
    PATIENCE_MS,
  );
});

describe("a lie about the size", () => {
  it("in a zstd header is found out, in either direction", async () => {
    const [frame] = await compressed("zstd", [sample(300)]);
    // Magic, descriptor, then the size less 256 in two bytes.
    expect(frame![4]).toBe(0x60);
    for (const said of [0, 40, 60_000]) {
      const changed = Buffer.from(frame!);
      changed.writeUInt16LE(said, 5);
      expect(codeOf(await failure("zstd", changed))).toBe("MQB_FORMATS_CORRUPT");
    }
  });

  it("in a gzip trailer is found out", async () => {
    const [frame] = await compressed("gzip", [sample(300)]);
    for (const said of [0, 1, 0xffffffff]) {
      const changed = Buffer.from(frame!);
      changed.writeUInt32LE(said, changed.length - 4);
      expect(codeOf(await failure("gzip", changed))).toBe("MQB_FORMATS_CORRUPT");
    }
  });
});

it("25 kB of zstd that say nothing of the 800 MiB in them are refused early", async () => {
  // A window of 1 MiB; blocks that repeat one byte 128 Ki times.
  const block = Buffer.alloc(4);
  block.writeUIntLE((128 * 1024 * 8) | 2, 0, 3);
  const bomb = Buffer.concat([Buffer.from("28b52ffd0050", "hex"), ...new Array<Buffer>(6400).fill(block)]);
  expect(bomb.length).toBeLessThan(26_000);
  const out = new GrowingBuffer(0);
  expect(() => opened.get("zstd")!.decompress(bomb, 0, bomb.length, LIMITS, out)).toThrow(/more than 1000 times/);
  expect(out.length).toBeLessThan(26 * MIB);
});

it("a zstd frame that asks for a window far beyond what is allowed is refused before it gets it", async () => {
  // No size, a window of 128 MiB; one empty block.
  const frame = Buffer.from("28b52ffd0088010000", "hex");
  expect(codeOf(await failure("zstd", frame))).toBe("MQB_FORMATS_WINDOW_TOO_LARGE");
});
