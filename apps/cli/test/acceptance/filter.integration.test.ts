import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { buildCli } from "../support/cli.ts";
import { folderPerTest } from "../support/folder.ts";
import { asText, jsonRows, linesOf } from "./rows.ts";

beforeAll(buildCli);
const folder = folderPerTest();

describe("--filter", () => {
  it.each(["1", "7", "1024"])("keeps exactly what matches, in batches of %s", async (size) => {
    const rows = jsonRows(100);
    folder.write("in", asText(rows));
    const flags = ["--drain", "--filter", "tier == 'pro' and id > 40", "--batch-size", size, "--concurrency", "3"];
    const { code, stdout } = await folder.mqb(["copy", "file:in?format=raw", "file:out?format=raw", ...flags]);
    const kept = rows.filter((_, i) => i % 3 === 0 && i + 1 > 40);
    expect([code, stdout]).toEqual([0, expect.stringContaining(`copied ${kept.length} of 100 rows`)]);
    expect(linesOf(folder.path, "out")).toEqual(kept);
  });

  it("that keeps nothing is a success", async () => {
    folder.write("in", asText(jsonRows(10)));
    const flags = ["--drain", "--filter", "id > 1000"];
    const { code, stdout } = await folder.mqb(["copy", "file:in?format=raw", "file:out?format=raw", ...flags]);
    expect([code, stdout]).toEqual([0, expect.stringContaining("copied 0 of 10 rows")]);
    const out = join(folder.path, "out");
    expect(existsSync(out) ? linesOf(folder.path, "out") : []).toEqual([]);
  });

  it("fails on a payload that is no JSON object, and says so", async () => {
    folder.write("in", "plain text\n");
    const { code, stderr } = await folder.mqb(["copy", "file:in?format=raw", "null:", "--drain", "--filter", "id > 1"]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/JSON object/)]);
  });
});
