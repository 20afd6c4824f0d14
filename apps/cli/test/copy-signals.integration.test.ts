import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { buildCli, startCli } from "./support/cli.ts";
import { fileGrows } from "./support/files.ts";
import { folderPerTest } from "./support/folder.ts";

beforeAll(buildCli);
const scratch = folderPerTest();

const STUCK = fileURLToPath(new URL("fixtures/stuck.mjs", import.meta.url));
const COUNT = 20_000;
const rows = Array.from({ length: COUNT }, (_, i) => `row ${i}`);

describe("a signal during a copy", () => {
  it.each(["SIGTERM", "SIGINT"] as const)(
    "%s: what was written is whole, without a gap or a repeat, and counted",
    async (signal) => {
      writeFileSync(join(scratch.path, "in.txt"), `${rows.join("\n")}\n`);
      const target = "file:out.txt?format=raw|delay?delay_ms=5";
      const running = startCli(["copy", "file:in.txt?format=raw", target, "--drain", "--batch-size", "20"], {
        cwd: scratch.path,
      });
      await fileGrows(join(scratch.path, "out.txt"), 500);
      running.child.kill(signal);
      const asked = performance.now();
      const { code, stdout } = await running.done;
      expect(code).toBe(0);
      expect(performance.now() - asked).toBeLessThan(5000);
      const written = readFileSync(join(scratch.path, "out.txt"), "utf8");
      const lines = written.split("\n").slice(0, -1);
      expect(lines.length).toBeLessThan(COUNT);
      expect(written).toBe(`${rows.slice(0, lines.length).join("\n")}\n`);
      const [, counted] = /^stopped after copying ([\d_]+)/.exec(stdout)!;
      expect(Number(counted!.replaceAll("_", ""))).toBe(lines.length);
    },
  );

  describe("with a target that never answers", () => {
    const startStuck = async () => {
      writeFileSync(join(scratch.path, "in.txt"), "a\n");
      const args = ["copy", "file:in.txt?format=raw", "stuck:", "--plugin", STUCK];
      const running = startCli(args, { cwd: scratch.path });
      await running.stderr(/stuck/);
      return running;
    };

    it("ends when the grace period is over, and says that it did not finish", async () => {
      const running = await startStuck();
      running.child.kill("SIGTERM");
      const asked = performance.now();
      const { code, stdout, stderr } = await running.done;
      expect(performance.now() - asked).toBeLessThan(8000);
      expect(code).toBe(0);
      expect(stdout).toMatch(/^stopped after copying 0 rows/);
      expect(stderr).toMatch(/WARN .*grace period of 5000 ms/);
    });

    it.each([
      ["SIGINT", 130],
      ["SIGTERM", 143],
    ] as const)("a second %s ends the process at once with %i", async (signal, code) => {
      const running = await startStuck();
      running.child.kill(signal);
      // Signals that have not been seen yet count as one.
      const again = setInterval(() => running.child.kill(signal), 20);
      const asked = performance.now();
      const finished = await running.done;
      clearInterval(again);
      expect(finished).toMatchObject({ code, stdout: "" });
      expect(performance.now() - asked).toBeLessThan(4000);
    });
  });
});
