import { chmod, chown, readdir, rename, stat, symlink } from "node:fs/promises";
import { ACK, Message, NACK } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { FailingCalls } from "./failing-calls.ts";
import { lines, OpenToAppend, texts, Workbench } from "./support.ts";

const config = { path: "q.txt", format: "raw", mode: "consume", delete: true } as const;

describe("a source that deletes what is acked", () => {
  it("leaves an empty file when everything was", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("q.txt", "a\nbb\nccc\n");
    const source = await bench.source(config);
    expect(await source.drain()).toEqual(["a", "bb", "ccc"]);
    expect(await bench.dir.read("q.txt")).toBe("");
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

  it.each([
    [
      "a separator that was found out and a line break in a name",
      'a;"b\nc";d\n',
      "1;2;3\n",
      '{"a":"1","b\\nc":"2","d":"3"}',
    ],
    ["a very long header", `${"name,".repeat(30_000)}end\n`, `${"1,".repeat(30_000)}2\n`, undefined],
  ])("keeps the header of a CSV file with %s", async (_, header, row, json) => {
    await using bench = await Workbench.make();
    const csv = { ...config, path: "q.csv", format: "csv", csv: { separator: "auto" } } as const;
    for (let run = 0; run < 2; run++) {
      await bench.dir.write("q.csv", `${run === 0 ? header : await bench.dir.read("q.csv")}${row}`);
      const source = await bench.source(csv);
      const [text = ""] = await source.take();
      if (json !== undefined) expect(text).toBe(json);
      expect(Object.values(JSON.parse(text) as object)[0]).toBe("1");
      await source.close();
      expect(await bench.dir.read("q.csv")).toBe(header);
    }
  });

  it("cuts nothing where a header is too long to be known, and says so once", async () => {
    await using bench = await Workbench.make();
    const content = `${"a".repeat(1024 * 1024)},b\n1,2\n3,4\n`;
    await bench.dir.write("q.csv", content);
    const context = bench.context({ draining: true });
    const source = await bench.source({ ...config, path: "q.csv", format: "csv" }, context);
    expect([...(await source.take(1)), ...(await source.take(1))]).toHaveLength(2);
    await source.close();
    expect(await bench.dir.read("q.csv")).toBe(content);
    expect(context.log.entries.filter(({ message }) => message.includes("nothing is cut"))).toHaveLength(1);
  });

  it.runIf(process.getuid?.() === 0)("keeps mode and owner of the file", async () => {
    await using bench = await Workbench.make();
    const path = await bench.dir.write("q.txt", lines(0, 10));
    await chown(path, 1234, 2345);
    await chmod(path, 0o666);
    for (const count of [6, 4]) {
      const source = await bench.source(config);
      await (await source.receive(count)).commit();
      await source.close();
      const { mode, uid, gid } = await stat(path);
      expect([mode & 0o7777, uid, gid]).toEqual([0o666, 1234, 2345]);
    }
  });

  it("delivers what a writer appends to the file that it had opened before the cut", async () => {
    await using bench = await Workbench.make();
    const path = await bench.dir.write("q.txt", lines(0, 3));
    const source = await bench.source(config, bench.context());
    using before = new OpenToAppend(path);
    expect(await source.take()).toHaveLength(3);
    expect(await bench.dir.read("q.txt")).toBe("");
    await bench.append("q.txt", "second\n");
    before.append("first\n");
    expect([...(await source.take()), ...(await source.take())]).toEqual(["first", "second"]);
    await source.close();
    expect(await bench.dir.read("q.txt")).toBe("");
  });

  it("puts what was not acked of the old file before what the new one holds", async () => {
    await using bench = await Workbench.make();
    const path = await bench.dir.write("q.txt", lines(0, 6));
    const source = await bench.source(config, bench.context());
    using before = new OpenToAppend(path);
    expect(await source.take(4)).toHaveLength(4);
    expect(await source.take(1)).toEqual(["line 4"]);
    await bench.append("q.txt", "new\n");
    before.append("late\n");
    await source.close();
    expect(await bench.dir.read("q.txt")).toBe("line 5\nlate\nnew\n");
    expect(await readdir(bench.dir.path)).toEqual(["q.txt"]);
  });

  it("takes up what a killed process has left, and removes it", async () => {
    await using bench = await Workbench.make();
    const gone = "999999999-1700000000000-00000000-0000-4000-8000-000000000000";
    await bench.dir.write("q.txt", "a\n");
    await bench.dir.write(`.q.txt.mqb-cut-${gone}`, "half made");
    await bench.dir.write(`.q.txt.mqb-cut-${gone}-6`, "acked\nleft\n");
    const source = await bench.source(config);
    expect(await source.drain()).toEqual(["a", "left"]);
    await source.close();
    expect(await readdir(bench.dir.path)).toEqual(["q.txt"]);
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
    const { scope, clock } = bench.context();
    const subscribe = { ...config, mode: "subscribe" } as const;
    const one = await bench.source(subscribe, bench.context({ scope, clock }));
    const other = await bench.source(subscribe, bench.context({ scope, clock }));
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
