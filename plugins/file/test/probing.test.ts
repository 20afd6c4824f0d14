import { readdirSync } from "node:fs";
import { link, mkdir, symlink, writeFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import type { ProbeFinding, Side } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { type FileOptions, fileConfig } from "../src/config.ts";
import { file } from "../src/index.ts";
import { Workbench } from "./support.ts";

async function probe(bench: Workbench, side: Side, config: FileOptions): Promise<readonly ProbeFinding[]> {
  return await file.probe!(fileConfig.parse(config), bench.context({ side, path: `${side}.file` }));
}

const failed = (findings: readonly ProbeFinding[]): string[] =>
  findings.filter((one) => !one.ok).map(({ check, detail }) => `${check}: ${detail}`);

describe("a probe of a source", () => {
  it("is content with a file that can be read", async () => {
    await using bench = await Workbench.make();
    await bench.append("in.jsonl", "{}\n");
    const findings = await probe(bench, "input", { path: "in.jsonl" });
    expect(failed(findings)).toEqual([]);
    expect(findings.map((one) => one.check)).toEqual(["exists", "readable", "codec"]);
  });

  it("says that a file is missing, and makes none", async () => {
    await using bench = await Workbench.make();
    expect(failed(await probe(bench, "input", { path: "no.jsonl" }))).toEqual(["exists: there is no file no.jsonl"]);
    expect(readdirSync(bench.dir.path)).toEqual([]);
  });

  it("says that a directory is none", async () => {
    await using bench = await Workbench.make();
    await mkdir(bench.dir.file("in"));
    expect(failed(await probe(bench, "input", { path: "in" }))).toEqual(["exists: in is a directory"]);
  });

  it("finds out that a file is compressed otherwise than the configuration says", async () => {
    await using bench = await Workbench.make();
    await writeFile(bench.dir.file("in.gz"), gzipSync("a\n"));
    await writeFile(bench.dir.file("in.txt"), "a\n");
    const plain = await probe(bench, "input", { path: "in.gz" });
    expect(failed(plain)).toEqual(["codec: it begins like gzip"]);
    expect(plain.at(-1)!.hint).toBe("set compression: gzip");
    expect(failed(await probe(bench, "input", { path: "in.txt", compression: "gzip" }))).toEqual([
      "codec: it begins like no compressed file",
    ]);
    expect(failed(await probe(bench, "input", { path: "in.gz", compression: "gzip" }))).toEqual([]);
  });

  it.runIf(process.getuid?.() !== 0)("says that a file may not be read", async () => {
    await using bench = await Workbench.make();
    await writeFile(bench.dir.file("in.txt"), "a\n", { mode: 0o000 });
    expect(failed(await probe(bench, "input", { path: "in.txt" }))[0]).toMatch(/^readable: .*in.txt is not readable/);
  });

  it("looks whether the position of a group can be kept beside the file", async () => {
    await using bench = await Workbench.make();
    await bench.append("in.jsonl", "{}\n");
    const findings = await probe(bench, "input", { path: "in.jsonl", mode: "group_subscribe", group_id: "g" });
    expect(findings.map((one) => one.detail)).toContain(`${bench.dir.path} is writable`);
    expect(readdirSync(bench.dir.path)).toEqual(["in.jsonl"]);
  });
});

describe("a probe of a sink", () => {
  it("is content where file and folders would be made, and makes none of them", async () => {
    await using bench = await Workbench.make();
    const findings = await probe(bench, "output", { path: "a/b/out.jsonl" });
    expect(failed(findings)).toEqual([]);
    expect(findings.map((one) => one.check)).toEqual(["exists", "writable", "space"]);
    expect(readdirSync(bench.dir.path)).toEqual([]);
  });

  it("says that a directory stands in the place of a file, and a file in that of part files", async () => {
    await using bench = await Workbench.make();
    await mkdir(bench.dir.file("folder"));
    await bench.append("file", "");
    expect(failed(await probe(bench, "output", { path: "folder" }))).toEqual([
      "exists: folder is a directory, not a file",
    ]);
    expect(failed(await probe(bench, "output", { path: "file", name_by: "source_position" }))).toEqual([
      "exists: file is no directory for part files",
    ]);
  });
});

describe("the identity of a file", () => {
  const identity = async (bench: Workbench, side: Side, path: string): Promise<string | undefined> =>
    (await probe(bench, side, { path })).find((one) => one.identity !== undefined)?.identity;

  it("is the same for a source and a sink, through links too", async () => {
    await using bench = await Workbench.make();
    await bench.append("a", "x\n");
    await link(bench.dir.file("a"), bench.dir.file("hard"));
    await symlink(bench.dir.file("a"), bench.dir.file("soft"));
    const of = await identity(bench, "input", "a");
    expect(await identity(bench, "output", "hard")).toBe(of);
    expect(await identity(bench, "output", "soft")).toBe(of);
  });

  it("is that of the path where nothing is yet, and of no other", async () => {
    await using bench = await Workbench.make();
    await mkdir(bench.dir.file("real"));
    await symlink(bench.dir.file("real"), bench.dir.file("link"));
    expect(await identity(bench, "output", "link/new/out")).toBe(await identity(bench, "input", "real/new/out"));
    expect(await identity(bench, "output", "real/out")).not.toBe(await identity(bench, "output", "real/other"));
  });
});
