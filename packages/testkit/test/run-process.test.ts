import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { runProcess, TempDir, within } from "../src/index.ts";

const WAITS =
  "process.on('SIGTERM', () => { console.log('stopping'); process.exit(3); }); console.log('ready'); setInterval(() => {}, 1000);";

describe("runProcess", () => {
  it("gives the output and the exit code", async () => {
    await using child = runProcess({ args: ["-e", "console.log('out'); console.error('err'); process.exitCode = 7"] });
    expect(await within(child.ended, "the end")).toEqual({ code: 7, signal: null });
    expect(child.stdout).toBe("out\n");
    expect(child.stderr).toBe("err\n");
  });

  it("waits for a line, past or to come", async () => {
    await using child = runProcess({ args: ["-e", WAITS] });
    expect(await within(child.line(/^rea/), "the line")).toBe("ready");
    expect(await within(child.line(/^ready$/), "the same line")).toBe("ready");
  });

  it("says what was written when the line never comes", async () => {
    await using child = runProcess({ args: ["-e", "console.log('something else')"] });
    await expect(within(child.line(/^ready$/), "the refusal")).rejects.toThrow("something else");
  });

  it("kills by signal", async () => {
    await using child = runProcess({ args: ["-e", WAITS] });
    await child.line(/ready/);
    expect(await within(child.kill("SIGTERM"), "the end")).toEqual({ code: 3, signal: null });
    expect(child.stdout).toContain("stopping");
  });

  it("kills at a moment that the test chooses", async () => {
    await using child = runProcess({ args: ["-e", WAITS] });
    await child.line(/ready/);
    expect(
      await within(
        child.killSomewhere(50, "SIGKILL", () => 0.5),
        "the end",
      ),
    ).toEqual({ code: null, signal: "SIGKILL" });
  });

  it("feeds the standard input and sets the environment", async () => {
    const echo = "process.stdin.on('data', (d) => process.stdout.write(process.env.GREETING + d))";
    await using child = runProcess({ args: ["-e", echo], env: { GREETING: "hello " } });
    child.write("world\n");
    child.endInput();
    expect(await within(child.line(/world/), "the line")).toBe("hello world");
  });

  it("leaves no process behind", async () => {
    let pid = 0;
    {
      await using child = runProcess({ args: ["-e", WAITS] });
      await child.line(/ready/);
      pid = child.pid!;
    }
    expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  });

  it("reports a program that is not there", async () => {
    const child = runProcess({ command: "/no/such/program", args: [] });
    await expect(child.ended).rejects.toThrow("ENOENT");
  });
});

describe("TempDir", () => {
  it("holds files while it is used, and is gone afterwards", async () => {
    let path = "";
    {
      await using dir = await TempDir.make();
      path = dir.path;
      expect(await dir.write("a.txt", "text")).toBe(dir.file("a.txt"));
      expect(await dir.read("a.txt")).toBe("text");
    }
    expect(existsSync(path)).toBe(false);
  });
});
