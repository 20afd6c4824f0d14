import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { buildCli, runCli } from "./support/cli.ts";
import { folderPerTest } from "./support/folder.ts";

beforeAll(buildCli);
const scratch = folderPerTest();

const file = (name: string): string => join(scratch.path, name);
const copy = (...args: string[]) => runCli(["copy", ...args], { cwd: scratch.path });

describe("what a copy says", () => {
  it("names a file that is not there once, with what to look at", async () => {
    const { code, stdout, stderr } = await copy("nope.jsonl", "null:", "--drain");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toBe(
      `error[MQB_FILE_NOT_READABLE]: copy failed after 0 rows: ${file("nope.jsonl")} cannot be read: ENOENT: no such file or directory\n` +
        "  hint: is the name right? a relative path starts at the working directory\n",
    );
  });

  it("says once why it has failed", async () => {
    writeFileSync(file("in.txt"), "a\n");
    const { code, stderr } = await copy("file:in.txt?format=raw", "file:///dev/full?format=raw", "--drain");
    expect(code).toBe(1);
    expect(stderr).not.toContain(" ERROR ");
    expect(stderr.match(/^error.*ENOSPC/gm)).toHaveLength(1);
  });

  it("counts a single row as one", async () => {
    writeFileSync(file("in.txt"), "a\n");
    const { stdout } = await copy("file:in.txt?format=raw", "null:", "--drain");
    expect(stdout).toMatch(/^copied 1 row in /);
  });

  it("warns of a CSV that has another separator, and reads it with auto", async () => {
    writeFileSync(file("in.csv"), "a;b\n1;2\n");
    const wrong = await copy("in.csv?format=csv", "-?format=raw", "--drain");
    expect(wrong).toMatchObject({ code: 0, stdout: '{"a;b":"1;2"}\n' });
    expect(wrong.stderr).toMatch(
      /WARN .*in\.csv: the header is one column, "a;b"; .*set csv\.separator to ";" or "auto"/,
    );
    const right = await copy("in.csv?format=csv&csv.separator=auto", "-?format=raw", "--drain");
    expect(right).toMatchObject({
      code: 0,
      stdout: '{"a":"1","b":"2"}\n',
      stderr: expect.stringMatching(/^copied 1 row/),
    });
  });

  it("makes the file for dead letters at the start, so that a wrong one shows before the first failure", async () => {
    writeFileSync(file("in.txt"), "a\n");
    expect(await copy("file:in.txt?format=raw", "null:|dlq?endpoint=file:dead.jsonl", "--drain")).toMatchObject({
      code: 0,
    });
    expect(readFileSync(file("dead.jsonl"), "utf8")).toBe("");
    const wrong = await copy("file:in.txt?format=raw", "file:out.txt|dlq?endpoint=file:in.txt/dead.jsonl", "--drain");
    expect(wrong.code).toBe(1);
    expect(existsSync(file("out.txt")) ? readFileSync(file("out.txt"), "utf8") : "").toBe("");
  });

  it("says in its help which exit code a missing target has", async () => {
    const [help, missing, flag] = await Promise.all([copy("--help"), copy("file:a"), copy("--bogus")]);
    expect(help.stdout).toMatch(/missing or wrong SOURCE or TARGET ends with 1/);
    expect([missing.code, flag.code]).toEqual([1, 2]);
  });

  it("shows no part of a password, whatever is wrong with its URI", async () => {
    const uris = [
      "kafka://u:s3cr&tZZ@h/t",
      "nosuch://u:s3cr|tZZ@h",
      "file://u:s3cr?tZZ=1@h/x",
      "static://u:s3crtZZ@x?body=a",
    ];
    for (const uri of uris) {
      const { code, stdout, stderr } = await copy(uri, "null:", "-v");
      expect(code, uri).toBe(1);
      expect(stdout + stderr, uri).not.toMatch(/tZZ|s3cr/);
    }
  });
});
