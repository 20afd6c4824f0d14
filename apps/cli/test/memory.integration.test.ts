import { closeSync, ftruncateSync, openSync, readFileSync, statSync, writeFileSync, writeSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { buildCli, type Finished, runCli, startCli } from "./support/cli.ts";
import { folderPerTest } from "./support/folder.ts";

beforeAll(buildCli);
const scratch = folderPerTest();

const MIB = 1024 * 1024;
const PEAK = pathToFileURL(join(import.meta.dirname, "fixtures/peak-memory.mjs")).href;
const env = { NODE_OPTIONS: `--max-old-space-size=256 --import ${PEAK}` };

const file = (name: string): string => join(scratch.path, name);
const copy = (...args: string[]) => runCli(["copy", ...args, "--drain"], { cwd: scratch.path, env });
const peak = ({ stderr }: Finished): number => Number(/peak (\d+) MiB/.exec(stderr)![1]);

/** A file of zeros that takes no room on the disk. */
function zeros(name: string, bytes: number): void {
  const fd = openSync(file(name), "w");
  ftruncateSync(fd, bytes);
  closeSync(fd);
}

describe("a record that never ends", () => {
  it.each([
    ["raw", "longer than 67108864 bytes", 300],
    ["csv", "longer than 16777216 bytes", 200],
  ])("is refused in %s when it is %s, however large the file is", async (format, reason, limit) => {
    zeros("in.dat", 2048 * MIB);
    const finished = await copy(`file:in.dat?format=${format}`, "null:");
    expect(finished).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining(reason) });
    expect(peak(finished)).toBeLessThan(limit);
  });

  it("can be passed over without being held", async () => {
    zeros("in.dat", 400 * MIB);
    const limits = "max_message_bytes=8388608&on_oversize=skip";
    const finished = await copy(`file:in.dat?format=raw&${limits}`, "null:");
    expect(finished).toMatchObject({ code: 0, stderr: expect.stringMatching(/record of 419430400 bytes at byte 0/) });
    expect(peak(finished)).toBeLessThan(150);
  });
});

it("one very long line among others is passed over, and no other line is lost", async () => {
  const fd = openSync(file("in.txt"), "w");
  const long = "b".repeat(8 * MIB);
  writeSync(fd, `${"1".repeat(10)}\n${"a".repeat(3 * MIB)}\n`);
  for (let i = 0; i < 10; i++) writeSync(fd, long);
  writeSync(fd, `\n${"2".repeat(10)}\n`);
  closeSync(fd);
  const finished = await copy("file:in.txt?format=raw&on_oversize=skip", "file:out.txt?format=raw");
  expect(finished).toMatchObject({ code: 0, stdout: expect.stringMatching(/^copied 3 rows/) });
  expect(finished.stderr).toMatch(/record of 83886080 bytes at byte 3145740/);
  expect(
    readFileSync(file("out.txt"), "latin1")
      .split("\n")
      .map(({ length }) => length),
  ).toEqual([10, 3 * MIB, 10, 0]);
  expect(peak(finished)).toBeLessThan(300);
});

describe("a big backlog", () => {
  it("is read piece by piece: the first row comes at once, and memory does not grow with the file", async () => {
    const row = `${JSON.stringify({ id: 1, name: "a name that is longer than nothing", value: 12345.678 })}\n`;
    const block = row.repeat(Math.ceil(MIB / row.length));
    const fd = openSync(file("in.jsonl"), "w");
    for (let i = 0; i < 400; i++) writeSync(fd, block);
    closeSync(fd);
    expect(statSync(file("in.jsonl")).size).toBeGreaterThan(400 * MIB);

    const source = "file:in.jsonl?format=raw&mode=group_subscribe&group_id=g";
    const started = performance.now();
    const running = startCli(["copy", source, "-?format=raw", "--limit", "1"], { cwd: scratch.path, env });
    await new Promise((resolve) => running.child.stdout!.once("data", resolve));
    expect(performance.now() - started).toBeLessThan(5000);
    expect(peak(await running.done)).toBeLessThan(150);

    const rest = await copy(source, "null:");
    expect(rest).toMatchObject({ code: 0, stdout: expect.stringMatching(/^copied [\d_]{9}/) });
    expect(peak(rest)).toBeLessThan(300);
  });
});

describe("a decompression bomb of 320 MiB in one record", () => {
  const require = createRequire(import.meta.url);
  const piece = Buffer.alloc(16 * MIB);
  const compress: Record<string, () => Promise<Uint8Array>> = {
    gzip: async () => gzipSync(piece),
    zstd: async () => {
      const zstd = require("@foxglove/wasm-zstd");
      await zstd.isLoaded;
      return Buffer.from(zstd.compress(piece, 3));
    },
    lz4: async () => (require("lz4-napi") as typeof import("lz4-napi")).compressFrameSync(piece),
  };

  it.each([
    ["gzip", "raw"],
    ["zstd", "raw"],
    ["lz4", "raw"],
    ["gzip", "csv"],
  ])("in %s is refused by the limit of a record, as %s", async (codec, format) => {
    const member = Buffer.from(await compress[codec]!());
    writeFileSync(file("bomb"), Buffer.concat(Array.from({ length: 20 }, () => member)));
    const limits = format === "raw" ? "&max_message_bytes=8388608" : '&csv={"max_field_bytes":8388608}';
    const finished = await copy(`file:bomb?format=${format}&compression=${codec}${limits}`, "null:");
    expect(finished).toMatchObject({ code: 1, stderr: expect.stringContaining("longer than 8388608 bytes") });
    expect(peak(finished)).toBeLessThan(200);
  });
});
