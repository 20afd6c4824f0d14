import { beforeAll, expect, it } from "vitest";
import { buildCli } from "./support/cli.ts";
import { folderPerTest } from "./support/folder.ts";

beforeAll(buildCli);
const folder = folderPerTest();

it("a copy whose filter reads a field that no message has says so at its end", async () => {
  folder.write("in.jsonl", '{"amount":5}\n{"amount":7}\n');
  const copy = (filter: string) =>
    folder.mqb(["copy", "file:in.jsonl?format=raw", "null:", "--drain", "--filter", filter]);
  const misspelt = await copy("amout > 3");
  expect(misspelt.code).toBe(0);
  expect(misspelt.stdout).toContain("copied 0 of 2 rows");
  expect(misspelt.stderr).toContain(
    "the filter has kept none of 2 message(s): they have no amout; is a name misspelt?",
  );
  expect((await copy("amount > 30")).stderr).not.toContain("misspelt");
});
