import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { buildCli, runCli, startCli } from "./support/cli.ts";
import { folderPerTest } from "./support/folder.ts";

beforeAll(buildCli);
const scratch = folderPerTest();

const COUNT = 3000;
const ROUNDS = 8;
const rows = Array.from({ length: COUNT }, (_, i) => `row ${i}`);
const file = (name: string): string => join(scratch.path, name);

const size = (name: string): number => (existsSync(file(name)) ? statSync(file(name)).size : 0);
const partNames = (): string[] =>
  existsSync(file("parts"))
    ? readdirSync(file("parts"))
        .filter((name) => name.startsWith("part-"))
        .sort()
    : [];

const GROUP = "file:in.txt?format=raw&mode=group_subscribe&group_id=g";

/** Kills copies that have written something more, each at another moment after that, then lets one finish. */
async function killOften(source: string, target: string, written: () => number): Promise<void> {
  writeFileSync(file("in.txt"), `${rows.join("\n")}\n`);
  const args = ["copy", source, target, "--drain", "--batch-size", "50"];
  let killed = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const before = written();
    const running = startCli(args, { cwd: scratch.path });
    const looking = setInterval(() => {
      if (written() === before) return;
      clearInterval(looking);
      setTimeout(() => running.child.kill("SIGKILL"), round * 5);
    }, 2);
    if ((await running.done).code === "SIGKILL") killed++;
    clearInterval(looking);
  }
  expect(killed).toBeGreaterThan(ROUNDS / 2);
  expect(await runCli(args, { cwd: scratch.path })).toMatchObject({ code: 0 });
}

describe("after a kill -9 at any moment a copy starts again", () => {
  it("and every row is in the file, whole", async () => {
    await killOften(GROUP, "file:out.txt?format=raw|delay?delay_ms=6", () => size("out.txt"));
    const written = readFileSync(file("out.txt"), "utf8").split("\n").slice(0, -1);
    expect(new Set(written)).toEqual(new Set(rows));
    expect(written.length).toBeLessThan(COUNT + ROUNDS * 50 * 4);
  });

  it("and every row is in the part files once, none of which was ever seen in part", async () => {
    const target = "file:parts?format=raw&name_by=source_position|delay?delay_ms=6";
    await killOften("file:in.txt?format=raw", target, () => partNames().length);
    const written = partNames().map((name) => readFileSync(file(join("parts", name)), "utf8"));
    expect(written.every((text) => text.endsWith("\n"))).toBe(true);
    expect(written.join("")).toBe(`${rows.join("\n")}\n`);
  });

  it("and every row is in both files of a fanout, of which one is slower", async () => {
    const target = "fanout:?to=file:a.txt%3Fformat=raw%7Cdelay%3Fdelay_ms=6&to=file:b.txt%3Fformat=raw";
    await killOften(GROUP, target, () => size("a.txt"));
    for (const name of ["a.txt", "b.txt"]) {
      const written = readFileSync(file(name), "utf8").split("\n").slice(0, -1);
      expect(new Set(written)).toEqual(new Set(rows));
      expect(written.length).toBeLessThan(COUNT + ROUNDS * 50 * 4);
    }
  });

  it.each([
    ["empty", ""],
    ["made of zeros, as a crash of the system leaves it", "\0".repeat(20)],
    ["of another content", "not a position\n"],
  ])("although the stored position is %s", async (_, content) => {
    writeFileSync(file("in.txt"), "a\nb\n");
    writeFileSync(file("in.txt.g.offset"), content);
    const { code, stderr } = await runCli(["copy", GROUP, "file:out.txt?format=raw", "--drain"], {
      cwd: scratch.path,
    });
    expect([code, readFileSync(file("out.txt"), "utf8")]).toEqual([0, "a\nb\n"]);
    expect(stderr).toMatch(/WARN .*in\.txt\.g\.offset/);
  });
});
