import { appendFileSync, unlinkSync } from "node:fs";
import { mkdir, rename, rmdir, symlink, unlink } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { codeOf, Message } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { FailingCalls } from "./failing-calls.ts";
import { Workbench } from "./support.ts";

const raw = { path: "out.txt", format: "raw" } as const;
const message = (text: string) => new Message(text);

describe("a sink that appends", () => {
  it("makes the file and its folders, and leaves what a file holds", async () => {
    await using bench = await Workbench.make();
    const sink = await bench.sink({ ...raw, path: "a/b/out.txt" });
    await sink.send(message("one"), message("two"));
    await sink.close();
    await (await bench.sink({ ...raw, path: "a/b/out.txt" })).send(message("three"));
    expect(await bench.dir.read("a/b/out.txt")).toBe("one\ntwo\nthree\n");
  });

  it("never mends a missing last line break", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("out.txt", "begun");
    await (await bench.sink(raw)).send(message("x"));
    expect(await bench.dir.read("out.txt")).toBe("begunx\n");
  });

  it("refuses a message that has no record alone, and writes the others", async () => {
    await using bench = await Workbench.make();
    const sink = await bench.sink({ path: "out.txt" });
    const bad = new Message("b", new Map([["k", "\udc00"]]));
    const outcomes = await sink.send(message("a"), bad, message("c"));
    expect(outcomes?.map(({ type }) => type)).toEqual(["accepted", "failed", "accepted"]);
    expect(codeOf((outcomes![1] as { error: unknown }).error)).toBe("MQB_FORMATS_LONE_SURROGATE");
    expect((await bench.dir.read("out.txt")).split("\n")).toHaveLength(3);
  });

  it("has one writer for all spellings of a path", async () => {
    await using bench = await Workbench.make();
    await mkdir(bench.dir.file("real"));
    await symlink("real", bench.dir.file("link"));
    const scope = bench.context().scope;
    const csv = { format: "csv" } as const;
    const one = await bench.sink({ ...csv, path: "real/out.csv" }, bench.context({ scope }));
    const other = await bench.sink({ ...csv, path: "link/../link/out.csv" }, bench.context({ scope }));
    await Promise.all([one.send(message('{"a":1,"b":2}')), other.send(message('{"b":4,"a":3}'))]);
    const [header, ...rows] = (await bench.dir.read("real/out.csv")).trimEnd().split("\n");
    expect([header === "a,b" ? rows : rows.map((row) => row.split(",").reverse().join(","))].flat().sort()).toEqual([
      "1,2",
      "3,4",
    ]);
    await one.close();
    await other.send(message('{"a":5,"b":6}'));
    expect((await bench.dir.read("real/out.csv")).trimEnd().split("\n")).toHaveLength(4);
  });

  it("gives the file its old length when a write fails half way, and takes the batch again", async () => {
    await using bench = await Workbench.make();
    const sink = await bench.sink(raw);
    await sink.send(message("first"));
    {
      using calls = new FailingCalls();
      calls.write("ENOSPC", 4);
      await expect(sink.send(message("second"))).rejects.toMatchObject({
        code: "MQB_FILE_WRITE_FAILED",
        kind: "retryable",
      });
    }
    expect(await bench.dir.read("out.txt")).toBe("first\n");
    expect(sink.publisher.status?.()).toMatchObject({ healthy: false, error: expect.stringContaining("ENOSPC") });
    await sink.send(message("second"));
    expect(await bench.dir.read("out.txt")).toBe("first\nsecond\n");
    expect(sink.publisher.status?.()).toMatchObject({ healthy: true });
  });

  it("takes a failed batch back behind what another program had appended before", async () => {
    await using bench = await Workbench.make();
    const sink = await bench.sink(raw);
    await sink.send(message("first"));
    await bench.append("out.txt", "foreign\n");
    using calls = new FailingCalls();
    calls.write("ENOSPC", 4);
    await expect(sink.send(message("second"))).rejects.toThrow(/failed: ENOSPC: made to fail$/);
    expect(await bench.dir.read("out.txt")).toBe("first\nforeign\n");
  });

  it("leaves what another program appends during a write, and says that part of the batch stays", async () => {
    await using bench = await Workbench.make();
    const sink = await bench.sink(raw);
    await sink.send(message("first"));
    using calls = new FailingCalls();
    calls.write("ENOSPC", 4).beforeWrite(() => appendFileSync(bench.dir.file("out.txt"), "foreign\n"));
    await expect(sink.send(message("second"))).rejects.toThrow(/part of the batch stands in the file/);
    expect(await bench.dir.read("out.txt")).toBe("first\nforeign\nseco");
  });

  it("goes on in a new file when the old one was renamed", async () => {
    await using bench = await Workbench.make();
    const sink = await bench.sink(raw);
    await sink.send(message("one"));
    await rename(bench.dir.file("out.txt"), bench.dir.file("out.txt.1"));
    await sink.send(message("two"));
    await sink.send(message("three"));
    expect(await bench.dir.read("out.txt.1")).toBe("one\n");
    expect(await bench.dir.read("out.txt")).toBe("two\nthree\n");
  });

  it("writes a batch again whose file is deleted while it is written", async () => {
    await using bench = await Workbench.make();
    const sink = await bench.sink(raw);
    await sink.send(message("one"));
    using calls = new FailingCalls();
    calls.beforeWrite(() => unlinkSync(bench.dir.file("out.txt")));
    await sink.send(message("two"));
    expect(await bench.dir.read("out.txt")).toBe("two\n");
  });

  it("writes to a new file when the old one was deleted", async () => {
    await using bench = await Workbench.make();
    const sink = await bench.sink(raw);
    await sink.send(message("one"));
    await unlink(bench.dir.file("out.txt"));
    await sink.send(message("two"));
    expect(await bench.dir.read("out.txt")).toBe("two\n");
  });

  it("fails a send for the time being when the file cannot be opened anew, and goes on when it can", async () => {
    await using bench = await Workbench.make();
    const sink = await bench.sink(raw);
    await sink.send(message("one"));
    const path = bench.dir.file("out.txt");
    await rename(path, `${path}.1`);
    await mkdir(path);
    for (let n = 0; n < 2; n++)
      await expect(sink.send(message("two"))).rejects.toMatchObject({
        code: "MQB_FILE_WRITE_FAILED",
        kind: "retryable",
      });
    await rmdir(path);
    await sink.send(message("two"));
    expect([await bench.dir.read("out.txt.1"), await bench.dir.read("out.txt")]).toEqual(["one\n", "two\n"]);
  });

  it.each(["EMFILE", "ENOSPC"])("tries again later when the machine cannot open the file (%s)", async (code) => {
    await using bench = await Workbench.make();
    using calls = new FailingCalls();
    calls.open(code);
    await expect(bench.sink(raw)).rejects.toMatchObject({ code: "MQB_FILE_NO_ROOM", kind: "connection" });
  });

  it("refuses a directory, and a place where no file can be", async () => {
    await using bench = await Workbench.make();
    await expect(bench.sink({ path: "." })).rejects.toMatchObject({ code: "MQB_FILE_IS_DIRECTORY", kind: "config" });
    await bench.dir.write("plain", "");
    await expect(bench.sink({ path: "plain/out.txt" })).rejects.toMatchObject({
      code: "MQB_FILE_NOT_WRITABLE",
      kind: "config",
    });
  });

  it("takes nothing after its closing, which may come twice", async () => {
    await using bench = await Workbench.make();
    const sink = await bench.sink(raw);
    await sink.close();
    await sink.close();
    await expect(sink.send(message("x"))).rejects.toMatchObject({ code: "MQB_FILE_CLOSED" });
  });
});

describe("a CSV sink", () => {
  const csv = { path: "out.csv", format: "csv" } as const;

  it("keeps the header of the file over several runs", async () => {
    await using bench = await Workbench.make();
    const first = await bench.sink(csv);
    await first.send(message('{"id":1,"name":"a"}'));
    await first.close();
    const context = bench.context();
    const second = await bench.sink(csv, context);
    await second.send(message('{"name":"b","id":2}'));
    await second.send(message('{"id":3,"city":"c"}'));
    expect(await bench.dir.read("out.csv")).toBe("id,name\n1,a\n2,b\n3,\n");
    expect(context.log.entries.filter(({ level }) => level === "warn")).toHaveLength(1);
  });

  it.each(["gzip", "zstd", "lz4"] as const)("keeps the header of a file in %s", async (compression) => {
    await using bench = await Workbench.make();
    const first = await bench.sink({ ...csv, compression });
    await first.send(message('{"id":1,"name":"a"}'));
    await first.close();
    await (await bench.sink({ ...csv, compression })).send(message('{"name":"b","id":2}'));
    expect(await (await bench.source({ ...csv, compression })).drain()).toEqual([
      '{"id":"1","name":"a"}',
      '{"id":"2","name":"b"}',
    ]);
  });

  it("writes a header again when the file was emptied", async () => {
    await using bench = await Workbench.make();
    const sink = await bench.sink(csv);
    await sink.send(message('{"a":1}'));
    await bench.dir.write("out.csv", "");
    await sink.send(message('{"a":2}'));
    expect(await bench.dir.read("out.csv")).toBe("a\n2\n");
  });

  it("writes the header again to the new file when the old one was deleted", async () => {
    await using bench = await Workbench.make();
    const sink = await bench.sink(csv);
    await sink.send(message('{"a":1}'));
    await unlink(bench.dir.file("out.csv"));
    await sink.send(message('{"a":2}'));
    await sink.send(message('{"a":3}'));
    expect(await bench.dir.read("out.csv")).toBe("a\n2\n3\n");
  });

  it("refuses configured columns that are not those of the file", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("out.csv", "a,b\n");
    await expect(bench.sink({ ...csv, csv: { columns: ["a", "c"] } })).rejects.toMatchObject({
      code: "MQB_FORMATS_HEADER_DIFFERS",
      kind: "config",
    });
    await (await bench.sink({ ...csv, csv: { columns: ["b", "a"] } })).send(message('{"a":1,"b":2}'));
    expect(await bench.dir.read("out.csv")).toBe("a,b\n1,2\n");
  });

  it("writes nothing below a header that cannot be read", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("out.csv", gzipSync("a,b\n").fill(0xff, 10, 16));
    await expect(bench.sink({ ...csv, compression: "gzip" })).rejects.toMatchObject({
      code: "MQB_FORMATS_HEADER_UNREADABLE",
      kind: "retryable",
    });
  });
});
