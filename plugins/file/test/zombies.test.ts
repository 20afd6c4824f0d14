import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { eventually } from "@mqb/testkit";
import { expect, it } from "vitest";
import { isAlive } from "../src/process-mark.ts";

it.skipIf(process.platform !== "linux")("a killed process that nobody has waited for counts as gone", async () => {
  // The shell becomes a program that does not wait for its children.
  const parent = spawn("sh", ["-c", "sleep 60 & echo $!; exec sleep 60"], { stdio: ["ignore", "pipe", "ignore"] });
  try {
    const [text] = (await once(parent.stdout, "data")) as [Buffer];
    const pid = Number(text.toString());
    const mark = { pid, began: Date.now() };
    expect(isAlive(mark)).toBe(true);
    // Until then it is the shell, which does wait for them.
    await eventually(() => readFileSync(`/proc/${parent.pid}/comm`, "latin1") === "sleep\n", "the shell is gone");
    process.kill(pid, "SIGKILL");
    await eventually(() => /\) Z/.test(readFileSync(`/proc/${pid}/stat`, "latin1")), "the process is a zombie");
    expect(isAlive(mark)).toBe(false);
  } finally {
    parent.kill("SIGKILL");
  }
});
