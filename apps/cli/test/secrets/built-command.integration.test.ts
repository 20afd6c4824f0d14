import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { registryWithStubs } from "../../../../packages/config/test/stubs/registry.ts";
import { buildCli, runCli, scratchFolder } from "../support/cli.ts";
import { leaks, type SecretDocument, secretDocuments } from "./documents.ts";

const scratch = scratchFolder();
const stubs = join(scratch.path, "stubs.mjs");
beforeAll(async () => {
  buildCli();
  await build({
    entryPoints: [fileURLToPath(new URL("failing-stubs.ts", import.meta.url))],
    outfile: stubs,
    bundle: true,
    platform: "node",
    format: "esm",
    conditions: ["@mqb/source"],
    // The stubs look at the workspace to know what it has.
    define: {
      "import.meta.url": JSON.stringify(new URL("../../../../packages/config/test/stubs/x", import.meta.url).href),
    },
    logLevel: "warning",
  });
});
afterAll(() => scratch.remove());

const all = secretDocuments(await registryWithStubs());
/** Some from everywhere, and those with most secrets. */
const documents = [...all].sort((a, b) => b.count - a.count).filter((_, index) => index < 12 || index % 9 === 0);

const COMMANDS = [
  ["run", "--drain", "--no-metrics"],
  ["check"],
  ["doctor", "--timeout", "2"],
  ["explain"],
  ["config", "show", "--origin"],
  ["to-cli"],
  ["run", "--dry-run"],
  ["check", "--json"],
];

async function run(document: SecretDocument, command: readonly string[], env: Readonly<Record<string, string>>) {
  writeFileSync(join(scratch.path, "config.json"), document.text);
  const variables = { ...document.env, XDG_RUNTIME_DIR: scratch.path, MQ_BRIDGE_DRAIN_IDLE_TIMEOUT_MS: "1", ...env };
  const argv = [...command, "-c", "config.json", "--plugin", stubs];
  return await runCli(argv, { cwd: scratch.path, env: variables });
}

describe("the built command says no part of a secret", () => {
  it("of at least twenty documents", () => {
    expect(documents.length).toBeGreaterThanOrEqual(20);
  });

  it.each(documents.map((document, index) => [document.name, document, index] as const))(
    "of %s",
    async (_, document, index) => {
      const lines: string[] = [];
      for (const command of [COMMANDS[0]!, COMMANDS[1 + (index % (COMMANDS.length - 1))]!]) {
        const { stdout, stderr } = await run(document, command, { RUST_LOG: "trace" });
        expect(stdout + stderr).not.toBe("");
        lines.push(...leaks(stdout, stderr));
      }
      expect(lines).toEqual([]);
    },
  );
});

describe("a crash of a plugin says no part of a secret", () => {
  const document = all.find(({ name }) => name.startsWith("from_mongodb,"))!;

  it.each(["throws", "rejects", "rejects with a value", "throws a text"])("that %s", async (how) => {
    for (const level of ["info", "trace"]) {
      const { code, stdout, stderr } = await run(document, ["run"], { STUBS_CRASH: how, RUST_LOG: level });
      expect([code, stderr]).toEqual([1, expect.stringContaining("error: unexpected:")]);
      expect(leaks(stdout, stderr)).toEqual([]);
    }
    // Nothing else was left behind, such as a report of Node's.
    const files = readdirSync(scratch.path, { withFileTypes: true }).filter((one) => one.isFile());
    expect(files.map((one) => one.name).sort()).toEqual(["config.json", "stubs.mjs"]);
    const left = readdirSync(join(scratch.path, "mq-bridge-app/instances")).map((name) =>
      readFileSync(join(scratch.path, "mq-bridge-app/instances", name), "utf8"),
    );
    expect(leaks(...left)).toEqual([]);
  });
});
