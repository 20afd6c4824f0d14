import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { buildCli, startCli } from "./support/cli.ts";
import { folderPerTest } from "./support/folder.ts";

const BIN = fileURLToPath(new URL("../dist/mqb.cjs", import.meta.url));

beforeAll(buildCli);
const scratch = folderPerTest();

/** Runs a shell script, in which `$MQB` is the command. */
function shell(script: string, cwd: string): Promise<{ code: unknown; stdout: string; stderr: string }> {
  const env = { ...process.env, MQB: `${process.execPath} ${BIN}` };
  return new Promise((resolve) => {
    execFile("/bin/sh", ["-c", script], { cwd, env }, (error, stdout, stderr) =>
      resolve({ code: error ? error.code : 0, stdout, stderr }),
    );
  });
}

describe("in a folder that is gone", () => {
  const gone = (args: string) => {
    const folder = join(scratch.path, "gone");
    mkdirSync(folder);
    return shell(`rmdir "${folder}" && $MQB ${args}`, folder);
  };

  it.each(["--help", "--version", "help copy", "completion bash"])("%s is answered", async (args) => {
    const { code, stdout, stderr } = await gone(args);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).not.toBe("");
  });

  it.each(["run", "copy a.jsonl null:", "check"])("%s says so", async (args) => {
    expect(await gone(args)).toEqual({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/^error\[MQB_CLI_NO_FOLDER\]: the working directory is gone/) as string,
    });
  });
});

it.each(["--help", "schema", "plugins list"])("%s fails when what it prints cannot be written", async (args) => {
  const { code, stderr } = await shell(`$MQB ${args} > /dev/full`, scratch.path);
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^error\[MQB_CLI_CANNOT_WRITE\]: .*ENOSPC/)]);
});

it("does not open the debugger at SIGUSR1", async () => {
  writeFileSync(join(scratch.path, "in.txt"), "a\n");
  const running = startCli(["copy", "in.txt?format=raw", "out.txt?format=raw", "-v"], { cwd: scratch.path });
  await running.stderr(/at_least_once/);
  running.child.kill("SIGUSR1");
  running.child.kill("SIGTERM");
  const { code, stderr } = await running.done;
  expect(code).toBe(0);
  expect(stderr).not.toMatch(/Debugger|inspector/i);
});
