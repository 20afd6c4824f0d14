import { readdir, rename, stat, symlink } from "node:fs/promises";
import { ACK, Message, NACK } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { FailingCalls } from "./failing-calls.ts";
import { lines, texts, Workbench } from "./support.ts";

const config = { path: "q.txt", format: "raw", mode: "consume", delete: true } as const;

describe("a source that deletes what is acked", () => {
  it("leaves an empty file when everything was", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("q.txt", "a\nbb\nccc\n");
    const before = await stat(bench.dir.file("q.txt"));
    const source = await bench.source(config);
    expect(await source.drain()).toEqual(["a", "bb", "ccc"]);
    expect(await bench.dir.read("q.txt")).toBe("");
    expect((await stat(bench.dir.file("q.txt"))).ino).toBe(before.ino);
  });

  it("leaves what was not acked, for the next run", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("q.txt", lines(0, 10));
    const source = await bench.source(config);
    await (await source.receive(4)).commit([ACK, ACK, NACK, ACK]);
    await source.close();
    expect(await bench.dir.read("q.txt")).toBe(lines(2, 10));
    expect(await readdir(bench.dir.path)).toEqual(["q.txt"]);
    expect(await (await bench.source(config)).drain()).toHaveLength(8);
  });

  it("cuts while it reads on, and keeps its place", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("q.txt", lines(0, 10));
    const source = await bench.source(config, bench.context());
    expect(await source.take(6)).toHaveLength(6);
    expect(await bench.dir.read("q.txt")).toBe(lines(6, 10));
    expect(await source.take(2)).toEqual(["line 6", "line 7"]);
    await bench.append("q.txt", lines(10, 12));
    expect([...(await source.take(2)), ...(await source.take(9))]).toEqual(lines(8, 12).trimEnd().split("\n"));
    await bench.append("q.txt", "more\n");
    expect(await source.take()).toEqual(["more"]);
    expect(await bench.dir.read("q.txt")).toBe("");
  });

  it("keeps the header of a CSV file", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("q.csv", "id,name\n1,a\n2,b\n");
    const csv = { ...config, path: "q.csv", format: "csv" } as const;
    const source = await bench.source(csv);
    await (await source.receive(1)).commit();
    await source.close();
    expect(await bench.dir.read("q.csv")).toBe("id,name\n2,b\n");
    expect(await (await bench.source(csv)).drain()).toEqual(['{"id":"2","name":"b"}']);
    expect(await bench.dir.read("q.csv")).toBe("id,name\n");
  });

  it("goes on after a reconnect without reading anything twice", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("q.txt", lines(0, 6));
    const context = bench.context({ draining: true });
    const before = await bench.source(config, context);
    await (await before.receive(2)).commit();
    const open = await before.receive(2);
    expect(texts(open.batch)).toEqual(["line 2", "line 3"]);
    await before.close();
    expect(await (await bench.source(config, context)).drain()).toEqual(["line 2", "line 3", "line 4", "line 5"]);
    expect(await bench.dir.read("q.txt")).toBe("");
  });

  it("delivers nothing twice in one run although the file cannot be cut", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("q.txt", lines(0, 4));
    const context = bench.context({ draining: true });
    const source = await bench.source(config, context);
    const first = await source.receive(3);
    using calls = new FailingCalls();
    calls.rename("EACCES");
    await first.commit();
    expect(await source.drain()).toEqual(["line 3"]);
    await source.close();
    expect(context.log.entries.filter(({ message }) => message.includes("EACCES"))).toHaveLength(1);
    expect(await readdir(bench.dir.path)).toEqual(["q.txt"]);
  });

  it("takes nothing from a new file for what was acked of the old one", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("q.txt", lines(0, 4));
    const source = await bench.source(config, bench.context());
    expect(await source.take(3)).toHaveLength(3);
    await rename(bench.dir.file("q.txt"), bench.dir.file("q.txt.1"));
    await bench.dir.write("q.txt", lines(10, 20));
    expect(await source.take()).toEqual(["line 3"]);
    const delivery = await source.receive(100);
    expect(texts(delivery.batch)).toHaveLength(10);
    await source.close();
    expect(await bench.dir.read("q.txt")).toBe(lines(10, 20));
  });

  it("does not replace a symbolic link", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("real.txt", lines(0, 4));
    await symlink("real.txt", bench.dir.file("q.txt"));
    const source = await bench.source(config);
    await (await source.receive(2)).commit();
    await source.close();
    expect(await bench.dir.read("real.txt")).toBe(lines(2, 4));
    expect(
      (await readdir(bench.dir.path, { withFileTypes: true })).find(({ name }) => name === "q.txt")?.isSymbolicLink(),
    ).toBe(true);
  });

  it("lets a sink of the same process append meanwhile", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("q.txt", lines(0, 4));
    const scope = bench.context().scope;
    const source = await bench.source(config, bench.context({ scope }));
    const sink = await bench.sink({ path: "q.txt", format: "raw" }, bench.context({ scope, side: "output" }));
    expect(await source.take(3)).toHaveLength(3);
    await sink.send(new Message("line 4"));
    expect(await bench.dir.read("q.txt")).toBe(lines(3, 5));
    expect([...(await source.take(1)), ...(await source.take(1))]).toEqual(["line 3", "line 4"]);
  });
});

describe("subscriptions that delete what is acked", () => {
  it("take a record away only when all of them have acked it, and leave what stood before", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("q.txt", "before\n");
    const scope = bench.context().scope;
    const subscribe = { ...config, mode: "subscribe" } as const;
    const one = await bench.source(subscribe, bench.context({ scope }));
    const other = await bench.source(subscribe, bench.context({ scope }));
    await bench.append("q.txt", lines(0, 3));
    expect(await one.take()).toHaveLength(3);
    expect(await bench.dir.read("q.txt")).toBe(`before\n${lines(0, 3)}`);
    expect(await other.take(2)).toEqual(["line 0", "line 1"]);
    expect(await bench.dir.read("q.txt")).toBe(`before\n${lines(2, 3)}`);
    await bench.append("q.txt", "next\n");
    expect([...(await other.take(1)), ...(await other.take(1))]).toEqual(["line 2", "next"]);
    expect(await one.take()).toEqual(["next"]);
    expect(await bench.dir.read("q.txt")).toBe("before\n");
  });
});
