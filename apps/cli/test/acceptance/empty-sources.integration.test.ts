import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { buildCli } from "../support/cli.ts";
import { folderPerTest } from "../support/folder.ts";

beforeAll(buildCli);
const folder = folderPerTest();

it.each([
  ["an empty file", "", "raw"],
  ["an empty CSV", "", "csv"],
  ["a CSV of a header alone", "a,b\n", "csv"],
  ["an empty file of envelopes", "", "normal"],
])("%s is copied as nothing, with success", async (_, text, format) => {
  folder.write("in", text);
  const done = await folder.mqb(["copy", `file:in?format=${format}`, "file:out?format=raw", "--drain"]);
  expect([done.code, done.stdout]).toEqual([0, expect.stringContaining("copied 0 rows")]);
  const out = join(folder.path, "out");
  expect(existsSync(out) ? readFileSync(out, "utf8") : "").toBe("");
});
