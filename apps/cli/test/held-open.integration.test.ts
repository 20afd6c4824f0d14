import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { buildCli, type Running, startCli } from "./support/cli.ts";
import { fileGrows } from "./support/files.ts";
import { folderPerTest } from "./support/folder.ts";

beforeAll(buildCli);
const scratch = folderPerTest();

const file = (name: string): string => join(scratch.path, name);

/** Sends a SIGTERM and gives the end, with the milliseconds that it took. */
async function stop(running: Running) {
  const asked = performance.now();
  running.child.kill("SIGTERM");
  const finished = await running.done;
  return { ...finished, took: performance.now() - asked };
}

describe("a peer that holds its end open does not block a stop", () => {
  it("standard input that nobody closes", async () => {
    const running = startCli(["copy", "-?format=raw", "file:out.txt?format=raw"], {
      cwd: scratch.path,
      stdin: "a\nhalf a record",
      keepStdin: true,
    });
    await fileGrows(file("out.txt"), 2);
    const { code, stdout, took } = await stop(running);
    expect([code, stdout.slice(0, 26)]).toEqual([0, "stopped after copying 1 ro"]);
    expect(took).toBeLessThan(4000);
    expect(readFileSync(file("out.txt"), "utf8")).toBe("a\n");
  });

  it.skipIf(process.platform === "win32")("a FIFO that nobody writes to", async () => {
    execFileSync("mkfifo", [file("fifo")]);
    const running = startCli(["copy", "file:fifo?format=raw", "file:out.txt?format=raw", "-v"], { cwd: scratch.path });
    await running.stderr(/copy route started/);
    const { code, took } = await stop(running);
    expect(code).toBe(0);
    expect(took).toBeLessThan(4000);
  });

  it.skipIf(process.platform === "win32")("a FIFO that nobody reads from", async () => {
    execFileSync("mkfifo", [file("fifo")]);
    writeFileSync(file("in.txt"), "a\n");
    const running = startCli(["copy", "file:in.txt?format=raw", "file:fifo?format=raw", "-v"], { cwd: scratch.path });
    await running.stderr(/INFO/);
    const { took } = await stop(running);
    expect(took).toBeLessThan(4000);
  });

  it("a reader of standard output that has stopped reading: the grace period ends it", async () => {
    writeFileSync(file("in.txt"), `${"x".repeat(1000)}\n`.repeat(20_000));
    const running = startCli(["copy", "file:in.txt?format=raw", "-?format=raw"], { cwd: scratch.path });
    await new Promise((resolve) => running.child.stdout!.once("data", resolve));
    running.child.stdout!.pause();
    const asked = performance.now();
    running.child.kill("SIGTERM");
    await new Promise((resolve) => running.child.once("exit", resolve));
    expect(performance.now() - asked).toBeLessThan(8000);
    running.child.stdout!.resume();
    const { code, stderr } = await running.done;
    expect([code, stderr]).toEqual([0, expect.stringMatching(/WARN .*grace period of 5000 ms/)]);
  });
});
