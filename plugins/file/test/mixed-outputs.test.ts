import { gzipSync } from "node:zlib";
import { Message } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import type { FileOptions } from "../src/config.ts";
import { Workbench } from "./support.ts";

describe("an output over a file that holds something else", () => {
  it.each<[string, string | Buffer, Partial<FileOptions>]>([
    ["gzip behind text", "a\nb\n", { compression: "gzip" }],
    ["zstd behind gzip", gzipSync("a\n"), { compression: "zstd" }],
    ["lz4 behind text that looks like nothing", "\x01\x02\x03\x04\x05", { compression: "lz4" }],
    ["envelopes behind gzip", gzipSync("a\n"), { format: "normal" }],
    ["rows behind gzip", gzipSync("a\n"), { format: "csv" }],
  ])("is refused: %s", async (_, content, options) => {
    await using bench = await Workbench.make();
    await bench.dir.write("out", content);
    const opening = bench.sink({ path: "out", format: "raw", ...options });
    await expect(opening).rejects.toMatchObject({ code: "MQB_FILE_OTHER_CODEC", kind: "config" });
    expect(await bench.dir.read("out")).toBe(content.toString());
  });

  it.each<[string, Buffer, Partial<FileOptions>]>([
    ["the same codec", gzipSync("a\n"), { compression: "gzip" }],
    ["padding", Buffer.alloc(100), { compression: "zstd" }],
    ["a skippable frame", Buffer.from([0x53, 0x2a, 0x4d, 0x18, 0, 0, 0, 0]), { compression: "lz4" }],
    ["raw payloads that are compressed themselves", Buffer.concat([gzipSync("a"), Buffer.from("\n")]), {}],
    ["nothing", Buffer.alloc(0), { compression: "gzip" }],
  ])("is opened over %s", async (_, content, options) => {
    await using bench = await Workbench.make();
    await bench.dir.write("out", content);
    const sink = await bench.sink({ path: "out", format: "raw", ...options });
    expect(await sink.send(new Message("b"))).toBeUndefined();
  });

  it.each<[string, FileOptions, FileOptions]>([
    ["format", { path: "out", format: "raw" }, { path: "out", format: "normal" }],
    ["delimiter", { path: "out" }, { path: "out", delimiter: "|" }],
    ["compression", { path: "out" }, { path: "out", compression: "zstd" }],
    ["dialect", { path: "out", format: "csv" }, { path: "out", format: "csv", csv: { separator: ";" } }],
  ])("that another route writes to in another %s is refused", async (_, one, other) => {
    await using bench = await Workbench.make();
    const { scope } = bench.context();
    const first = await bench.sink(one, bench.context({ scope, side: "output" }));
    await expect(bench.sink(other, bench.context({ scope, side: "output" }))).rejects.toMatchObject({
      code: "MQB_FILE_OTHER_RECORDS",
      kind: "config",
    });
    await bench.sink(one, bench.context({ scope, side: "output" }));
    expect(await first.send(new Message('{"a":1}'))).toBeUndefined();
  });

  it.each<[string, FileOptions, string]>([
    ["rows", { path: "out", format: "csv" }, "a,b"],
    ["raw records", { path: "out", format: "raw" }, "last"],
    ["envelopes", { path: "out", delimiter: "||" }, "{}|"],
  ])("says once that %s would be appended to a last record without an end", async (_, config, content) => {
    await using bench = await Workbench.make();
    const warnings = async (text: string): Promise<string[]> => {
      await bench.dir.write("out", text);
      const context = bench.context({ side: "output" });
      const sink = await bench.sink(config, context);
      for (let n = 0; n < 3; n++) await sink.send(new Message('{"a":1,"b":2}'));
      await sink.close();
      return context.log.entries.filter(({ level }) => level === "warn").map(({ message }) => message);
    };
    expect(await warnings(content)).toEqual([expect.stringContaining("does not end with the delimiter")]);
    expect(await warnings(`${content}${config.delimiter ?? "\n"}`)).toEqual([]);
  });
});
