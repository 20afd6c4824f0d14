import { expect, it } from "vitest";
import { documentsOf, readExamples } from "./examples/example.ts";
import { fuzzDocuments } from "./fuzz/run.ts";
import { registryWithStubs } from "./stubs/registry.ts";

it("no mutated document crashes, shows a stack, changes a prototype or loses its place", async () => {
  const registry = await registryWithStubs();
  const documents = readExamples().flatMap(documentsOf);
  const { failures, refused, count } = fuzzDocuments({ registry, documents, count: 1500, seed: 20_000 });
  expect(failures).toEqual([]);
  // Mutations that leave everything valid, or nothing, would show nothing.
  expect(refused).toBeGreaterThan(count / 5);
  expect(refused).toBeLessThan(count);
}, 60_000);
