import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseCommandLine } from "../src/args/parse.ts";
import { COMMANDS, PROGRAM } from "../src/commands.ts";
import { readConfiguration } from "../src/run/sources.ts";
import { scratchFolder } from "./support/cli.ts";

let folder: ReturnType<typeof scratchFolder>;
const text = (level: string, file = "x"): string => `log_level: ${level}\nr: {input: {file: {path: ${file}}}}\n`;

beforeAll(() => {
  folder = scratchFolder();
  mkdirSync(join(folder.path, "other"));
  writeFileSync(join(folder.path, "main.yml"), text("main"));
  writeFileSync(join(folder.path, "other/init.yml"), text("init"));
});
afterAll(() => folder.remove());

async function read(argv: readonly string[], environment: Record<string, string> = {}) {
  const { args } = parseCommandLine(["run", ...argv], PROGRAM, COMMANDS);
  const { configuration, folder: from, name } = await readConfiguration(args, folder.path, environment);
  return { level: configuration.settings.logLevel, from, name, sources: configuration.sources.map((one) => one.name) };
}

describe("what a configuration is read from", () => {
  it("is the file, and not what stands in for it, while the file exists", async () => {
    const both = await read(["-c", "main.yml", "-i", "other/init.yml", "--init-config-str", text("string")]);
    expect(both).toMatchObject({ level: "main", name: "main.yml", from: folder.path, sources: ["main.yml"] });
  });

  it("is the initial file, then the initial text, while there is no file, though one was asked for", async () => {
    expect(await read(["-c", "gone.yml", "-i", "other/init.yml", "--init-config-str", text("string")])).toMatchObject({
      level: "init",
      name: "other/init.yml",
      from: join(folder.path, "other"),
    });
    expect(await read(["-c", "gone.yml", "--init-config-str", text("string")])).toMatchObject({
      level: "string",
      name: "--init-config-str",
      from: folder.path,
    });
  });

  it("may be named by variables; a flag goes before its variable, and a path before a text", async () => {
    const environment = { CONFIG_FILE: "gone.yml", INIT_CONFIG_FILE: "other/init.yml", INIT_CONFIG_STRING: text("s") };
    expect(await read([], environment)).toMatchObject({ level: "init" });
    expect(await read([], { ...environment, INIT_CONFIG_FILE: "" })).toMatchObject({
      level: "s",
      name: "INIT_CONFIG_STRING",
    });
    expect(await read(["-c", "main.yml"], environment)).toMatchObject({ level: "main" });
  });

  it("has the text over it, and then the variables", async () => {
    const argv = ["-c", "main.yml", "--config-str", "log_level: over"];
    expect(await read(argv, { CONFIG_STRING: "log_level: never" })).toMatchObject({
      level: "over",
      sources: ["main.yml", "--config-str"],
    });
    expect(await read(["-c", "main.yml"], { CONFIG_STRING: "log_level: variable" })).toMatchObject({
      level: "variable",
      sources: ["main.yml", "CONFIG_STRING"],
    });
    expect(await read(argv, { MQB__LOG_LEVEL: "last" })).toMatchObject({
      level: "last",
      sources: ["main.yml", "--config-str", "MQB__LOG_LEVEL"],
    });
  });

  it("is missed by its name when it was asked for and nothing stands in for it", async () => {
    await expect(read(["-c", "gone.yml"])).rejects.toThrow(/gone\.yml: there is no such file/);
    await expect(read(["-c", "gone.yml", "-i", "gone-too.yml"])).rejects.toThrow(/gone-too\.yml/);
    expect(await read(["-c", "gone.yml", "--config-str", text("text")])).toMatchObject({ level: "text" });
    expect(await read([])).toMatchObject({ level: "info", sources: [] });
  });
});
