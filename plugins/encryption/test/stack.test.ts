import { readFile } from "node:fs/promises";
import compression from "@mqb/compression";
import { createBridge, createRegistry } from "@mqb/core";
import file from "@mqb/file";
import standard from "@mqb/standard";
import { TempDir } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import plugin from "../src/index.ts";
import { CIPHERS, KEY } from "./sealing.ts";

const registry = createRegistry([standard, file, compression, plugin]);
/** A recorded run of the original: four messages, packed, compressed and encrypted into one. */
const recorded = new URL("./stack/", import.meta.url);

const stack = (cipher: string) => ({
  writer: [
    { encryption: { cipher, key: KEY } },
    { compression: { algorithm: "zstd" } },
    { pack: { max_messages: 1000 } },
  ],
  reader: [{ unpack: {} }, { compression: { algorithm: "zstd" } }, { encryption: { cipher, key: KEY } }],
});

async function copy(dir: TempDir, input: Side, output: Side) {
  const side = ({ path, middlewares = [] }: Side) => ({ file: { path, format: "normal" }, middlewares });
  const route = createBridge({ registry, baseDir: dir.path }).route("r", {
    exit_on_empty: true,
    input: side(input),
    output: side(output),
  });
  await route.start();
  return route.done;
}

interface Side {
  readonly path: string;
  readonly middlewares?: readonly unknown[];
}

const letters = (lines: string): unknown[] =>
  lines
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);

describe("the whole stack of a wire", () => {
  it("reads what the original has written", async () => {
    await using dir = await TempDir.make();
    await dir.write("in", await readFile(new URL("expected.out.jsonl", recorded)));
    const { reader } = stack("xchacha20poly1305");
    const result = await copy(dir, { path: "in", middlewares: reader }, { path: "out" });
    expect(result).toMatchObject({ outcome: "completed", drops: [] });
    const want = letters(await readFile(new URL("input.jsonl", recorded), "utf8"));
    expect(letters(await dir.read("out"))).toEqual(want);
  });

  it.each(CIPHERS)("is undone by its mirror: %s", async (cipher) => {
    await using dir = await TempDir.make();
    const input = await readFile(new URL("input.jsonl", recorded), "utf8");
    await dir.write("in", input);
    const { writer, reader } = stack(cipher);
    await copy(dir, { path: "in" }, { path: "sealed", middlewares: writer });
    expect(letters(await dir.read("sealed"))).toEqual([
      expect.objectContaining({ metadata: { "mqb.pack.count": "4" } }),
    ]);
    await copy(dir, { path: "sealed", middlewares: reader }, { path: "out" });
    expect(letters(await dir.read("out"))).toEqual(letters(input));
  });

  it("is not read with the list of the writer", async () => {
    await using dir = await TempDir.make();
    await dir.write("in", await readFile(new URL("expected.out.jsonl", recorded)));
    const { reader } = stack("xchacha20poly1305");
    const result = await copy(dir, { path: "in", middlewares: [...reader].reverse() }, { path: "out" });
    expect(result).toMatchObject({ outcome: "failed", error: { kind: "permanent" } });
  });
});
