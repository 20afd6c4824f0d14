import { mkdir, readdir, writeFile } from "node:fs/promises";
import { FakeClock, TempDir } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import standard from "../../src/index.ts";

const clock = new FakeClock();
const probe = (scheme: string, url: string, baseDir = "/") => standard.stores![scheme]!.probe!(url, { baseDir, clock });

describe("a probe of a file store", () => {
  it("counts the entries of a file that is there", async () => {
    await using dir = await TempDir.make();
    await writeFile(dir.file("s.json"), '{"a": "1", "b": "2"}');
    expect(await probe("file", "file:s.json", dir.path)).toEqual([
      { check: "exists", ok: true, detail: `${dir.file("s.json")} holds 2 entries` },
      { check: "writable", ok: true, detail: `${dir.path} is writable` },
    ]);
  });

  it("is content where file and folders would be made, and makes none of them", async () => {
    await using dir = await TempDir.make();
    const findings = await probe("file", "file:deep/er/s.json", dir.path);
    expect(findings.map(({ check, ok }) => [check, ok])).toEqual([
      ["exists", true],
      ["writable", true],
    ]);
    expect(await readdir(dir.path)).toEqual([]);
  });

  it.each([
    ["no store", "no json"],
    ["empty", ""],
  ])("refuses a file that is %s, and leaves it as it is", async (_, text) => {
    await using dir = await TempDir.make();
    await writeFile(dir.file("s.json"), text);
    const [exists] = await probe("file", "file:s.json", dir.path);
    expect(exists).toMatchObject({ check: "exists", ok: false, hint: expect.any(String) });
    expect(await dir.read("s.json")).toBe(text);
  });

  it("refuses a folder", async () => {
    await using dir = await TempDir.make();
    await mkdir(dir.file("s.json"));
    expect((await probe("file", "file:s.json", dir.path))[0]).toMatchObject({ check: "exists", ok: false });
  });
});

it("a probe of a memory store is content: it is made here", async () => {
  expect(await probe("memory", "memory:")).toMatchObject([{ check: "reachable", ok: true }]);
});

describe("a probe of an endpoint without a system", () => {
  it.each([
    ["memory", { topic: "orders" }, "topic orders"],
    ["null", {}, "discarded"],
    ["static", { body: "x" }, "made here"],
  ])("is content: %s", async (name, config, detail) => {
    const findings = await standard.endpoints![name]!.probe!(config, {} as never);
    expect(findings).toMatchObject([{ check: "reachable", ok: true, detail: expect.stringContaining(detail) }]);
  });
});
