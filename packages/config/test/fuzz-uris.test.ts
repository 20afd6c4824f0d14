import { createRegistry } from "@mqb/core";
import file from "@mqb/file";
import standard from "@mqb/standard";
import { expect, it } from "vitest";
import { withCachedSchemas } from "./cached-schemas.ts";
import { fakePlugin } from "./fake-plugin.ts";
import { structural } from "./fake-structural.ts";
import { fuzzUris } from "./fuzz/uris.ts";

it.each([
  ["what comes with mqb", [standard, file]],
  ["fakes", [fakePlugin, structural]],
])("no mutated URI crashes, hangs, shows a stack or changes a prototype: %s", (_, plugins) => {
  const registry = createRegistry(plugins.map(withCachedSchemas));
  const { failures, refused } = fuzzUris({ registry, count: 600, seed: 40_000 });
  expect(failures).toEqual([]);
  // Mutations that leave everything valid, or nothing, would show nothing.
  expect(refused).toBeGreaterThan(150);
  expect(refused).toBeLessThan(600);
});
