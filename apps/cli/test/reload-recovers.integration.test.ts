import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { buildCli, startCli } from "./support/cli.ts";
import { fileHolds } from "./support/files.ts";
import { folderPerTest } from "./support/folder.ts";

beforeAll(buildCli);
const folder = folderPerTest();
const route = (target: string, more = ""): string =>
  `routes:\n  r:\n    input: { file: { path: in.txt, format: raw } }\n    output: { file: { path: ${target}, format: raw } }\n${more}`;

it.each([
  ["no YAML", "routes:\n  r: {input: [\n", /not reloaded.*config\.yml:\d+:\d+/s],
  ["an unknown field", route("b.txt", "    batch_sise: 1\n"), /not reloaded.*did you mean "batch_size"/s],
  ["an unknown endpoint", route("b.txt").replace("output: { file", "output: { fiel"), /not reloaded.*fiel/s],
  ["a route that reads what it writes", route("in.txt"), /not reloaded.*in\.txt/s],
])("a file that becomes %s leaves the route alone, and the next good one is taken up", async (_, wrong, says) => {
  folder.write("in.txt", "one\n");
  folder.write("config.yml", route("a.txt"));
  const run = startCli(["run", "--no-metrics"], { cwd: folder.path });
  try {
    await fileHolds(join(folder.path, "a.txt"), "one");
    folder.write("config.yml", wrong);
    run.child.kill("SIGHUP");
    await run.stderr(says);
    expect(existsSync(join(folder.path, "b.txt"))).toBe(false);
    folder.write("config.yml", route("c.txt"));
    run.child.kill("SIGHUP");
    await run.stderr(/configuration reloaded added=0 changed=1/);
    await fileHolds(join(folder.path, "c.txt"), "one");
  } finally {
    run.child.kill();
    expect((await run.done).code).toBe(0);
  }
});
