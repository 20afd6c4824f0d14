import { createBridge, createRegistry } from "@mqb/core";
import file from "@mqb/file";
import standard from "@mqb/standard";
import { TempDir } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import plugin from "../src/index.ts";

const registry = createRegistry([standard, file, plugin]);
const transform = {
  mapping: { "row.n": "n", text: "n" },
  schema: {
    type: "object",
    properties: { row: { type: "object", properties: { n: { type: "integer" } } }, text: { type: "string" } },
  },
};
const ROWS = 2000;

describe.each([1, 8])("transform in a route with concurrency %i", (concurrency) => {
  it("loses and doubles nothing, on both sides, with dead letters for what does not fit", async () => {
    await using dir = await TempDir.make();
    // Every tenth row is rejected by the input, every seventh of the others by the output.
    const rows = Array.from({ length: ROWS }, (_, n) => ({
      n: n % 7 === 0 ? `no ${n}` : `${n}`,
      ...(n % 10 ? { k: 1 } : {}),
    }));
    await dir.write("in.jsonl", rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
    const route = createBridge({ registry, baseDir: dir.path }).route("r", {
      exit_on_empty: true,
      concurrency,
      batch_size: 64,
      input: {
        file: { path: "in.jsonl", format: "raw" },
        middlewares: [{ transform: { schema: { required: ["k"] } } }],
      },
      output: {
        file: { path: "out.jsonl", format: "raw" },
        middlewares: [{ transform }, { dlq: { endpoint: { file: { path: "dlq.jsonl", format: "raw" } } } }],
      },
    });
    await route.start();
    expect(await route.done).toMatchObject({ outcome: "completed", drops: [] });

    const passed = rows.filter((row) => row.k);
    const [good, bad] = [passed.filter(({ n }) => !n.startsWith("no")), passed.filter(({ n }) => n.startsWith("no"))];
    expect(await dir.read("out.jsonl")).toBe(good.map(({ n }) => `{"row":{"n":${n}},"text":"${n}"}\n`).join(""));
    expect(await dir.read("dlq.jsonl")).toBe(bad.map((row) => `${JSON.stringify(row)}\n`).join(""));
    expect(route.status().accounting).toMatchObject({
      received: ROWS,
      filtered: ROWS / 10,
      delivered: good.length,
      deadLettered: bad.length,
    });
  });
});
