import { spawnSync } from "node:child_process";
import { existsSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Message } from "@mqb/core/plugin";
import { expect, it } from "vitest";
import { Workbench } from "./support.ts";

/** The pid of a process that was there and is gone. */
const gone = spawnSync(process.execPath, ["-e", ""]).pid;

/** Leaves `tail` behind `whole` as a process does that is killed in the middle of a write of `length` bytes. */
function leave(dir: string, whole: string, tail: string, length: number, pid = gone): string {
  const path = join(dir, "out.jsonl");
  writeFileSync(path, whole + tail);
  const mark = { pid, began: 1, ino: String(statSync(path).ino), size: Buffer.byteLength(whole), length };
  writeFileSync(join(dir, ".out.jsonl.mqb-tail"), JSON.stringify(mark));
  return path;
}

const after = async (bench: Workbench): Promise<string> => {
  const sink = await bench.sink({ path: "out.jsonl", format: "raw" });
  await sink.send(new Message("next"));
  return await bench.dir.read("out.jsonl");
};

it("half a record that a killed process left is cut off, its whole records stay", async () => {
  await using bench = await Workbench.make();
  leave(bench.dir.path, "one\n", "two\nthr", 20);
  expect(await after(bench)).toBe("one\ntwo\nnext\n");
});

it("a record of which nothing but a piece was written is cut off", async () => {
  await using bench = await Workbench.make();
  leave(bench.dir.path, "one\n", "tw", 20);
  expect(await after(bench)).toBe("one\nnext\n");
});

it("a last record without its end that nobody was writing stays as it is", async () => {
  await using bench = await Workbench.make();
  writeFileSync(join(bench.dir.path, "out.jsonl"), "one\ntw");
  expect(await after(bench)).toBe("one\ntwnext\n");
});

it("a finished write is left alone, also when more was appended since", async () => {
  await using bench = await Workbench.make();
  leave(bench.dir.path, "one\n", "two\nthree\nby hand", 10);
  expect(await after(bench)).toBe("one\ntwo\nthree\nby handnext\n");
});

it("what a process that lives is writing is left alone", async () => {
  await using bench = await Workbench.make();
  leave(bench.dir.path, "one\n", "tw", 20, process.ppid);
  expect(await after(bench)).toBe("one\ntwnext\n");
});

it("a mark that cannot be read changes nothing", async () => {
  await using bench = await Workbench.make();
  leave(bench.dir.path, "one\n", "tw", 20);
  writeFileSync(join(bench.dir.path, ".out.jsonl.mqb-tail"), `{"pid":-1,"size":"0"}`);
  expect(await after(bench)).toBe("one\ntwnext\n");
});

it("the mark lies beside the file while it is open, and is gone after a clean close", async () => {
  await using bench = await Workbench.make();
  const mark = join(bench.dir.path, ".out.jsonl.mqb-tail");
  const sink = await bench.sink({ path: "out.jsonl", format: "raw" });
  expect(existsSync(mark)).toBe(false);
  await sink.send(new Message("one"));
  expect(existsSync(mark)).toBe(true);
  await sink.close();
  expect(existsSync(mark)).toBe(false);
});

it("a link in the place of the mark is not written through", async () => {
  await using bench = await Workbench.make();
  writeFileSync(join(bench.dir.path, "victim"), "precious");
  symlinkSync("victim", join(bench.dir.path, ".out.jsonl.mqb-tail"));
  expect(await after(bench)).toBe("next\n");
  expect(await bench.dir.read("victim")).toBe("precious");
});
