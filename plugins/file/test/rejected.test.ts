import { readdir } from "node:fs/promises";
import { createBridge, createRegistry } from "@mqb/core";
import { fakePlugin, messageBatch, ScriptedConsumer, TempDir } from "@mqb/testkit";
import { expect, it } from "vitest";
import plugin from "../src/index.ts";

it.each([
  ["an option that does not go with the others", { format: "csv", name_by: "source_position" }],
  ["an input without positions", { format: "raw", name_by: "source_position" }],
  ["an unknown option", { formt: "raw" }],
])("a route that is refused leaves no folder behind: %s", async (_, options) => {
  await using dir = await TempDir.make();
  const source = new ScriptedConsumer().push(messageBatch(1)).pushEmpty();
  const registry = createRegistry([plugin, fakePlugin({ source: { consumer: source } })]);
  const bridge = createBridge({ registry, baseDir: dir.path });
  expect(() =>
    bridge.route("r", { input: { source: {} }, output: { file: { path: "new/folder/out", ...options } } }),
  ).toThrow(/new|output\.file|position/);
  expect(await readdir(dir.path)).toEqual([]);
});
