import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { buildCli, runCli } from "./support/cli.ts";
import { folderPerTest } from "./support/folder.ts";

beforeAll(buildCli);
const scratch = folderPerTest();

it("processes that append to one file at the same time do not write into each other's records", async () => {
  const names = ["a", "b", "c"];
  const rows = (name: string) => Array.from({ length: 3000 }, (_, i) => `${name} ${i} ${name.repeat(200 + (i % 50))}`);
  for (const name of names) writeFileSync(join(scratch.path, name), `${rows(name).join("\n")}\n`);
  const copies = names.map((name) =>
    runCli(
      ["copy", `file:${name}?format=raw`, "file:out.txt?format=raw|delay?delay_ms=1", "--drain", "--batch-size", "20"],
      {
        cwd: scratch.path,
      },
    ),
  );
  expect((await Promise.all(copies)).map(({ code }) => code)).toEqual([0, 0, 0]);
  const written = readFileSync(join(scratch.path, "out.txt"), "utf8").split("\n").slice(0, -1);
  expect(written).toHaveLength(9000);
  for (const name of names) expect(written.filter((line) => line.startsWith(name))).toEqual(rows(name));
});
