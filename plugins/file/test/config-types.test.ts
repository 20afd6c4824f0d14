import { defineConfig } from "@mqb/core";
import { expect, it } from "vitest";
import type { FileOptions } from "../src/index.ts";

it("a route in TypeScript knows the fields of a file", () => {
  const input: FileOptions = { path: "in.csv", format: "csv", csv: { separator: ";" } };
  const config = defineConfig({ routes: { r: { input: { file: input }, output: { file: { path: "out.jsonl" } } } } });
  expect(config.routes).toHaveProperty("r");
  // @ts-expect-error a field that does not exist
  const wrong: FileOptions = { path: "in.csv", seperator: ";" };
  expect(wrong.path).toBe("in.csv");
});
