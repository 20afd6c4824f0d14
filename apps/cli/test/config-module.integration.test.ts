import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { buildCli, startCli } from "./support/cli.ts";
import { fileHolds } from "./support/files.ts";
import { folderPerTest } from "./support/folder.ts";

const CORE = fileURLToPath(new URL("../../../packages/core", import.meta.url));

beforeAll(buildCli);
const folder = folderPerTest();

const typed = (target: string, more = ""): string => `import { defineConfig } from "@mqb/core";

const input = { file: { path: "in.txt", format: "raw" } } as const;
const names: readonly string[] = ["orders"];

export default defineConfig({
  log_level: "warn",
  endpoints: { archive: { file: { path: "${target}.txt", format: "raw" } } },
  routes: Object.fromEntries(
    names.map((name) => [name, { input, output: { ref: "archive" }, exit_on_empty: true ${more} }]),
  ),
});
`;

/** As an installation would have it. */
function installCore(): void {
  mkdirSync(join(folder.path, "node_modules/@mqb"), { recursive: true });
  symlinkSync(CORE, join(folder.path, "node_modules/@mqb/core"));
}

describe("a configuration in TypeScript", () => {
  it("is found and run like one in YAML", async () => {
    installCore();
    folder.write("in.txt", "a\n");
    folder.write("mqb.config.ts", typed("out"));
    const { code, stderr } = await folder.mqb(["run", "--no-metrics"]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(readFileSync(join(folder.path, "out.txt"), "utf8")).toBe("a\n");
  });

  it("stands behind config.yml, and can be asked for by name", async () => {
    folder.write("in.txt", "a\n");
    folder.write(
      "config.yml",
      "routes: { y: { input: { file: { path: in.txt } }, output: { file: { path: yaml.txt } }, exit_on_empty: true } }\n",
    );
    folder.write(
      "mqb.config.mjs",
      `export default { routes: { m: { input: { file: { path: "in.txt" } }, output: { file: { path: "module.txt" } }, exit_on_empty: true } } };`,
    );
    expect((await folder.mqb(["run", "--no-metrics"])).code).toBe(0);
    expect([existsSync(join(folder.path, "yaml.txt")), existsSync(join(folder.path, "module.txt"))]).toEqual([
      true,
      false,
    ]);
    expect((await folder.mqb(["run", "--no-metrics", "-c", "mqb.config.mjs"])).code).toBe(0);
    expect(existsSync(join(folder.path, "module.txt"))).toBe(true);
  });

  it("has its faults named by path", async () => {
    installCore();
    folder.write("mqb.config.ts", typed("out", ", bach_size: 3"));
    const { code, stderr } = await folder.mqb(["check"]);
    expect(code).toBe(1);
    expect(stderr + (await folder.mqb(["check"])).stdout).toMatch(
      /mqb\.config\.ts.*routes\.orders\.bach_size.*did you mean "batch_size"/s,
    );
  });

  it("is read anew at a reload", async () => {
    const follow = (target: string): string =>
      `export default { routes: { r: { input: { file: { path: "in.txt", format: "raw", mode: "subscribe" } }, output: { file: { path: "${target}.txt", format: "raw" } } } } };`;
    folder.write("in.txt", "");
    folder.write("mqb.config.mjs", follow("one"));
    const run = startCli(["run", "--no-metrics"], { cwd: folder.path });
    await run.stderr(/Started/);
    folder.write("mqb.config.mjs", follow("two"));
    run.child.kill("SIGHUP");
    await run.stderr(/configuration reloaded added=0 changed=1/);
    folder.write("in.txt", "x\n");
    await fileHolds(join(folder.path, "two.txt"), "x");
    run.child.kill();
    expect((await run.done).code).toBe(0);
  });

  it.each([
    ["export default 5;", "default export is no configuration"],
    ["throw new Error('not today');", "not today"],
    ["export const x = {};", "default export is no configuration"],
  ])("%s is refused with the reason", async (text, reason) => {
    folder.write("mqb.config.mjs", text);
    const { code, stderr } = await folder.mqb(["run"]);
    expect(code).toBe(1);
    expect(stderr).toContain("MQB_CLI_CONFIG_MODULE");
    expect(stderr).toContain(reason);
  });
});
