import { cp, readdir, readFile } from "node:fs/promises";
import { gunzipSync } from "node:zlib";
import { createBridge, createRegistry } from "@mqb/core";
import { batchOf, Message } from "@mqb/core/plugin";
import file from "@mqb/file";
import standard from "@mqb/standard";
import { TempDir } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { atRest } from "../src/at-rest.ts";
import plugin from "../src/index.ts";
import { KEY, opener } from "./sealing.ts";

/** Recorded runs of the original: a configuration, its input, and what it wrote. */
const vectors = new URL("./vectors/", import.meta.url);

interface Vector {
  readonly outputs: Readonly<Record<string, { readonly compare: string; readonly expected?: string }>>;
  readonly exit_code: number;
}

const names = (await readdir(vectors)).sort();
/** Runs that dropped what they could not decrypt: the original ends with 0, as docs/compatibility.md says. */
const DROPPING = /^(378|381|382|383)-/;
const registry = createRegistry([standard, file, plugin]);
/** All of them were written with this key, under one of these names. */
const keys = { key: KEY, decrypt_keys: { k1: KEY } };

describe("recorded runs of the original", () => {
  it.each(names)("%s", async (name) => {
    await using dir = await TempDir.make();
    const source = new URL(`${name}/`, vectors);
    await cp(source, dir.path, { recursive: true });
    const vector = JSON.parse(await dir.read("vector.json")) as Vector;
    const { routes } = parse(await dir.read("config.yaml")) as { routes: Record<string, unknown> };

    const dropping = DROPPING.test(name);
    if (dropping) expect(vector.exit_code, "exit code of the original").toBe(0);
    expect(await run(routes["r"], dir.path), "exit code").toBe(dropping ? 1 : vector.exit_code);
    for (const [output, { compare, expected }] of Object.entries(vector.outputs)) {
      const [got, want] = await Promise.all([readFile(dir.file(output)), readFile(new URL(expected!, source))]);
      if (compare === "exact") expect(got.toString(), output).toBe(want.toString());
      else if (compare === "decrypt") expect(letters(got), output).toEqual(letters(want));
      else expect(await frames(got), output).toEqual(await frames(want));
    }
  });
});

/** The exit code that the command line gives a run: 0 when everything that was read arrived. */
async function run(config: unknown, baseDir: string): Promise<number> {
  try {
    const route = createBridge({ registry, baseDir }).route("r", config);
    await route.start();
    const result = await route.done;
    return result.outcome === "completed" && result.drops.length === 0 ? 0 : 1;
  } catch {
    return 1;
  }
}

/** What is in each line, decrypted; of the envelope what does not change with the nonce. */
function letters(lines: Buffer): unknown[] {
  return lines
    .toString()
    .trim()
    .split("\n")
    .map((line) => {
      const { payload_base64, ...rest } = JSON.parse(line) as { payload_base64: string };
      const envelope = Buffer.from(payload_base64, "base64");
      const { batch } = opener(keys).open(batchOf([new Message(envelope)]));
      return { ...rest, header: envelope.subarray(0, 5), size: envelope.length, payload: batch.at(0).text() };
    });
}

/** What is in each frame, decrypted and decompressed; of the envelope what does not change with nonce and compressor. */
async function frames(bytes: Buffer): Promise<unknown[]> {
  const found: unknown[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = 8 + Number(bytes.readBigUInt64BE(at));
    const reader = atRest.open({ cipher: "aes256gcm", key_id: "default", ...keys }, "/").unseal("file");
    reader.push(bytes.subarray(at, at + size));
    const content = (await reader.pull())!;
    reader.finish();
    const isGzip = content[0] === 0x1f;
    found.push({
      header: bytes.subarray(at + 8, at + 13),
      size: isGzip ? "compressed" : size,
      content: (isGzip ? gunzipSync(content) : content).toString(),
    });
    at += size;
  }
  return found;
}

it("what was bound to metadata is opened with the same list and metadata", async () => {
  const input = await readFile(new URL("382-mw-decryption-aad-order/input.jsonl", vectors), "utf8");
  const { payload_base64, metadata } = JSON.parse(input) as {
    payload_base64: string;
    metadata: Record<string, string>;
  };
  const message = new Message(Buffer.from(payload_base64, "base64"), new Map(Object.entries(metadata)));
  const { batch } = opener({ authenticate_metadata: ["tenant", "missing", "empty"] }).open(batchOf([message]));
  expect(batch.length).toBe(1);
});
