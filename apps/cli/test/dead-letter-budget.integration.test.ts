import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { buildCli, runCli } from "./support/cli.ts";
import { folderPerTest } from "./support/folder.ts";

beforeAll(buildCli);
const scratch = folderPerTest();

const lines = (name: string): string[] => readFileSync(join(scratch.path, name), "utf8").split("\n").slice(0, -1);

const CONFIG = `r:
  exit_on_empty: true
  input: { file: { path: in.jsonl, format: raw, mode: group_subscribe, group_id: g } }
  output:
    file: { path: out.csv, format: csv }
    middlewares:
      - dlq: { stop_window: 100, stop_threshold: 20, endpoint: { file: { path: dead.jsonl, format: raw } } }
`;

it("too many dead letters end the process with 1 and leave the rest with the source; a few do not", async () => {
  const bad = Array.from({ length: 10_000 }, (_, i) => `no object ${i}`);
  writeFileSync(join(scratch.path, "in.jsonl"), `${bad.join("\n")}\n`);
  writeFileSync(join(scratch.path, "config.yml"), CONFIG);
  const first = await runCli([], { cwd: scratch.path });
  expect(first).toMatchObject({ code: 1, stderr: expect.stringMatching(/more than 20 of the last 100 messages/) });
  const dead = lines("dead.jsonl");
  expect(dead.length).toBeLessThanOrEqual(100);
  expect(dead).toEqual(bad.slice(0, dead.length));

  const good = Array.from({ length: 10_000 }, (_, i) => (i % 2000 === 7 ? `no object ${i}` : `{"id":${i}}`));
  writeFileSync(join(scratch.path, "in.jsonl"), `${good.join("\n")}\n`);
  writeFileSync(join(scratch.path, "dead.jsonl"), "");
  const second = await runCli([], { cwd: scratch.path });
  expect(second).toMatchObject({ code: 0 });
  expect(lines("dead.jsonl")).toEqual(good.filter((line) => line.startsWith("no")));
  expect(lines("out.csv")).toEqual([
    "id",
    ...good.flatMap((line) => (line.startsWith("no") ? [] : [line.slice(6, -1)])),
  ]);
});
