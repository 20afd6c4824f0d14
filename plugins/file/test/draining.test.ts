import { codeOf, kindOf } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { lines, texts, Workbench } from "./support.ts";

describe("a draining source", () => {
  it("delivers every record, the last one without a delimiter too, and then nothing", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("in.txt", `${lines(0, 5)}last`);
    const source = await bench.source({ path: "in.txt", format: "raw" });
    expect(await source.drain(2)).toEqual(["line 0", "line 1", "line 2", "line 3", "line 4", "last"]);
    expect(await source.take()).toEqual([]);
  });

  it("reads files larger than what it reads at once, record by record", async () => {
    await using bench = await Workbench.make();
    const text = lines(0, 300_000);
    await bench.dir.write("in.txt", text);
    const source = await bench.source({ path: "in.txt", format: "raw" });
    expect((await source.drain(5000)).join("\n")).toBe(text.trimEnd());
  });

  it("ends at once with an empty file", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("in.txt", "");
    expect(await (await bench.source({ path: "in.txt" })).drain()).toEqual([]);
  });

  it("fails with the system's reason when there is no file", async () => {
    await using bench = await Workbench.make();
    const error = await bench.source({ path: "nowhere.txt" }).catch((failure: unknown) => failure);
    expect([codeOf(error), kindOf(error, "end")]).toEqual(["MQB_FILE_NOT_READABLE", "connection"]);
    expect((error as Error).message).toMatch(/nowhere\.txt.*ENOENT/);
  });

  it("refuses a directory", async () => {
    await using bench = await Workbench.make();
    await expect(bench.source({ path: "." })).rejects.toMatchObject({ code: "MQB_FILE_IS_DIRECTORY", kind: "config" });
  });

  it("refuses compressed and encrypted files that are not declared, before the first message", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("in.gz", Buffer.from("1f8b080000000000", "hex"));
    await expect(bench.source({ path: "in.gz" })).rejects.toMatchObject({
      code: "MQB_FORMATS_COMPRESSED",
      kind: "config",
      hint: "set compression: gzip",
    });
    const sealed = "000000000000003d0100026b31c0ab826cc58f877cf0fe8cd3c0f41f1153cf6f3851a40eef28b5775f06e1c753b3";
    await bench.dir.write("in.enc", Buffer.concat([Buffer.from(sealed, "hex"), Buffer.alloc(40)]));
    await expect(bench.source({ path: "in.enc" })).rejects.toMatchObject({
      code: "MQB_FORMATS_SEALED",
      kind: "config",
    });
  });

  it("passes over records that are too long when that is asked for, and goes on behind them", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("in.txt", `0123456789\n${"x".repeat(3 << 20)}\n${"y".repeat(9 << 20)}\n9876543210\n`);
    const context = bench.context({ draining: true });
    const config = { path: "in.txt", format: "raw", max_message_bytes: 8 << 20, on_oversize: "skip" } as const;
    const records = await (await bench.source(config, context)).drain();
    expect(records.map((record) => record.length)).toEqual([10, 3 << 20, 10]);
    expect(context.log.entries).toContainEqual(
      expect.objectContaining({ level: "warn", fields: { offset: 11 + (3 << 20) + 1, size: 9 << 20 } }),
    );
  });

  it("ends with the place of a record that is too long, after the records before it", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("in.txt", `ab\n${"x".repeat(100)}\n`);
    const source = await bench.source({ path: "in.txt", format: "raw", max_message_bytes: 50 });
    expect(await source.take()).toEqual(["ab"]);
    await expect(source.receive()).rejects.toMatchObject({ code: "MQB_FORMATS_RECORD_TOO_LONG", kind: "permanent" });
  });

  it("says once that records are no envelopes", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("in.txt", "x\ny\n");
    const context = bench.context({ draining: true });
    const source = await bench.source({ path: "in.txt" }, context);
    expect(await source.drain()).toEqual(["x", "y"]);
    expect(context.log.entries.filter(({ level }) => level === "warn")).toHaveLength(1);
  });

  it("takes at most as many as are asked for, without waiting for more", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("in.txt", lines(0, 3));
    const source = await bench.source({ path: "in.txt", format: "raw" });
    expect(texts((await source.receive(2)).batch)).toHaveLength(2);
    expect(texts((await source.receive(2)).batch)).toHaveLength(1);
  });

  it("says so when a whole CSV file is one header, as line breaks of old Macs make it", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("old.csv", "a,b\r1,2\r3,4\r");
    const csv = { path: "old.csv", format: "csv" } as const;
    const context = bench.context({ draining: true });
    expect(await (await bench.source(csv, context)).drain()).toEqual([]);
    expect(context.log.entries.filter(({ message }) => message.includes("carriage returns"))).toHaveLength(1);
    const rows = ['{"a":"1","b":"2"}', '{"a":"3","b":"4"}'];
    expect(await (await bench.source({ ...csv, delimiter: "\r" })).drain()).toEqual(rows);
  });
});
