import { beforeAll, expect, it } from "vitest";
import { buildCli } from "../support/cli.ts";
import { folderPerTest } from "../support/folder.ts";
import { asText, jsonRows, linesOf } from "./rows.ts";

beforeAll(buildCli);
const folder = folderPerTest();

it.each([
  ["1", "1"],
  ["3", "2"],
  ["2048", "8"],
])("every row arrives exactly once with batches of %s and %s workers", async (size, workers) => {
  const rows = jsonRows(size === "1" ? 200 : 5000);
  folder.write("in", asText(rows));
  const flags = ["--drain", "--batch-size", size, "--concurrency", workers];
  expect((await folder.mqb(["copy", "file:in?format=raw", "file:out?format=raw", ...flags])).code).toBe(0);
  expect(linesOf(folder.path, "out").sort()).toEqual([...rows].sort());
});
