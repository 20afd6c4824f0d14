import { rename, symlink, truncate, unlink } from "node:fs/promises";
import { ACK, NACK } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { lines, Workbench } from "./support.ts";

const group = { path: "a.log", format: "raw", mode: "group_subscribe", group_id: "g" } as const;

/** One run: reads to the end and acks everything. */
async function run(
  bench: Workbench,
  config: Parameters<Workbench["source"]>[0] = group,
  context = bench.context({ draining: true }),
) {
  const source = await bench.source(config, context);
  const records = await source.drain();
  await source.close();
  return records;
}

describe("a group", () => {
  it("goes on where its last run has stopped", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("a.log", lines(0, 3));
    expect(await run(bench)).toHaveLength(3);
    await bench.append("a.log", lines(3, 5));
    expect(await run(bench)).toEqual(["line 3", "line 4"]);
    expect(await run(bench)).toEqual([]);
  });

  it("keeps its position as twenty digits, apart from other groups", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("a.log", "a\nbb\n");
    await run(bench);
    expect(await bench.dir.read("a.log.g.offset")).toBe("00000000000000000005");
    expect(await run(bench, { ...group, group_id: "h" })).toEqual(["a", "bb"]);
  });

  it("reads a position that the original has stored", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("a.log", "a\nbb\n");
    await bench.dir.write("a.log.g.offset", "2");
    expect(await run(bench)).toEqual(["bb"]);
    expect(await bench.dir.read("a.log.g.offset")).toBe("00000000000000000005");
  });

  it("gives each record the offset behind it", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("a.log", "a\r\nbb\n");
    const { batch } = await (await bench.source(group)).receive();
    expect([...batch].map((one) => one.metadata.get("file_offset"))).toEqual(["3", "6"]);
  });

  it("stores only what was acked without a gap", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("a.log", lines(0, 4));
    const source = await bench.source(group);
    const [first, second] = [await source.receive(2), await source.receive(2)];
    await first.commit([ACK, NACK]);
    await second.commit();
    await source.close();
    expect(await run(bench)).toEqual(["line 1", "line 2", "line 3"]);
  });

  it("begins at the end when nothing is stored and that is asked for", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("a.log", "old\n");
    const context = bench.context();
    const source = await bench.source({ ...group, read_from_tail: true }, context);
    await bench.append("a.log", "new\n");
    expect(await source.take()).toEqual(["new"]);
  });

  it("that began at the end reads what it had not acked when it died", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("a.log", "old\n");
    const source = await bench.source({ ...group, read_from_tail: true }, bench.context());
    await bench.append("a.log", "new\n");
    expect((await source.receive()).batch.length).toBe(1);
    expect(await run(bench, { ...group, read_from_tail: true })).toEqual(["new"]);
  });

  it("starts anew with a warning when the stored position cannot be read", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("a.log", "a\n");
    await bench.dir.write("a.log.g.offset", "not a number");
    const context = bench.context({ draining: true });
    expect(await run(bench, group, context)).toEqual(["a"]);
    expect(context.log.entries.some(({ message }) => message.includes("a.log.g.offset"))).toBe(true);
  });

  it("of CSV goes on with the header's names", async () => {
    await using bench = await Workbench.make();
    const csv = { ...group, path: "a.csv", format: "csv", csv: { separator: "auto" } } as const;
    await bench.dir.write("a.csv", "id;name\n1;a\n");
    expect(await run(bench, csv)).toEqual(['{"id":"1","name":"a"}']);
    await bench.append("a.csv", "2;b\n");
    expect(await run(bench, csv)).toEqual(['{"id":"2","name":"b"}']);
  });
});

describe("two readers of one group", () => {
  it("cannot be in one bridge, and a reader can come back", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("a.log", lines(0, 4));
    const { scope } = bench.context();
    const first = await bench.source(group, bench.context({ scope }));
    const second = bench.source(group, bench.context({ scope }));
    await expect(second).rejects.toMatchObject({ code: "MQB_FILE_GROUP_TWICE", kind: "config" });
    expect(await first.take()).toHaveLength(4);
    await bench.source({ ...group, group_id: "other" }, bench.context({ scope }));
    await first.close();
    await bench.append("a.log", "new\n");
    expect(await (await bench.source(group, bench.context({ scope }))).take()).toEqual(["new"]);
  });

  it("leave the group free when it cannot be opened", async () => {
    await using bench = await Workbench.make();
    const { scope } = bench.context();
    const draining = () => bench.source(group, bench.context({ scope, draining: true }));
    await expect(draining()).rejects.toMatchObject({ code: "MQB_FILE_NOT_READABLE" });
    await bench.dir.write("a.log", "a\n");
    expect(await (await draining()).drain()).toEqual(["a"]);
  });

  it("do not write through a link that lies where the identity is prepared", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("a.log", "a\n");
    await bench.dir.write("victim", "precious");
    for (const name of ["a.log.g.offset.id.tmp"]) await symlink("victim", bench.dir.file(name));
    expect(await run(bench)).toEqual(["a"]);
    expect(await bench.dir.read("victim")).toBe("precious");
  });
});

describe("a group whose file has changed while nobody read", () => {
  it("reads a truncated file from its start", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("a.log", lines(0, 100));
    await run(bench);
    await truncate(bench.dir.file("a.log"));
    await bench.append("a.log", lines(100, 110));
    expect(await run(bench)).toHaveLength(10);
  });

  it("reads a truncated file from its start although it is longer than before", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("a.log", lines(0, 10));
    await run(bench);
    await truncate(bench.dir.file("a.log"));
    await bench.append("a.log", `other\n${lines(0, 100)}`);
    expect(await run(bench)).toHaveLength(101);
  });

  it("reads the rest of a renamed file, then the new one from its start", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("a.log", lines(0, 10));
    await run(bench);
    await rename(bench.dir.file("a.log"), bench.dir.file("a.log.1"));
    await bench.append("a.log.1", "late\n");
    await bench.dir.write("a.log", lines(10, 40));
    expect(await run(bench)).toEqual(["late", ...lines(10, 40).trimEnd().split("\n")]);
    expect(await run(bench)).toEqual([]);
    expect(Number(await bench.dir.read("a.log.g.offset"))).toBe(lines(10, 40).length);
  });

  it("says which file is not read when it was renamed twice", async () => {
    await using bench = await Workbench.make();
    const path = await bench.dir.write("a.log", lines(0, 10));
    await run(bench);
    await rename(path, `${path}.2`);
    await bench.append("a.log.2", "late\n");
    await bench.dir.write("a.log.1", "middle\n");
    await bench.dir.write("a.log.bak", "copy\n");
    await bench.dir.write("a.log", "new\n");
    const context = bench.context({ draining: true });
    expect(await run(bench, group, context)).toEqual(["late", "new"]);
    const warnings = context.log.entries.filter(({ level }) => level === "warn");
    expect(warnings.map(({ message }) => message)).toEqual([expect.stringContaining("a.log.1 is NOT read")]);
  });

  it("reads a file that was made anew from its start, also where the system gives it the old number", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("a.log", lines(0, 10));
    await run(bench);
    await unlink(bench.dir.file("a.log"));
    await bench.dir.write("a.log", lines(500, 530));
    expect(await run(bench)).toHaveLength(30);
  });

  it("reads from the start after a crash while it changed from one file to the other", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("a.log", lines(0, 10));
    await run(bench);
    await unlink(bench.dir.file("a.log"));
    await bench.dir.write("a.log", lines(500, 530));
    await bench.dir.write("a.log.g.offset", "0".repeat(20));
    expect(await run(bench)).toHaveLength(30);
  });
});
