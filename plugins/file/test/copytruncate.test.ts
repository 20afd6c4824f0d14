import { copyFile, truncate, writeFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { lines, Workbench } from "./support.ts";

const config = { path: "app.log", format: "raw", mode: "group_subscribe", group_id: "g" } as const;

it("a log that is copied and truncated, while it is read and while nobody reads, is delivered line by line, once", async () => {
  await using bench = await Workbench.make();
  await bench.append("app.log", lines(0, 1000));
  const context = bench.context();
  const source = await bench.source(config, context);
  const got: string[] = [];
  const takeUntil = async (count: number) => {
    while (got.length < count) got.push(...(await source.take(300)));
  };
  await takeUntil(1000);
  await copyFile(bench.dir.file("app.log"), bench.dir.file("app.log.1"));
  await truncate(bench.dir.file("app.log"));
  await bench.append("app.log", lines(1000, 1050));
  await takeUntil(1050);
  await source.close();
  const warned = () => context.log.entries.filter(({ level }) => level === "warn").length;
  expect(warned()).toBe(1);

  await writeFile(bench.dir.file("app.log"), lines(1050, 1060));
  const later = bench.context({ draining: true });
  got.push(...(await (await bench.source(config, later)).drain()));
  expect(got).toEqual(lines(0, 1060).split("\n").slice(0, -1));
  expect(later.log.entries.filter(({ level }) => level === "warn")).toHaveLength(1);
});
