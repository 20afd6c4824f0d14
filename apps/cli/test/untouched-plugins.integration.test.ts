import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { buildCli } from "./support/cli.ts";
import { folderPerTest, ROUTE } from "./support/folder.ts";

beforeAll(buildCli);
const folder = folderPerTest();

/** A project with forty plugins, each of which breaks the command when it is imported. */
beforeEach(() => {
  const names = Array.from({ length: 40 }, (_, i) => `mqb-plugin-fake-${i}`);
  folder.write("package.json", JSON.stringify({ dependencies: Object.fromEntries(names.map((name) => [name, "1"])) }));
  for (const [i, name] of names.entries()) {
    const mqb = { apiVersion: 1, endpoints: [`fake_${i}`], middlewares: [`fake_middle_${i}`], schemes: [`fake-${i}`] };
    folder.write(`node_modules/${name}/package.json`, JSON.stringify({ name, main: "index.js", type: "module", mqb }));
    folder.write(`node_modules/${name}/index.js`, 'process.stderr.write("IMPORTED"); process.exit(99);');
  }
  folder.write("config.yml", ROUTE);
  folder.write("in.jsonl", "");
});

describe("with forty plugins installed, none is imported by", () => {
  it.each([
    [["--version"]],
    [["--help"]],
    [["help", "copy"]],
    [["plugins", "info", "--help"]],
    [["completion", "bash"]],
    [["completion", "zsh"]],
    [["completion", "fish"]],
    [["plugins", "list"]],
    [["check"]],
    [["explain"]],
    [["doctor"]],
    [["copy", "file:in.jsonl", "null:", "--drain"]],
  ])("mqb %j", async (args) => {
    const { code, stderr } = await folder.mqb(args);
    expect([code, stderr]).toEqual([0, ""]);
  });

  it("but the one that a configuration names", async () => {
    folder.write("config.yml", ROUTE.replace("file: { path: out.jsonl }", "fake_7: {}"));
    expect(await folder.mqb(["check"])).toMatchObject({ code: 99, stderr: "IMPORTED" });
  });
});
