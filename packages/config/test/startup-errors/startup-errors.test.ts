import { readFileSync } from "node:fs";
import type { Registry } from "@mqb/core";
import { describe, expect, it } from "vitest";
import { checkConfiguration, loadConfiguration, renderProblem } from "../../src/index.ts";
import { registryWithStubs } from "../stubs/registry.ts";
import { isHere, workspacePlugins } from "../stubs/workspace.ts";
import { type Row, readRows } from "./row.ts";

const DEFAULTS = { concurrency: 1, batch_size: 1024 };

const rows = readRows();
const plugins = workspacePlugins();
// To load every plugin takes its time, which is not that of the first test.
const registries = new Map<string, Promise<Registry>>([["", Promise.resolve(await registryWithStubs())]]);

/** One line for every problem, by level. */
async function problemsOf({ document, without }: Pick<Row, "document" | "without">) {
  const key = without.join();
  const registry = registries.get(key) ?? registryWithStubs(without);
  registries.set(key, registry);
  const source = { name: "mqb.yaml", text: document, format: "yaml" } as const;
  const { problems } = checkConfiguration(loadConfiguration([source], {}), await registry, DEFAULTS);
  return problems.map((problem) => ({ level: problem.level, line: renderProblem(problem) }));
}

function namesAll(line: string, names: readonly string[]): boolean {
  const lower = line.toLowerCase();
  return names.every((name) => lower.includes(name.toLowerCase()));
}

const decided = rows.filter((row) => row.needs === undefined && row.start === undefined);
const atStart = rows.filter((row) => row.start !== undefined);
const later = rows.filter((row) => row.needs !== undefined);

describe(`mistakes in a configuration: ${decided.length} that the check finds`, () => {
  it("are 318, and no two of a section have the same name", () => {
    expect(rows.length).toBe(318);
    expect(new Set(rows.map((row) => `${row.section}: ${row.what}`)).size).toBe(318);
  });

  it.each(decided)("$section: $what", async (row) => {
    const problems = await problemsOf(row);
    const meant = problems.filter(({ level, line }) => level === row.level && namesAll(line, row.names));
    expect(meant, `${row.level} naming ${row.names.join(", ")} in\n${JSON.stringify(problems, null, 1)}`).not.toEqual(
      [],
    );
    if (row.level !== "error") expect(problems.filter(({ level }) => level === "error")).toEqual([]);
    for (const secret of row.never) expect(JSON.stringify(problems)).not.toContain(secret);
  });
});

describe(`${atStart.length} mistakes that only the start of a route can find`, () => {
  it.each(atStart)("$what: shown by $start", ({ start, names }) => {
    const test = readFileSync(new URL(`../../../../${start}`, import.meta.url), "utf8");
    for (const name of names) expect(test).toContain(name);
  });
});

describe(`${later.length} mistakes that nothing here can find yet`, () => {
  const waiting = [...new Set(later.map((row) => row.needs!))].sort();
  it.each(waiting)("wait for %s: take `needs` off their rows when that is here", (needs) => {
    expect(isHere(needs, plugins)).toBe(false);
  });
});
