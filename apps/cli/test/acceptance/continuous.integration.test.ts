import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { buildCli, startCli } from "../support/cli.ts";
import { fileHolds } from "../support/files.ts";
import { folderPerTest } from "../support/folder.ts";
import { linesOf } from "./rows.ts";

beforeAll(buildCli);
const folder = folderPerTest();
const at = (file: string): string => join(folder.path, file);

/** Runs a copy without an end until the file holds the text. */
async function copyUntil(source: string, last: string, meanwhile: () => void | Promise<void>): Promise<void> {
  const run = startCli(["copy", source, "file:out?format=raw", "-v"], { cwd: folder.path });
  try {
    await run.stderr(/at_least_once|at_most_once/);
    await meanwhile();
    await fileHolds(at("out"), last);
  } finally {
    run.child.kill("SIGTERM");
    expect((await run.done).code).toBe(0);
  }
}

describe("a copy that goes on", () => {
  it("brings rows that are appended after its start", async () => {
    folder.write("in", "1\n2\n");
    await copyUntil("file:in?format=raw", "3", async () => {
      await fileHolds(at("out"), "2");
      appendFileSync(at("in"), "3\n");
    });
    expect(linesOf(folder.path, "out")).toEqual(["1", "2", "3"]);
  });

  it("brings only those with mode=subscribe", async () => {
    folder.write("in", "old\n");
    await copyUntil("file:in?format=raw&mode=subscribe", "new", async () => {
      // The position is taken when the file is opened; rows are appended until one has come.
      const again = setInterval(() => appendFileSync(at("in"), "new\n"), 50);
      await fileHolds(at("out"), "new").finally(() => clearInterval(again));
    });
    expect(new Set(linesOf(folder.path, "out"))).toEqual(new Set(["new"]));
  });

  it("resumes where its group ended, and groups are apart", async () => {
    const drained = async (group: string): Promise<string> => {
      const source = `file:in?format=raw&mode=group_subscribe&group_id=${group}`;
      return (await folder.mqb(["copy", source, `file:${group}?format=raw`, "--drain"])).stdout;
    };
    folder.write("in", "1\n2\n3\n4\n");
    expect(await drained("a")).toMatch(/^copied 4 rows/);
    appendFileSync(at("in"), "5\n6\n");
    expect(await drained("a")).toMatch(/^copied 2 rows/);
    expect(await drained("a")).toMatch(/^copied 0 rows/);
    expect(await drained("b")).toMatch(/^copied 6 rows/);
    expect(linesOf(folder.path, "a")).toEqual(["1", "2", "3", "4", "5", "6"]);
  });
});
