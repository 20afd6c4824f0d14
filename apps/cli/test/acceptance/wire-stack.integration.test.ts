import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, it } from "vitest";
import { buildCli } from "../support/cli.ts";
import { folderPerTest } from "../support/folder.ts";

/** Packed, compressed and encrypted messages: the configuration and input, and what mq-bridge has made of them. */
const RECORDED = fileURLToPath(new URL("../fixtures/wire-stack/", import.meta.url));
const KEY = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const MIRRORED = `
routes:
  r:
    exit_on_empty: true
    input:
      middlewares:
        - unpack: {}
        - compression: { algorithm: zstd }
        - encryption: { key: "${KEY}" }
      file: { path: out.jsonl }
    output: { file: { path: back.jsonl } }
`;

beforeAll(buildCli);
const folder = folderPerTest();

const messages = (file: string): unknown[] =>
  readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);

async function readBack(): Promise<unknown[]> {
  folder.write("back.yaml", MIRRORED);
  const { code, stderr } = await folder.mqb(["--config", "back.yaml", "--no-ui", "--no-metrics"]);
  expect(stderr).not.toMatch(/ (WARN|ERROR) /);
  expect(code).toBe(0);
  return messages(join(folder.path, "back.jsonl"));
}

it("what mq-bridge has packed, compressed and encrypted is read by the mirrored list", async () => {
  copyFileSync(join(RECORDED, "written-by-mq-bridge.jsonl"), join(folder.path, "out.jsonl"));
  expect(await readBack()).toEqual(messages(join(RECORDED, "input.jsonl")));
});

it("so is what we make of the same configuration, which is one packed message", async () => {
  for (const file of ["config.yaml", "input.jsonl"]) copyFileSync(join(RECORDED, file), join(folder.path, file));
  expect((await folder.mqb(["--config", "config.yaml", "--no-ui", "--no-metrics"])).code).toBe(0);
  expect(messages(join(folder.path, "out.jsonl"))).toMatchObject([{ metadata: { "mqb.pack.count": "4" } }]);
  expect(await readBack()).toEqual(messages(join(RECORDED, "input.jsonl")));
});
