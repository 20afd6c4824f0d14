import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { listInstances } from "../src/status/folder.ts";
import { isGone } from "../src/status/gone.ts";
import { scratchFolder } from "./support/cli.ts";

const ended = (): number => spawnSync("true").pid;

function living(): number {
  const child = spawn("cat", { stdio: ["pipe", "ignore", "ignore"] });
  onTestFinished(() => void child.stdin.end());
  return child.pid!;
}

describe("the process of a record", () => {
  it("is there while it lives", () => {
    expect(isGone({ pid: living(), started_at_ms: Date.now() })).toBe(false);
    expect(isGone({ pid: process.pid, started_at_ms: 0 })).toBe(false);
  });

  it("is gone when it was killed, though its record was renewed a moment before", () => {
    expect(isGone({ pid: ended(), started_at_ms: Date.now() })).toBe(true);
  });

  it.runIf(process.platform === "linux")("is gone when another process has its pid, begun after the record", () => {
    expect(isGone({ pid: living(), started_at_ms: Date.now() - 60_000 })).toBe(true);
  });
});

describe("a record of a process that was killed", () => {
  it("is not listed, and removed only when it has expired", () => {
    const scratch = scratchFolder();
    onTestFinished(() => scratch.remove());
    const folder = join(scratch.path, "mq-bridge-app", "instances");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const now = Date.now();
    const record = { schema_version: 1, instance_id: "a", pid: ended(), started_at_ms: now, last_seen_at_ms: now };
    writeFileSync(join(folder, "a.json"), JSON.stringify(record));
    expect(listInstances(folder, now)).toEqual([]);
    expect(readdirSync(folder)).toEqual(["a.json"]);
    expect(listInstances(folder, now, () => false)).toHaveLength(1);
    expect(listInstances(folder, now + 7001)).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
  });
});
