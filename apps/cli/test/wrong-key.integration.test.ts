import { beforeAll, expect, it } from "vitest";
import { buildCli } from "./support/cli.ts";
import { folderPerTest } from "./support/folder.ts";

beforeAll(buildCli);
const folder = folderPerTest();
const key = (fill: number): string => Buffer.alloc(32, fill).toString("base64");

it("a route that could not decrypt what it has read says how much and why, and ends with 1", async () => {
  const route = (input: object, output: object) =>
    JSON.stringify({ routes: { r: { input, output, exit_on_empty: true } } });
  const file = { path: "sealed.jsonl", format: "normal" };
  folder.write("in.txt", "a\nb\nc\n");
  folder.write(
    "seal.json",
    route(
      { file: { path: "in.txt", format: "raw" } },
      { file, middlewares: [{ encryption: { key: key(1), key_id: "k" } }] },
    ),
  );
  folder.write(
    "open.json",
    route({ file, middlewares: [{ encryption: { key: key(2), key_id: "k" } }] }, { null: null }),
  );
  expect(await folder.mqb(["run", "-c", "seal.json", "--no-metrics"])).toMatchObject({ code: 0 });
  const { code, stderr } = await folder.mqb(["run", "-c", "open.json", "--no-metrics"]);
  expect(code).toBe(1);
  expect(stderr).toMatch(/Dropping 3 messages, the first of them \S+, due to non-retryable error: the payload/);
  expect(stderr).toMatch(/MQB_ENCRYPTION_NOT_AUTHENTIC/);
  expect(stderr).toMatch(/route r completed: dropped 3 messages: the payload/);
  expect(stderr).not.toContain(key(2));
});
