import { mkdir, readdir } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { FailingCalls } from "./failing-calls.ts";
import { Workbench } from "./support.ts";

const group = { path: "a.log", format: "raw", mode: "group_subscribe", group_id: "g" } as const;

describe("a group whose position cannot be kept", () => {
  it.each([
    ["EACCES", "."],
    ["EROFS", "."],
    ["EACCES", "a.log.g.offset"],
    ["EPERM", "a.log.g.offset.id"],
  ])("is refused before anything is read: %s for %s", async (code, name) => {
    await using bench = await Workbench.make();
    await bench.dir.write("a.log", "a\n");
    await bench.dir.write("a.log.g.offset", "00000000000000000000");
    await bench.dir.write("a.log.g.offset.id", "{}");
    const path = name === "." ? bench.dir.file("a.log").replace(/.a\.log$/, "") : bench.dir.file(name);
    using _ = new FailingCalls().access(code, path);
    await expect(bench.source(group)).rejects.toMatchObject({
      code: "MQB_FILE_POSITION_UNUSABLE",
      kind: "config",
      message: expect.stringContaining(code) as string,
    });
  });

  it.each(["a.log.g.offset", "a.log.g.offset.id"])("is refused where %s is a directory", async (name) => {
    await using bench = await Workbench.make();
    await bench.dir.write("a.log", "a\n");
    await mkdir(bench.dir.file(name));
    await expect(bench.source(group)).rejects.toMatchObject({ code: "MQB_FILE_POSITION_UNUSABLE" });
  });

  it("is refused where its name is too long", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("a.log", "a\n");
    await expect(bench.source({ ...group, group_id: "g".repeat(250) })).rejects.toMatchObject({
      code: "MQB_FILE_POSITION_UNUSABLE",
      message: expect.stringContaining("ENAMETOOLONG") as string,
    });
  });

  it("leaves nothing behind where it can be kept, until something is acked", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("a.log", "a\n");
    const source = await bench.source(group);
    await source.close();
    expect(await readdir(bench.dir.file("."))).toEqual(["a.log"]);
  });
});
