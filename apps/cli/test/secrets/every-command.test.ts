import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { registryWithStubs } from "../../../../packages/config/test/stubs/registry.ts";
import { scratchFolder } from "../support/cli.ts";
import { asideDocuments, leaks, type SecretDocument, secretDocuments } from "./documents.ts";
import { told } from "./told.ts";

const STUBS = fileURLToPath(new URL("failing-stubs.ts", import.meta.url));
const scratch = scratchFolder();
afterAll(() => scratch.remove());

const documents = secretDocuments(await registryWithStubs());

/** What a person may run on a configuration. */
const COMMANDS = [
  ["check"],
  ["check", "--json"],
  ["doctor", "--timeout", "1"],
  ["doctor", "--timeout", "1", "--json"],
  ["explain"],
  ["explain", "--json"],
  ["config", "show", "--origin"],
  ["config", "show", "--json"],
  ["to-cli"],
  ["to-cli", "--json"],
  ["to-cli", "--copy"],
  ["run", "--drain", "--no-metrics"],
  ["run", "--dry-run"],
  ["run", "--dry-run", "--json"],
] as const;
const LEVELS = ["trace", "debug", "info", "warn", "error", "off", "info,kafka=trace"];

async function said(document: SecretDocument, index: number): Promise<string[]> {
  const cwd = join(scratch.path, String(index));
  mkdirSync(cwd);
  writeFileSync(join(cwd, "config.json"), document.text);
  const found: string[] = [];
  for (const [at, command] of COMMANDS.entries()) {
    // What opens something logs: at the level that says most, and at another one in turn.
    const turn = LEVELS[(index + at) % LEVELS.length]!;
    for (const level of command[0] === "run" || command[0] === "doctor" ? new Set(["trace", turn]) : [turn]) {
      const env = { ...document.env, RUST_LOG: level, MQ_BRIDGE_DRAIN_IDLE_TIMEOUT_MS: "1" };
      const argv = [...command, "-c", "config.json", "--plugin", STUBS];
      const { stdout, stderr } = await told(argv, { cwd, env });
      const lines = leaks(stdout, stderr);
      found.push(...lines.map((line) => `${command.join(" ")} [${level}]: ${line}`));
    }
  }
  return found;
}

describe("no command prints a part of a secret", () => {
  it("of the examples, which hold many", () => {
    expect(documents.length).toBeGreaterThan(130);
    expect(documents.reduce((sum, { count }) => sum + count, 0)).toBeGreaterThan(250);
  });

  it.concurrent.each(documents.map((document, index) => [document.name, document, index] as const))(
    "of %s",
    async (_, document, index) => {
      expect(await said(document, index)).toEqual([]);
    },
    60_000,
  );

  it.concurrent.each(asideDocuments().map((document, index) => [document.name, document, index] as const))(
    "in %s",
    async (_, document, index) => {
      expect(await said(document, documents.length + index)).toEqual([]);
    },
    60_000,
  );
});
