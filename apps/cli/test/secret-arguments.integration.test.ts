import { beforeAll, describe, expect, it } from "vitest";
import { buildCli, runCli } from "./support/cli.ts";
import { folderPerTest } from "./support/folder.ts";

beforeAll(buildCli);
const scratch = folderPerTest();

describe("a secret in an argument", () => {
  it.each([
    ["a configuration that is a URL", ["run", "-c", "https://u:hunter22@h/conf.yml"], {}],
    ["a configuration that is a URL, with a short password", ["run", "-c", "https://u:h9@h/conf.yml"], {}],
    ["a connection string", ["copy", "Server=x;Password=hunter22", "null:"], {}],
    ["a connection string with the password first", ["copy", "null:", "Password=hunter22;Server=x"], {}],
    ["the name of a topic", ["copy", "-?format=raw", "memory://user:hunter22@x"], { stdin: "a\n" }],
    ["an unknown scheme", ["copy", "nosuch://u:hunter22@h", "null:"], {}],
    ["an unknown command", ["https://u:hunter22@h"], {}],
  ])("is not shown: %s", async (_, args, given) => {
    const { stdout, stderr } = await runCli(args, { cwd: scratch.path, ...given });
    expect(stderr).not.toBe("");
    expect(stdout + stderr).not.toMatch(/hunter22|h9/);
  });
});
