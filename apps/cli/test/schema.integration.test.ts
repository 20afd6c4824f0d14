import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { buildCli, runCli } from "./support/cli.ts";
import { folderPerTest } from "./support/folder.ts";

beforeAll(buildCli);
const scratch = folderPerTest();

const run = (...args: string[]) => runCli(args, { cwd: scratch.path });

describe("mqb schema", () => {
  it("prints the committed schema where only what comes with mqb is installed", async () => {
    const { code, stdout, stderr } = await run("schema");
    const committed = fileURLToPath(new URL("../../../docs/reference/mqb.schema.json", import.meta.url));
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout)).toEqual(JSON.parse(readFileSync(committed, "utf8")));
  });

  it("writes a file, with the folders that it needs", async () => {
    expect(await run("schema", "--out", "a/b/schema.json")).toMatchObject({ code: 0, stdout: "", stderr: "" });
    expect(JSON.parse(readFileSync(join(scratch.path, "a/b/schema.json"), "utf8"))).toMatchObject({
      $schema: "https://json-schema.org/draft/2020-12/schema",
    });
  });

  it("says why a file cannot be written", async () => {
    writeFileSync(join(scratch.path, "file"), "");
    const { code, stderr } = await run("schema", "--out", "file/schema.json");
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error\[MQB_CLI_CANNOT_WRITE\]: file\/schema\.json cannot be written/);
    expect(existsSync(join(scratch.path, "file/schema.json"))).toBe(false);
  });

  it("holds what a listed plugin brings", async () => {
    const plugin = fileURLToPath(new URL("fixtures/echo.mjs", import.meta.url));
    const { stdout } = await run("schema", "--plugin", plugin);
    const defs = (JSON.parse(stdout) as { $defs: Record<string, unknown> }).$defs;
    expect(Object.keys(defs)).toContain("endpoint.echo");
  });
});
