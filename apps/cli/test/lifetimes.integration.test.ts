import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { buildCli, startCli } from "./support/cli.ts";
import { fileGrows } from "./support/files.ts";
import { folderPerTest } from "./support/folder.ts";

beforeAll(buildCli);
const scratch = folderPerTest();

const file = (name: string): string => join(scratch.path, name);

describe("a route that drains beside one that lasts", () => {
  it("does not end the process: only when every route drains it ends by itself", async () => {
    writeFileSync(file("in.txt"), "a\n");
    writeFileSync(
      file("config.yml"),
      `drains: { exit_on_empty: true, input: { file: { path: in.txt, format: raw } }, output: { file: { path: one.txt, format: raw } } }
lasts: { input: { file: { path: in.txt, format: raw } }, output: { file: { path: two.txt, format: raw } } }
`,
    );
    const running = startCli([], { cwd: scratch.path });
    await running.stderr(/route drains completed/);
    await fileGrows(file("two.txt"), 2);
    // It follows its file still.
    appendFileSync(file("in.txt"), "b\n");
    await fileGrows(file("two.txt"), 4);
    running.child.kill("SIGTERM");
    expect(await running.done).toMatchObject({ code: 0 });
    expect([readFileSync(file("one.txt"), "utf8"), readFileSync(file("two.txt"), "utf8")]).toEqual(["a\n", "a\nb\n"]);
  });
});
