import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { buildCli } from "./support/cli.ts";
import { folderPerTest } from "./support/folder.ts";

const LAUNCHER = fileURLToPath(new URL("../../../mqb", import.meta.url));
const run = promisify(execFile);

beforeAll(buildCli);
const scratch = folderPerTest();

describe("the launcher at the root of a clone", () => {
  it("builds what is stale without a word on stdout, and runs the command where it was called", async () => {
    writeFileSync(join(scratch.path, "in.txt"), "a\n");
    const args = ["copy", "file:in.txt?format=raw", "-?format=raw", "--drain"];
    expect((await run(LAUNCHER, args, { cwd: scratch.path })).stdout).toBe("a\n");
    expect((await run(process.execPath, [LAUNCHER, ...args], { cwd: scratch.path })).stdout).toBe("a\n");
  });

  it("passes on arguments, exit codes and the ends of a pipeline", async () => {
    const env = { ...process.env, MQB_NO_BUILD: "1", MQB: LAUNCHER };
    const script = `printf 'id,n\\n1,"a,b"\\n' | "$MQB" copy '-?format=csv' '-?format=raw' | "$MQB" copy '-?format=raw' 'file:out file.jsonl?format=raw'`;
    await run("sh", ["-c", script], { cwd: scratch.path, env });
    expect(readFileSync(join(scratch.path, "out file.jsonl"), "utf8")).toBe('{"id":"1","n":"a,b"}\n');
    await expect(run(LAUNCHER, ["--bogus"], { env })).rejects.toMatchObject({ code: 2 });
  });
});
