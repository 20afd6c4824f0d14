import { cp, readdir } from "node:fs/promises";
import { createBridge, createRegistry } from "@mqb/core";
import expression from "@mqb/expression";
import file from "@mqb/file";
import standard from "@mqb/standard";
import { TempDir } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import plugin from "../src/index.ts";

/** Recorded runs of the original: a configuration, its input, and what it wrote. */
const vectors = new URL("./vectors/", import.meta.url);
const registry = createRegistry([standard, file, expression, plugin]);

/** With a database in the original, and the stored states. */
const STORED: Readonly<Record<string, { readonly runs: number; readonly states: Readonly<Record<string, string>> }>> = {
  "145-aggregate-stored": {
    runs: 1,
    states: { "f:a": "[3.0,1.5,2.0,3.5]", "f:b": "[0.1,1.0,1.0,0.1]", "x:a": '{"c":3.5}', "x:b": '{"c":0.1}' },
  },
  "761-aggregate-stored-twice": {
    runs: 2,
    states: {
      "f:7": "[4.5,1.5,3.0,2.0,6.0]",
      "f:a": "[3.75,1.875,2.5,4.0,7.0]",
      "f:b é": "[-1.5,1.5,-1.0,2.0,-2.0]",
      "x:7": '{"c":6}',
      // `7.0` in the original: the same number.
      "x:a": '{"c":7}',
      "x:b é": '{"c":-2}',
    },
  },
};

async function run(dir: TempDir): Promise<void> {
  const { routes } = parse(await dir.read("config.yaml")) as { routes: Record<string, unknown> };
  const route = createBridge({ registry, baseDir: dir.path }).route("r", routes["r"]);
  await route.start();
  expect(await route.done).toMatchObject({ outcome: "completed" });
}

describe("recorded runs of the original", async () => {
  it.each((await readdir(vectors)).sort())("%s", async (name) => {
    await using dir = await TempDir.make();
    await cp(new URL(`${name}/`, vectors), dir.path, { recursive: true });
    const { runs, states } = STORED[name] ?? { runs: 1 };
    for (let n = 0; n < runs; n++) await run(dir);
    const [got, want] = await Promise.all([dir.read("out.jsonl"), dir.read("expected.out.jsonl")]);
    expect(got).toBe(want);
    if (!states) return;
    const stored = JSON.parse(await dir.read("states.json")) as Record<string, string>;
    const plain = Object.entries(stored).map(([key, state]) => [key.replace(/^mqb_aggregate_r\//, ""), state]);
    expect(Object.fromEntries(plain)).toEqual(states);
  });
});
