import { cp, readdir, readFile } from "node:fs/promises";
import { gunzipSync } from "node:zlib";
import { createBridge, createRegistry } from "@mqb/core";
import { openDecompressor, sniffCodec } from "@mqb/formats";
import { TempDir } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import plugin from "../src/index.ts";

/** Recorded runs of the original: a configuration, its inputs, and the bytes that it wrote. */
const vectors = new URL("./vectors/", import.meta.url);

interface Vector {
  readonly outputs: Readonly<Record<string, { readonly compare: string; readonly expected?: string }>>;
  readonly exit_code: number;
  readonly note?: string;
}

const names = (await readdir(vectors)).sort();

describe("recorded runs of the original", () => {
  it.each(names)("%s", async (name) => {
    await using dir = await TempDir.make();
    const source = new URL(`${name}/`, vectors);
    await cp(source, dir.path, { recursive: true });
    const vector = JSON.parse(await dir.read("vector.json")) as Vector;
    const document = (await dir.read("config.yaml")).replaceAll("${W}", dir.path);
    const { routes } = parse(document) as { routes: Record<string, unknown> };

    expect(await run(routes["r"], dir.path), "exit code").toBe(vector.exit_code);
    for (const [output, { compare, expected }] of Object.entries(vector.outputs)) {
      const [got, want] = await Promise.all([readFile(dir.file(output)), readFile(new URL(expected!, source))]);
      if (compare === "exact") expect(got.toString("latin1"), output).toBe(want.toString("latin1"));
      else if (compare === "decompress") expect(await decompress(got), output).toBe(await decompress(want));
      else expect(lines(mask(got.toString())), output).toEqual(lines(want.toString()));
    }
  });
});

/** The exit code that the command line gives a run: 0 when everything that was read arrived. */
async function run(config: unknown, baseDir: string): Promise<number> {
  const bridge = createBridge({ registry: createRegistry([plugin]), baseDir });
  try {
    const route = bridge.route("r", config);
    await route.start();
    const result = await route.done;
    return result.outcome === "completed" && result.drops.length === 0 ? 0 : 1;
  } catch {
    return 1;
  }
}

async function decompress(bytes: Buffer): Promise<string> {
  const codec = sniffCodec(bytes)!;
  if (codec === "gzip") return gunzipSync(bytes).toString();
  const decompressor = await openDecompressor(codec, "expected");
  decompressor.push(bytes);
  return (await decompressor.pull())!.toString();
}

/** The original gives fresh ids to what came without. */
function mask(text: string): string {
  return text.replace(/"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"/g, '"<UUID7>"');
}

/** Lines with their metadata in alphabetical order: the original writes it at random. */
function lines(text: string): string[] {
  return text.split("\n").map((line) =>
    line.replace(/"metadata":(\{[^{}]*\})\}$/, (_, object: string) => {
      const sorted = Object.entries(JSON.parse(object) as Record<string, string>).sort(([a], [b]) => (a < b ? -1 : 1));
      return `"metadata":${JSON.stringify(Object.fromEntries(sorted))}}`;
    }),
  );
}
