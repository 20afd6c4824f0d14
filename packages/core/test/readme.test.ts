import { readFileSync } from "node:fs";
import { expect, it, vi } from "vitest";

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");

it("the README shows code that is there", () => {
  const blocks = [...read("../README.md").matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code]) => code);
  expect(blocks).toEqual([read("readme/host.ts"), read("readme/author.ts")]);
});

it("the code does what the README says", async () => {
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  await import("./readme/host.ts");
  expect(log.mock.calls).toEqual([["completed", 3]]);
});
