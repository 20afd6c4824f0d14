import { createServer } from "node:net";
import { beforeAll, expect, it } from "vitest";
import { buildCli } from "./support/cli.ts";
import { folderPerTest, ROUTE } from "./support/folder.ts";

beforeAll(buildCli);
const folder = folderPerTest();

/** What a message about a failed call of the system may say once: its code, its words, the path. */
const PARTS = [/\bE[A-Z]{4,}\b/g, /no such file/gi, /address already in use|is taken/gi, /\babsent[./\w]*/g];

it.each([
  [
    "a configuration that is not there",
    ["run", "-c", "absent.yml"],
    /cannot read .*absent\.yml: there is no such file$/m,
  ],
  ["a configuration that is a folder", ["check", "-c", "folder"], /cannot read .*folder: it is a folder$/m],
  [
    "a configuration below a file",
    ["check", "-c", "config.yml/absent"],
    /config\.yml\/absent: ENOTDIR: not a directory$/m,
  ],
  ["a source that is not there", ["copy", "file:absent.txt", "null:", "--drain"], /absent\.txt/],
  ["a target in a file", ["copy", "file:in.txt", "file:config.yml/absent", "--drain"], /absent/],
  [
    "a configuration to write in a folder that is not there",
    ["init", "--from", "file:a", "--to", "null:", "--out", "absent/c.yml"],
    /absent\/c\.yml cannot be written: ENOENT: no such file or directory$/m,
  ],
  ["a schema to write in a file", ["schema", "--out", "config.yml/absent"], /cannot be written: E[A-Z]+: [^']*$/m],
])("%s is told in one set of words", async (_, args, message) => {
  folder.write("config.yml", ROUTE);
  folder.write("folder/x", "");
  folder.write("in.txt", "1\n");
  const { code, stderr } = await folder.mqb(args);
  expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
  saidOnce(stderr);
});

it("an address that is taken is told in one set of words", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => other.once("listening", resolve));
  const { port } = other.address() as { port: number };
  folder.write("config.yml", ROUTE);
  const { code, stderr } = await folder.mqb(["run", "--metrics-addr", `127.0.0.1:${port}`]);
  other.close();
  expect([code, stderr]).toEqual([1, expect.stringMatching(/is taken by another process$/m)]);
  saidOnce(stderr);
});

function saidOnce(stderr: string): void {
  const errors = stderr.split("\n").filter((line) => line.startsWith("error"));
  expect(errors).not.toEqual([]);
  for (const line of errors)
    for (const part of PARTS) expect((line.match(part) ?? []).length, `${part} in ${line}`).toBeLessThanOrEqual(1);
}
