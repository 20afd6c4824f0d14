import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { buildCli, runCli } from "./support/cli.ts";
import { folderPerTest } from "./support/folder.ts";

beforeAll(buildCli);
const scratch = folderPerTest();

const file = (name: string): string => join(scratch.path, name);
const rows = Array.from({ length: 2000 }, (_, i) => `row ${i}\n`);

describe("a copy of a file that cannot be read to its end fails with the count and the place", () => {
  it.each<[string, Uint8Array | string, string, number, RegExp]>([
    ["UTF-16 CSV", Buffer.from("\uFEFFa\tb\n1\t2\n", "utf16le"), "format=csv", 0, /UTF-16.*not supported.*UTF-8/s],
    ["a CSV quote that is never closed", 'a,b\n1,2\n3,"open\n4,5\n', "format=csv", 1, /byte 10 \(line 3\)/],
    [
      "a row with a field too many",
      "a;b\n1;2\n1;2;3\n",
      'format=csv&csv={"separator":";","on_ragged":"fail"}',
      1,
      /byte 8 \(line 3\)/,
    ],
    ["the wrong codec", gzipSync(rows.join("")), "format=raw&compression=zstd", 0, /not zstd data/],
    ["compressed data that is not declared", gzipSync(rows.join("")), "format=raw", 0, /gzip/],
    [
      "gzip that was cut off in its second member",
      cutMember(),
      "format=raw&compression=gzip",
      2000,
      /byte \d+: the gzip data ends/,
    ],
  ])("%s", async (_, content, params, delivered, reason) => {
    writeFileSync(file("in.dat"), content);
    const { code, stdout, stderr } = await runCli(
      ["copy", `file:in.dat?${params}`, "file:out.txt?format=raw", "--drain"],
      { cwd: scratch.path },
    );
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(reason);
    const counted = Number(/copy failed after ([\d_]+) rows?:/.exec(stderr)![1]!.replaceAll("_", ""));
    const written = existsSync(file("out.txt")) ? readFileSync(file("out.txt"), "utf8") : "";
    expect(counted).toBeGreaterThanOrEqual(delivered);
    expect(written.split("\n").length - 1).toBe(counted);
    if (params.includes("gzip")) expect(written).toBe(repeated(counted));
  });
});

function cutMember(): Uint8Array {
  const member = gzipSync(rows.join(""));
  return Buffer.concat([member, member.subarray(0, member.length / 2)]);
}

function repeated(count: number): string {
  return [...rows, ...rows].slice(0, count).join("");
}
