import { cp, readdir, readFile } from "node:fs/promises";
import { createBridge, createRegistry } from "@mqb/core";
import file from "@mqb/file";
import { type CodecName, GrowingBuffer, openPayloadCodec } from "@mqb/formats";
import standard from "@mqb/standard";
import { TempDir } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import plugin from "../src/index.ts";

/** Recorded runs of the original: a configuration, its input, and what it wrote. */
const vectors = new URL("./vectors/", import.meta.url);
const names = (await readdir(vectors)).sort();
const registry = createRegistry([standard, file, plugin]);

describe("recorded runs of the original", () => {
  it.each(names)("%s", async (name) => {
    await using dir = await TempDir.make();
    const source = new URL(`${name}/`, vectors);
    await cp(source, dir.path, { recursive: true });
    const { routes } = parse(await dir.read("config.yaml")) as { routes: Record<string, unknown> };
    const route = createBridge({ registry, baseDir: dir.path }).route("r", routes["r"]);
    await route.start();
    expect(await route.done).toMatchObject({ outcome: "completed" });

    const want = await readFile(new URL("expected.out.jsonl", source), "utf8");
    const got = want === "" ? await dir.read("out.jsonl").catch(() => "") : await dir.read("out.jsonl");
    // Codecs may find other bytes for the same content; what was decompressed is compared byte for byte.
    const isWriter = name.includes("mw-compression");
    expect(isWriter ? await contents(got) : got).toEqual(isWriter ? await contents(want) : want);
  });
});

interface Line {
  readonly message_id: string;
  readonly payload?: string;
  readonly payload_base64?: string;
  readonly metadata?: unknown;
}

async function contents(lines: string): Promise<unknown[]> {
  const parsed = lines
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
  return Promise.all(
    parsed.map(async ({ payload_base64: base64, ...rest }) =>
      base64 === undefined ? rest : { ...rest, ...(await content(Buffer.from(base64, "base64"))) },
    ),
  );
}

async function content(payload: Buffer): Promise<object> {
  const codec: CodecName = payload[0] === 0x1f ? "gzip" : "zstd";
  const out = new GrowingBuffer(0);
  (await openPayloadCodec(codec)).decompress(payload, 0, payload.length, { maxBytes: 1e6, maxRatio: 1000 }, out);
  return { codec, content: out.written().toString() };
}
