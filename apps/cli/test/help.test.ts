import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { exitsOf } from "../src/args/declare.ts";
import { helpOf, shownFlags } from "../src/args/help.ts";
import { commandReference, exitTable } from "../src/args/reference.ts";
import { COMMANDS, PROGRAM } from "../src/commands.ts";
import { EXIT, EXIT_MEANINGS, type Exit } from "../src/exit.ts";

const SHOWN = COMMANDS.filter((one) => one.refused === undefined);
const README = readFileSync(fileURLToPath(new URL("../README.md", import.meta.url)), "utf8");

/** Without the line breaks and indents that wrapping makes. */
const joined = (text: string): string => text.replace(/\s+/g, " ");

describe("the help of a command", () => {
  it.each(SHOWN.map((one) => [one.name, one] as const))("%s has everything that a manual has", (_, command) => {
    const text = helpOf(command);
    expect(text).toContain(`Usage: mqb ${command.name} [OPTIONS]`);
    for (const exit of exitsOf(command)) expect(joined(text)).toContain(`${EXIT[exit]} ${EXIT_MEANINGS[exit]}`);
    for (const { env } of shownFlags(command))
      if (env !== undefined) expect(text).toMatch(new RegExp(`^ {2}${env}\\b`, "m"));
    for (const { name, help } of command.environment ?? []) expect(joined(text)).toContain(`${name} ${help}`);
    for (const { name, help } of command.files ?? []) expect(joined(text)).toContain(`${name} ${help}`);
    for (const { command: line } of command.examples ?? []) expect(text).toContain(`\n      ${line}\n`);
    expect(command.examples?.length ?? 0).toBeGreaterThan(0);
  });

  it("says what a flag excludes, and what an argument may be", () => {
    const copy = COMMANDS.find((one) => one.name === "copy")!;
    expect(joined(helpOf(copy))).toContain("[not with --no-resume]");
    const completion = COMMANDS.find((one) => one.name === "completion")!;
    expect(joined(helpOf(completion))).toContain("[one of bash, zsh, fish]");
  });
});

describe("the reference of the command line", () => {
  const page = commandReference(PROGRAM, COMMANDS);

  it("has a section for every command, with its flags, and none for what is refused", () => {
    for (const command of SHOWN) {
      const section = page.split(`\n## mqb ${command.name}\n`)[1]?.split("\n## ")[0] ?? "";
      for (const flag of shownFlags(command)) expect(section).toMatch(new RegExp(`--${flag.name}\\b`));
      for (const { command: line } of command.examples ?? []) expect(section).toContain(line);
    }
    expect(page).not.toContain("mqb mcp");
    expect(page).not.toMatch(/--ui\b/);
  });

  it("has a row for every exit code, which the README of the command has too", () => {
    const table = exitTable(Object.keys(EXIT) as Exit[]);
    expect(page).toContain(table);
    const rows = (text: string): string[] =>
      text
        .split("\n")
        .filter((line) => /^\| *\d+ /.test(line))
        .map(joined);
    expect(rows(README)).toEqual(rows(table));
  });

  it("links to sections that are there", () => {
    for (const [, anchor] of page.matchAll(/\]\(#([\w-]+)\)/g)) {
      const titles = [...page.matchAll(/^## (.*)$/gm)].map((one) => one[1]!.toLowerCase().replaceAll(" ", "-"));
      expect(titles).toContain(anchor);
    }
  });
});
