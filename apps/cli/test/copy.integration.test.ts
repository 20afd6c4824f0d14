import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { buildCli, runCli, startCli } from "./support/cli.ts";
import { folderPerTest } from "./support/folder.ts";

beforeAll(buildCli);
const scratch = folderPerTest();

const file = (name: string): string => join(scratch.path, name);
const copy = (...args: string[]) => runCli(["copy", ...args], { cwd: scratch.path });
const numbers = (count: number): string[] => Array.from({ length: count }, (_, i) => `row ${i}`);
const lines = (name: string): string[] => readFileSync(file(name), "utf8").split("\n").slice(0, -1);

describe("mqb copy", () => {
  it("means the same with arguments and with flags", async () => {
    writeFileSync(file("in.txt"), "a\nb\n");
    const named = await copy("--to", "file:two.txt?format=raw", "--drain", "--from", "file:in.txt?format=raw");
    expect(await copy("file:in.txt?format=raw", "file:one.txt?format=raw", "--drain")).toMatchObject({
      code: 0,
      stderr: "",
    });
    expect(named).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^copied 2 rows in \S+ \([\d_]+ rows\/s\)\n$/),
      stderr: "",
    });
    expect(lines("one.txt")).toEqual(lines("two.txt"));
  });

  it.each([
    [1, 1],
    [3, 2],
    [2048, 8],
  ])("delivers every row once with batches of %i, %i at a time", async (size, concurrency) => {
    writeFileSync(file("in.txt"), `${numbers(5000).join("\n")}\n`);
    const limits = ["--batch-size", String(size), "--concurrency", String(concurrency)];
    const { code, stdout } = await copy("file:in.txt?format=raw", "file:out.txt?format=raw", "--drain", ...limits);
    expect([code, stdout.slice(0, 18)]).toEqual([0, "copied 5_000 rows "]);
    expect(lines("out.txt")).toEqual(numbers(5000));
  });

  it("keeps standard output for the rows when they go there", async () => {
    writeFileSync(file("in.txt"), "a\nb\n");
    const { code, stdout, stderr } = await copy("file:in.txt?format=raw", "-?format=raw", "--drain");
    expect({ code, stdout }).toEqual({ code: 0, stdout: "a\nb\n" });
    expect(stderr).toMatch(/^copied 2 rows in /);
  });

  it("ends with standard input, also without --drain", async () => {
    const { code, stdout } = await runCli(["copy", "-?format=raw", "file:out.txt?format=raw"], {
      cwd: scratch.path,
      stdin: "x\ny",
    });
    expect([code, stdout.slice(0, 13)]).toEqual([0, "copied 2 rows"]);
    expect(lines("out.txt")).toEqual(["x", "y"]);
  });

  it("loses no row of a long output when it ends", async () => {
    const stdin = `${"x".repeat(1000)}\n`.repeat(3000);
    const { code, stdout } = await runCli(["copy", "-?format=raw", "-?format=raw"], { cwd: scratch.path, stdin });
    expect([code, stdout.length]).toEqual([0, stdin.length]);
  });

  it("is quiet when nobody reads its output any more", async () => {
    const stdin = `${"x".repeat(1000)}\n`.repeat(20_000);
    const running = startCli(["copy", "-?format=raw", "-?format=raw"], { cwd: scratch.path, stdin });
    running.child.stdout!.once("data", () => running.child.stdout!.destroy());
    expect(await running.done).toMatchObject({ code: 0, stderr: "" });
  });

  it("goes on without --drain, and ends at --limit exactly", async () => {
    writeFileSync(file("in.txt"), "1\n2\n");
    const running = startCli(["copy", "file:in.txt?format=raw", "-?format=raw", "--limit", "3"], { cwd: scratch.path });
    await new Promise((resolve) => running.child.stdout!.once("data", resolve));
    appendFileSync(file("in.txt"), "3\n4\n5\n");
    expect(await running.done).toMatchObject({ code: 0, stdout: "1\n2\n3\n" });
  });

  it("waits with --wait for a source that is empty at first", async () => {
    writeFileSync(file("in.txt"), "");
    const running = startCli(["copy", "file:in.txt?format=raw", "file:out.txt?format=raw", "--wait", "30", "-v"], {
      cwd: scratch.path,
    });
    // It says so once for each time that it looks.
    await running.stderr(/route copy:[\s\S]*route copy:/);
    appendFileSync(file("in.txt"), "late\n");
    expect(await running.done).toMatchObject({ code: 0, stdout: expect.stringMatching(/^copied 1 row in/) });
    expect(lines("out.txt")).toEqual(["late"]);
  });

  it("gives up waiting when the time is over, and never waits for what has failed", async () => {
    writeFileSync(file("in.txt"), "");
    expect(await copy("file:in.txt", "file:out.txt", "--wait", "1")).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^copied 0 rows/),
    });
    const failed = await copy("file:gone.txt", "file:out.txt", "--wait", "3600");
    expect(failed).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/copy failed after 0 rows: .*gone\.txt/),
    });
  });

  it("fails when rows were dropped for good, and says how many and why", async () => {
    writeFileSync(file("in.txt"), "no json\n");
    const { code, stdout, stderr } = await copy("file:in.txt?format=raw", "file:out.csv?format=csv", "--drain");
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/copy did not deliver every row it read \(0 of 1 rows\): ./);
  });

  it("counts a row that went to the dead letters as handled", async () => {
    writeFileSync(file("in.txt"), "no json\n");
    const target = "file:out.csv?format=csv|dlq?endpoint=file:dead.txt%3Fformat=raw";
    const { code, stdout } = await copy("file:in.txt?format=raw", target, "--drain");
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^copied 0 rows, dead-lettered 1 in /)]);
    expect(lines("dead.txt")).toEqual(["no json"]);
  });

  it("logs nothing but warnings unless -v is given, and then its ends without their secrets", async () => {
    writeFileSync(file("in.txt"), "a\n");
    const { stderr } = await copy("file:in.txt?format=raw", "null:", "--drain", "-v");
    expect(stderr).toMatch(
      /INFO {2}copy route started from=.*file:in\.txt.* to=null: filtered=false resume=off drain=true/,
    );
  });

  it("shows no password of a URI that it refuses", async () => {
    const { code, stderr } = await copy(
      "kafka://bob:hunter22@h/t?sasl_password=hunter33",
      "null:|nosuch?token=hunter44",
    );
    expect(code).toBe(1);
    expect(stderr).not.toMatch(/hunter/);
  });

  it("takes variables from a .env file, which does not replace what is set", async () => {
    writeFileSync(file(".env"), "IN=in.txt\nOUT=wrong.txt\n");
    writeFileSync(file("in.txt"), "a\n");
    const options = { cwd: scratch.path, env: { OUT: "right.txt" } };
    expect(await runCli(["copy", "file:$IN?format=raw", "file:${OUT}?format=raw", "--drain"], options)).toMatchObject({
      code: 0,
      stderr: "",
    });
    expect([existsSync(file("right.txt")), existsSync(file("wrong.txt"))]).toEqual([true, false]);
  });
});
