import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { systemClock } from "@mqb/core";
import { describe, expect, it } from "vitest";
import { lines, OpenToAppend, Workbench } from "./support.ts";

const writer = fileURLToPath(new URL("fixtures/append-lines.mjs", import.meta.url));
const config = { path: "q.txt", format: "raw", mode: "consume", delete: true } as const;
const COUNT = 6000;

function appending(path: string, from: number, to: number): Promise<unknown> {
  return promisify(execFile)(process.execPath, [writer, path, String(from), String(to)]);
}

describe("a source that deletes while another program appends", () => {
  it.each([
    ["one record", 1],
    ["some", 7],
    ["many", 1000],
  ])(
    "loses nothing, acking %s at a time",
    async (_, max) => {
      await using bench = await Workbench.make();
      await bench.dir.write("q.txt", "");
      const context = bench.context({ clock: systemClock as never });
      const source = await bench.source(config, context);
      const written = appending(bench.dir.file("q.txt"), 0, COUNT);
      const got: string[] = [];
      while (got.length < COUNT) got.push(...(await source.take(max)));
      await written;
      await source.close();
      expect(new Set(got)).toEqual(new Set(lines(0, COUNT).trimEnd().split("\n")));
      expect(got).toHaveLength(COUNT);
      expect(await bench.dir.read("q.txt")).toBe("");
      expect(await readdir(bench.dir.path)).toEqual(["q.txt"]);
    },
    30_000,
  );

  it("takes over what comes when the old file has been left", async () => {
    await using bench = await Workbench.make();
    const path = await bench.dir.write("q.txt", "first\n");
    const source = await bench.source(config, bench.context({ clock: systemClock as never }));
    using before = new OpenToAppend(path);
    expect(await source.take()).toEqual(["first"]);
    await bench.append("q.txt", "second\n");
    expect(await source.take()).toEqual(["second"]);
    before.append("late\n");
    expect(await source.take()).toEqual(["late"]);
    before.append("at the end\n");
    await source.close();
    expect(await bench.dir.read("q.txt")).toBe("at the end\n");
  });

  it("loses nothing over many runs, each with a record that it does not ack", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("q.txt", "");
    let writing = true;
    const written = appending(bench.dir.file("q.txt"), 0, COUNT).finally(() => {
      writing = false;
    });
    const got = new Set<string>();
    let goesOn = true;
    while (goesOn) {
      goesOn = writing;
      const source = await bench.source(config, bench.context({ clock: systemClock as never, draining: true }));
      for (let left = 20; left > 0; left--) {
        const some = await source.take(50);
        if (some.length === 0) break;
        for (const one of some) got.add(one);
        goesOn = true;
      }
      await source.receive(10);
      await source.close();
    }
    await written;
    expect(got.size).toBe(COUNT);
    expect(await bench.dir.read("q.txt")).toBe("");
  }, 60_000);
});
