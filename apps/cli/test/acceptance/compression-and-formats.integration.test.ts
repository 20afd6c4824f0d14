import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { buildCli } from "../support/cli.ts";
import { folderPerTest } from "../support/folder.ts";
import { asText, jsonRows, linesOf } from "./rows.ts";

beforeAll(buildCli);
const folder = folderPerTest();

const MAGIC: Readonly<Record<string, string>> = { none: "", gzip: "1f8b", zstd: "28b52ffd", lz4: "04224d18" };
const FORMATS = ["normal", "json", "text", "raw"];

describe("every row survives a file", () => {
  it.each(Object.keys(MAGIC).flatMap((codec) => FORMATS.map((format) => [codec, format] as const)))(
    "with the compression %s in the format %s",
    async (codec, format) => {
      const rows = jsonRows(300);
      folder.write("in.jsonl", asText(rows));
      const stored = `stored?format=${format}&compression=${codec}`;
      expect((await folder.mqb(["copy", "in.jsonl?format=raw", `file:${stored}`, "--drain"])).stderr).toBe("");
      expect(readFileSync(join(folder.path, "stored")).toString("hex").startsWith(MAGIC[codec]!)).toBe(true);
      expect((await folder.mqb(["copy", `file:${stored}`, "file:out?format=raw", "--drain"])).stderr).toBe("");
      expect(linesOf(folder.path, "out")).toEqual(rows);
    },
  );

  it.each([
    [".gz", "1f8b"],
    [".zst", "28b52ffd"],
    [".lz4", "04224d18"],
  ])("and the suffix %s alone decides the compression", async (suffix, magic) => {
    const rows = jsonRows(3);
    folder.write("in.jsonl", asText(rows));
    await folder.mqb(["copy", "in.jsonl?format=raw", `file:x${suffix}?format=raw`, "--drain"]);
    expect(
      readFileSync(join(folder.path, `x${suffix}`))
        .toString("hex")
        .startsWith(magic),
    ).toBe(true);
    await folder.mqb(["copy", `file:x${suffix}?format=raw`, "file:out?format=raw", "--drain"]);
    expect(linesOf(folder.path, "out")).toEqual(rows);
  });
});
