import { readdirSync, readlinkSync } from "node:fs";
import { rename, truncate, unlink, utimes, writeFile } from "node:fs/promises";
import { NACK } from "@mqb/core/plugin";
import { eventually, isPending } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { lines, Workbench } from "./support.ts";

const raw = { path: "in.txt", format: "raw" } as const;

describe("a source that follows its file", () => {
  it("delivers what is appended, whole records only", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("in.txt", "a\nb");
    const source = await bench.source(raw, bench.context());
    expect(await source.take()).toEqual(["a"]);
    await bench.append("in.txt", "b\nc\n");
    expect(await source.take()).toEqual(["bb", "c"]);
  });

  it("puts a character together that was split between two writes", async () => {
    await using bench = await Workbench.make();
    const bytes = Buffer.from("ä\n");
    await bench.dir.write("in.txt", bytes.subarray(0, 1));
    const source = await bench.source(raw, bench.context());
    const receiving = source.take();
    await bench.append("in.txt", bytes.subarray(1));
    expect(await receiving).toEqual(["ä"]);
  });

  it("stops waiting when it is asked to, and loses nothing by it", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("in.txt", "part");
    const source = await bench.source(raw, bench.context());
    const stop = new AbortController();
    const receiving = source.consumer.receive(10, stop.signal);
    expect(await isPending(receiving)).toBe(true);
    stop.abort();
    expect((await receiving).batch.length).toBe(0);
    await bench.append("in.txt", "ly\n");
    expect(await source.take()).toEqual(["partly"]);
  });

  it("gives back what is nacked while it waits for more", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("in.txt", "a\n");
    const source = await bench.source(raw, bench.context());
    const delivery = await source.receive();
    const waiting = source.consumer.receive(10, new AbortController().signal);
    expect(await isPending(waiting)).toBe(true);
    await delivery.commit([NACK]);
    expect((await waiting).batch.at(0).text()).toBe("a");
  });

  it("is woken by its closing", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("in.txt", "");
    const source = await bench.source(raw, bench.context());
    const receiving = source.consumer.receive(10, new AbortController().signal);
    await source.close();
    expect((await receiving).batch.length).toBe(0);
    await source.close();
  });

  it("waits for a file that does not exist yet, and says so once", async () => {
    await using bench = await Workbench.make();
    const context = bench.context();
    const source = await bench.source(raw, context);
    const receiving = source.receive();
    await context.clock.waiting();
    await bench.dir.write("in.txt", "a\n");
    const delivery = await receiving;
    expect(delivery.batch.at(0).text()).toBe("a");
    expect(context.log.entries.filter(({ level }) => level === "warn")).toHaveLength(1);
  });

  it("reads a truncated file again from its start, with one warning", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("in.txt", lines(0, 1000));
    const context = bench.context();
    const source = await bench.source(raw, context);
    expect(await source.take(2000)).toHaveLength(1000);
    await truncate(bench.dir.file("in.txt"));
    await bench.append("in.txt", lines(1000, 1050));
    expect(await source.take(2000)).toHaveLength(50);
    expect(context.log.entries.filter(({ message }) => message.includes("truncated"))).toHaveLength(1);
  });

  it("notices a truncation although the file is larger than before when it looks", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("in.txt", lines(0, 10));
    const source = await bench.source(raw, bench.context());
    expect(await source.take()).toHaveLength(10);
    await writeFile(bench.dir.file("in.txt"), `other contents\n${lines(0, 100)}`);
    expect(await source.take(1000)).toHaveLength(101);
  });

  it.each([
    ["short", ""],
    ["longer than what is known of its head", `${"x".repeat(2000)}\n`],
  ])("reads a file again that is written anew with the same length, contents %s", async (_, head) => {
    await using bench = await Workbench.make();
    const context = bench.context();
    await bench.dir.write("in.txt", `${head}v 0\n`);
    const source = await bench.source(raw, context);
    const last = async (): Promise<string | undefined> => (await source.take()).at(-1);
    expect(await last()).toBe("v 0");
    for (const v of [1, 2, 3]) {
      const next = last();
      expect(await isPending(next)).toBe(true);
      await bench.dir.write("in.txt", `${head}v ${v}\n`);
      expect(await next).toBe(`v ${v}`);
    }
    expect(context.log.entries.filter(({ level }) => level === "warn")).toHaveLength(1);
  });

  it("loses nothing of a file that is written anew while it is read", async () => {
    await using bench = await Workbench.make();
    const content = (word: string): string =>
      Array.from({ length: 40_000 }, (_, n) => `${word} ${n} ${"-".repeat(90)}\n`).join("");
    await bench.dir.write("in.txt", content("old"));
    const source = await bench.source(raw, bench.context());
    expect(await source.take(10)).toHaveLength(10);
    await writeFile(bench.dir.file("in.txt"), content("new"), { flag: "r+" });
    const seen = new Set<string>();
    while (seen.size < 40_000)
      for (const one of await source.take(5000)) if (one.startsWith("new")) seen.add(one.split(" ")[1]!);
    expect(seen.size).toBe(40_000);
  });

  it("leaves a file alone that was only touched", async () => {
    await using bench = await Workbench.make();
    const path = await bench.dir.write("in.txt", "a\n");
    const source = await bench.source(raw, bench.context());
    expect(await source.take()).toEqual(["a"]);
    await utimes(path, 1, 1);
    const next = source.take();
    expect(await isPending(next)).toBe(true);
    await bench.append("in.txt", "b\n");
    expect(await next).toEqual(["b"]);
  });

  it.runIf(process.platform === "linux")("reads every file that has had the name, although nobody asks", async () => {
    await using bench = await Workbench.make();
    const path = await bench.dir.write("in.txt", "0\n");
    const context = bench.context();
    const source = await bench.source(raw, context);
    const delivery = await source.receive();
    for (let n = 1; n < 5; n++) {
      await rename(path, `${path}.${n}`);
      await bench.dir.write("in.txt", `${n}\n`);
      await eventually(async () => isOpen(path) || (await context.clock.advance(100)), "the new file is held");
    }
    await delivery.commit();
    for (let n = 1; n < 5; n++) expect(await source.take()).toEqual([String(n)]);
    await source.close();
    for (let n = 1; n < 5; n++) expect(isOpen(`${path}.${n}`)).toBe(false);
  });

  it.runIf(process.platform === "linux")("ends at the end of a file that has contents and no size", async () => {
    await using bench = await Workbench.make();
    const context = bench.context({ draining: true });
    const source = await bench.source({ path: "/proc/self/limits", format: "raw" }, context);
    const all = await source.drain();
    expect(all.filter((line) => line.startsWith("Max open files"))).toHaveLength(1);
    expect(context.log.entries.filter(({ level }) => level === "warn")).toEqual([]);
  });

  it("reads a renamed file to its end and then the new one from its start", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("in.txt", lines(0, 10));
    const source = await bench.source(raw, bench.context());
    expect(await source.take()).toHaveLength(10);
    await rename(bench.dir.file("in.txt"), bench.dir.file("in.txt.1"));
    await bench.append("in.txt.1", "late\nlast without end");
    await bench.dir.write("in.txt", "new\n");
    expect(await source.take()).toEqual(["late"]);
    expect(await source.take()).toEqual(["last without end"]);
    expect(await source.take()).toEqual(["new"]);
  });

  it("follows a file that was deleted and made anew", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("in.txt", "old\n");
    const source = await bench.source(raw, bench.context());
    expect(await source.take()).toEqual(["old"]);
    await unlink(bench.dir.file("in.txt"));
    await bench.dir.write("in.txt", "new\n");
    expect(await source.take()).toEqual(["new"]);
  });

  it("numbers records on through truncation and replacement", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("in.txt", "a\nb\n");
    const source = await bench.source({ ...raw, source_metadata: true }, bench.context());
    const record = async () =>
      [...(await source.receive()).batch].map((one) => one.metadata.get("mqb.src.file_record"));
    expect(await record()).toEqual(["0", "1"]);
    await truncate(bench.dir.file("in.txt"));
    await bench.append("in.txt", "c\n");
    expect(await record()).toEqual(["2"]);
  });
});

describe("a subscription", () => {
  it("delivers only what comes after it, never half a record", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("in.txt", "old\nbegun");
    const source = await bench.source({ ...raw, mode: "subscribe" }, bench.context());
    await bench.append("in.txt", " before\nnew\n");
    expect(await source.take()).toEqual(["begun before", "new"]);
  });

  it("delivers again what was not acked before the first ack of a run", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("in.txt", "old\n");
    const context = bench.context();
    const before = await bench.source({ ...raw, mode: "subscribe" }, context);
    await bench.append("in.txt", "new\n");
    expect((await before.receive()).batch.length).toBe(1);
    await before.close();
    const after = await bench.source({ ...raw, mode: "subscribe" }, context);
    expect(await after.take()).toEqual(["new"]);
  });

  it("takes a file that appears later as new", async () => {
    await using bench = await Workbench.make();
    const context = bench.context();
    const source = await bench.source({ ...raw, mode: "subscribe" }, context);
    const receiving = source.receive();
    await context.clock.waiting();
    await bench.dir.write("in.txt", "a\n");
    expect((await receiving).batch.length).toBe(1);
  });

  it("to CSV takes the columns of the header", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("in.csv", "id,name\n1,old\n");
    const source = await bench.source({ path: "in.csv", format: "csv", mode: "subscribe" }, bench.context());
    await bench.append("in.csv", "2,new\n");
    expect(await source.take()).toEqual(['{"id":"2","name":"new"}']);
  });
});

/** Whether this process has the file open that has the name now. */
function isOpen(path: string): boolean {
  return readdirSync("/proc/self/fd").some((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === path;
    } catch {
      return false;
    }
  });
}
