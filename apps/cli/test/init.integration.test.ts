import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { buildCli } from "./support/cli.ts";
import { folderPerTest } from "./support/folder.ts";

beforeAll(buildCli);
const folder = folderPerTest();
const read = (name: string): string => readFileSync(join(folder.path, name), "utf8");

describe("mqb init", () => {
  it.each([
    [["--from", "file:in.jsonl", "--to", "file:out.jsonl"]],
    [
      [
        "--from",
        "in.csv?format=csv",
        "--to",
        "file:out.jsonl?format=raw|retry?max_attempts=5|dlq?endpoint=file:bad.jsonl",
      ],
    ],
    [["--from", "static:?body=a%22b%0A%23c", "--to", "null:", "--name", "no: 1 # x"]],
    [["--from", "memory://yes", "--to", "memory://no?capacity=7", "--name", "null"]],
  ])("writes what mqb check accepts: %j", async (flags) => {
    expect(await folder.mqb(["init", ...flags])).toMatchObject({ code: 0, stdout: "" });
    const checked = await folder.mqb(["check", "--json"]);
    expect(checked.code, checked.stdout).toBe(0);
    const name = flags[flags.indexOf("--name") + 1];
    expect(JSON.parse(checked.stdout).routes.map((route: { name: string }) => route.name)).toEqual([
      flags.includes("--name") ? name : "main",
    ]);
  });

  it("writes a configuration that does what the URIs say", async () => {
    folder.write("in.jsonl", "1\n2\n");
    await folder.mqb([
      "init",
      "--from",
      "file:in.jsonl?format=raw",
      "--to",
      "file:${DIR}/out.txt?format=raw",
      "--out",
      "c.yaml",
    ]);
    expect(read("c.yaml")).toContain('path: "${DIR}/out.txt"');
    expect(await folder.mqb(["run", "-c", "c.yaml", "--drain"], { DIR: "deep" })).toMatchObject({ code: 0 });
    expect(read("deep/out.txt")).toBe("1\n2\n");
  });

  it("explains fields in comments, and says what to do next", async () => {
    const { stderr } = await folder.mqb(["init", "--from", "file:in.jsonl", "--to", "null:"]);
    expect(read("config.yml")).toMatch(/^ {8}# The file.*\n {8}path: "in\.jsonl"$/m);
    expect(stderr).toBe("wrote config.yml; next: mqb check -c config.yml, then mqb run -c config.yml\n");
  });

  it("leaves a file that is there alone, unless --force says otherwise", async () => {
    folder.write("config.yml", "mine");
    const flags = ["--from", "file:in.jsonl", "--to", "null:"];
    const refused = await folder.mqb(["init", ...flags]);
    expect([refused.code, refused.stderr, read("config.yml")]).toEqual([1, expect.stringContaining("--force"), "mine"]);
    expect((await folder.mqb(["init", ...flags, "--force"])).code).toBe(0);
    expect(read("config.yml")).toContain("routes:");
  });

  it("prints the configuration instead with --out -", async () => {
    const { code, stdout } = await folder.mqb(["init", "--from", "file:a", "--to", "null:", "--out", "-"]);
    expect([code, stdout]).toEqual([0, expect.stringContaining("routes:")]);
    expect(existsSync(join(folder.path, "config.yml"))).toBe(false);
  });

  it("names the flags that are missing where nobody can be asked", async () => {
    const { code, stderr } = await folder.mqb(["init", "--to", "null:"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("--from is missing")]);
  });

  it("writes nothing for ends that make no route", async () => {
    const { code, stderr } = await folder.mqb(["init", "--from", "null:", "--to", "file:a"]);
    expect([code, stderr]).toEqual([1, expect.stringContaining("null")]);
    expect(existsSync(join(folder.path, "config.yml"))).toBe(false);
  });

  it("puts variables in the places of passwords, and names them", async () => {
    const { code, stderr } = await folder.mqb(["init", "--from", "file:db://u:geheim-1@h", "--to", "null:"]);
    expect(code).toBe(0);
    expect(stderr).toContain("secrets are not written: set MQB_SECRET_MAIN_INPUT_FILE_PATH_PASSWORD");
    expect(read("config.yml")).toContain('path: "db://u:${MQB_SECRET_MAIN_INPUT_FILE_PATH_PASSWORD}@h"');
    expect(stderr + read("config.yml")).not.toContain("geheim");
  });

  it("leaves variables in the places of passwords as they are", async () => {
    const { stderr } = await folder.mqb(["init", "--from", "file:db://u:${PW}@h", "--to", "null:"]);
    expect(stderr).not.toContain("secrets");
    expect(read("config.yml")).toContain('path: "db://u:${PW}@h"');
  });
});
