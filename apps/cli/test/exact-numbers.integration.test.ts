import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { buildCli } from "./support/cli.ts";
import { folderPerTest } from "./support/folder.ts";

beforeAll(buildCli);
const folder = folderPerTest();
const LONG = "12345678901234567890";
const CONFIGURATION = `routes:
  r:
    exit_on_empty: true
    input: { static: "{}" }
    output:
      file: { path: out.jsonl, format: raw }
      middlewares:
        - transform: { mapping: { id: { path: $.id, default: ${LONG} } } }
`;

it("a constant of a mapping keeps every digit, from the configuration into the payload", async () => {
  folder.write("config.yml", CONFIGURATION);
  expect(await folder.mqb(["run", "--no-metrics"])).toMatchObject({ code: 0 });
  expect(readFileSync(join(folder.path, "out.jsonl"), "utf8").split("\n")[0]).toBe(`{"id":${LONG}}`);
});

it("it is shown with every digit, as text and as JSON, and written so into a command", async () => {
  folder.write("config.yml", CONFIGURATION);
  expect((await folder.mqb(["config", "show"])).stdout).toContain(`mapping.id.default: ${LONG}\n`);
  expect((await folder.mqb(["config", "show", "--json"])).stdout).toContain(`"value": ${LONG},`);
  expect((await folder.mqb(["to-cli"])).stdout).toContain(`"default":${LONG}`);
});

it("a field that cannot hold it refuses it, also when it comes from a variable", async () => {
  folder.write("config.yml", CONFIGURATION.replace("exit_on_empty: true", "batch_size: $SIZE"));
  const { code, stdout } = await folder.mqb(["check"], { SIZE: LONG });
  expect([code, stdout]).toEqual([
    1,
    expect.stringContaining(`"batch_size" takes a whole number from 1 to 100000000, not ${LONG} (from SIZE)`),
  ]);
});
