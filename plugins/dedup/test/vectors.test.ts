import { cp } from "node:fs/promises";
import { createBridge, createRegistry } from "@mqb/core";
import file from "@mqb/file";
import standard from "@mqb/standard";
import { TempDir } from "@mqb/testkit";
import { expect, it } from "vitest";
import { parse } from "yaml";
import plugin from "../src/index.ts";

/** A recorded run of the original, also with its keys on disk, as it spells it. */
it.each(["memory://d", "sled://keys", "sled://keys?durable=true", "file:keys"])(
  "127-dedup-memory, with the store %s",
  async (store) => {
    await using dir = await TempDir.make();
    await cp(new URL("vectors/127-dedup-memory", import.meta.url), dir.path, { recursive: true });
    const config = (await dir.read("config.yaml")).replace("memory://d", store);
    const { routes } = parse(config) as { routes: { r: unknown } };
    const registry = createRegistry([standard, file, plugin]);
    const route = createBridge({ registry, baseDir: dir.path }).route("r", routes.r);
    await route.start();
    expect(await route.done).toMatchObject({ outcome: "completed" });
    expect(await dir.read("out.jsonl")).toBe(await dir.read("expected.out.jsonl"));
  },
);
