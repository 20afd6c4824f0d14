import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const readme = readFileSync(join(root, "README.md"), "utf8");
const [, plugin] = /```ts\n(import \{ batchOf[\s\S]*?)```/.exec(readme)!;
const [, command] = /^npx tsc (.*?) *#/m.exec(readme)!;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mqb-readme-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it("the plugin of the README is built by its command, also below somebody's tsconfig.json", () => {
  const own = join(folder, "own");
  const installed = {
    "@mqb/core": "packages/core",
    zod: "packages/standard/node_modules/zod",
    "@types/node": "node_modules/@types/node",
  };
  for (const [name, from] of Object.entries(installed)) {
    mkdirSync(join(own, "node_modules", name, ".."), { recursive: true });
    symlinkSync(join(root, from), join(own, "node_modules", name));
  }
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: { noEmit: true }, files: ["a.ts"] }));
  writeFileSync(join(own, "countdown.mts"), plugin!);
  execFileSync(join(root, "node_modules/.bin/tsc"), command!.split(/\s+/), { cwd: own, stdio: "pipe" });
  expect(existsSync(join(own, "countdown.mjs"))).toBe(true);
});
