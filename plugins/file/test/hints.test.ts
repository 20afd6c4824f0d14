import { describe, expect, it } from "vitest";
import { Workbench } from "./support.ts";

describe("a CSV that is read with another separator than it has", () => {
  it.each([
    ["a;b\n1;2\n", 'set csv.separator to ";" or "auto"'],
    ["a\tb\n1\t2\n", 'set csv.separator to "tab" or "auto"'],
  ])("is warned about: %j", async (text, hint) => {
    await using bench = await Workbench.make();
    await bench.dir.write("in.csv", text);
    const context = bench.context({ draining: true });
    const source = await bench.source({ path: "in.csv", format: "csv" }, context);
    await source.take();
    const warnings = context.log.at("warn");
    expect(warnings).toEqual([expect.stringContaining(hint)]);
  });

  it.each([
    ["a\n1\n", {}],
    ["a,b;c\n1,2\n", {}],
    ["a;b\n1;2\n", { separator: ";" }],
    ["a;b\n1;2\n", { separator: "auto" }],
  ])("and not where it fits: %j with %j", async (text, csv) => {
    await using bench = await Workbench.make();
    await bench.dir.write("in.csv", text);
    const context = bench.context({ draining: true });
    const source = await bench.source({ path: "in.csv", format: "csv", csv }, context);
    await source.take();
    expect(context.log.at("warn")).toEqual([]);
  });
});

describe("a file that cannot be read", () => {
  it("is named once, with what to look at", async () => {
    await using bench = await Workbench.make();
    const error = await bench.source({ path: "nope.txt", format: "raw" }).catch((reason: unknown) => reason);
    const { message, hint } = error as { message: string; hint?: string };
    expect(message).toBe(`${bench.dir.file("nope.txt")} cannot be read: ENOENT: no such file or directory`);
    expect(hint).toMatch(/is the name right\? a relative path starts at the working directory/);
  });
});

describe("the status of a source", () => {
  it("says how much of the file was read, in bytes", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("in.txt", "a\nbc\n");
    const source = await bench.source({ path: "in.txt", format: "raw" });
    await source.take();
    expect(source.consumer.status!().progress).toEqual({ position: 5, total: 5 });
  });
});

describe("a csv block beside another format", () => {
  it("has no effect, also when it is wrong", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("in.txt", "a\n");
    const source = await bench.source({ path: "in.txt", format: "raw", csv: { separator: ";;" } });
    expect(await source.take()).toEqual(["a"]);
  });
});
