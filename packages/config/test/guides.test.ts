import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import { linesOf } from "./lint/linted.ts";

const root = new URL("../../../", import.meta.url);
const inFolders = (group: string): string[] =>
  readdirSync(new URL(group, root))
    .map((folder) => `${group}${folder}/README.md`)
    .filter((file) => textOf(file) !== "");
const files = [
  "README.md",
  "apps/cli/README.md",
  ...readdirSync(new URL("docs/guides/", root)).map((file) => `docs/guides/${file}`),
  ...inFolders("packages/"),
  ...inFolders("plugins/"),
];

/** Empty when there is none. */
function textOf(file: string): string {
  try {
    return readFileSync(new URL(file, root), "utf8");
  } catch {
    return "";
  }
}

interface Example {
  readonly name: string;
  readonly yaml: string;
}

/** Every example of a page that is a configuration, or one or both sides of a route. */
function examplesIn(file: string): Example[] {
  const text = textOf(file);
  return [...text.matchAll(/^```yaml\n(.*?)^```/gms)].flatMap(({ 1: yaml = "", index }) => {
    const name = `${file}:${text.slice(0, index).split("\n").length + 1}`;
    if (/^routes:/m.test(yaml)) return [{ name, yaml }];
    const sides = ["input", "output"].filter((side) => new RegExp(`^${side}:`, "m").test(yaml));
    if (sides.length === 0) return [];
    const other = sides.includes("input") ? "" : "input: { memory: { topic: other } }\n";
    return [{ name, yaml: other + yaml }];
  });
}

const examples = files.flatMap(examplesIn);
const VARIABLE = /\$\{(?:env:)?([A-Z][A-Z0-9_]*)\}/g;

describe("an example of the documentation", () => {
  it("is found on many pages", () => {
    expect(new Set(examples.map(({ name }) => name.split(":")[0])).size).toBeGreaterThan(10);
  });

  it.each(examples)("is a configuration without an error: $name", ({ yaml }) => {
    const key = Buffer.alloc(32, 1).toString("base64");
    const environment = Object.fromEntries([...yaml.matchAll(VARIABLE)].map(([, name]) => [name!, key]));
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
    const faults = linesOf(yaml, environment).filter((line) => line.startsWith("error"));
    vi.unstubAllEnvs();
    expect(faults).toEqual([]);
  });
});
