import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { Message } from "@mqb/core/plugin";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Workbench } from "./support.ts";

const spies: ReturnType<typeof vi.spyOn>[] = [];
beforeEach(() => {
  spies.push(vi.spyOn(fs, "write"), vi.spyOn(fs, "writev"));
  syncBuiltinESMExports();
});
afterEach(() => {
  for (const spy of spies.splice(0)) spy.mockRestore();
  syncBuiltinESMExports();
});

it.each(["normal", "raw", "csv"] as const)(
  "a batch in %s is one write, so that appenders do not interleave",
  async (format) => {
    await using bench = await Workbench.make();
    const sink = await bench.sink({ path: "out.dat", format });
    const batch = (count: number) => Array.from({ length: count }, (_, n) => new Message(`{"n":${n}}`));
    for (const [calls, size] of [100, 1, 30].entries()) {
      await sink.send(...batch(size));
      expect(spies.reduce((sum, spy) => sum + spy.mock.calls.length, 0)).toBe(calls + 1);
    }
    expect((await bench.dir.read("out.dat")).split("\n")).toHaveLength(131 + (format === "csv" ? 1 : 0) + 1);
  },
);
