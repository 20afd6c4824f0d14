import { existsSync, readdirSync } from "node:fs";
import { cp, readFile } from "node:fs/promises";
import aggregate from "@mqb/aggregate";
import { createBridge, createRegistry } from "@mqb/core";
import dedup from "@mqb/dedup";
import expression from "@mqb/expression";
import file from "@mqb/file";
import lookup from "@mqb/lookup";
import standard from "@mqb/standard";
import { TempDir } from "@mqb/testkit";
import transform from "@mqb/transform";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { loadProvider } from "../src/client/provider.ts";
import plugin from "../src/index.ts";

/** Recorded runs of the original. */
const folder = new URL("./vectors/", import.meta.url);
const registry = createRegistry([standard, file, lookup, transform, expression, aggregate, dedup, plugin]);

interface Vector {
  readonly outputs: Readonly<Record<string, { readonly expected: string; readonly normalised?: string }>>;
  readonly exit_code: number;
}

/** Tables with their statements, and each value with its type; `sql` is what makes a database, else it is the path of one. */
async function contents(path: string, sql?: string): Promise<unknown> {
  const { DatabaseSync } = await loadProvider();
  const database = new DatabaseSync(path, {});
  if (sql !== undefined) database.exec(sql);
  const all = (query: string): unknown[][] => {
    const prepared = database.prepare(query);
    prepared.setReadBigInts(true);
    prepared.setReturnArrays(true);
    return prepared.all() as unknown[][];
  };
  const tables = all(
    "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name",
  );
  const found = tables.map(([name, statement]) => ({
    name,
    statement,
    rows: all(`SELECT * FROM "${String(name)}"`).map(shown),
  }));
  database.close();
  return found;
}

function shown(row: unknown[]): unknown[] {
  return row.map((value) => {
    const text = value instanceof Uint8Array ? Buffer.from(value).toString("hex") : String(value);
    return `${typeof value} ${masked(text)}`;
  });
}

function masked(text: string): string {
  return text
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<UUID7>")
    .replace(/(updated_at_ms\\*":)\d+/g, "$1<MS>")
    .replace(/^1[789]\d{8}$/, "<EPOCH_S>");
}

async function run(name: string): Promise<void> {
  await using dir = await TempDir.make();
  await cp(new URL(`${name}/`, folder), dir.path, { recursive: true });
  const vector = JSON.parse(await dir.read("vector.json")) as Vector;
  const config = (await dir.read("config.yaml")).replaceAll("${W}", dir.path);
  const { routes } = parse(config) as { readonly routes: Readonly<Record<string, unknown>> };
  const outcome = await outcomeOf(routes["r"], dir.path);
  expect(outcome).toBe(vector.exit_code === 0 ? "completed" : "failed");
  for (const [output, { expected }] of Object.entries(vector.outputs)) {
    const wanted = await dir.read(expected);
    if (output !== "dump.sql") {
      const got = existsSync(dir.file(output)) ? await readFile(dir.file(output), "utf8") : "";
      expect(comparable(got, output), output).toEqual(comparable(wanted, output));
    } else {
      const database = ["cp.db", "d.db", "a.db"].find((one) => existsSync(dir.file(one))) ?? "s.db";
      // The recorder has named the route by a number of its own.
      const named = wanted.replace(/ui_collector_route_[0-9a-f]+/g, "r");
      const sql = named.replace(/^(?:DELETE FROM|INSERT INTO) "sqlite_sequence".*$/gm, "");
      expect(await contents(dir.file(database))).toEqual(await contents(":memory:", sql));
    }
  }
}

async function outcomeOf(route: unknown, baseDir: string): Promise<string> {
  try {
    const running = createBridge({ registry, baseDir }).route("r", route);
    await running.start();
    return (await running.done).outcome;
  } catch {
    return "failed";
  }
}

/** The key order of what an expression makes is another one in each run of the original. */
function comparable(text: string, name: string): unknown {
  const clean = masked(text);
  if (name.endsWith(".json")) return JSON.parse(clean.replace(/"<MS>"|<MS>/g, "0")) as unknown;
  const lines = clean.split("\n").filter((line) => line !== "");
  if (!lines.every((line) => line.startsWith('{"message_id"'))) return lines;
  return lines.map((line) => {
    const { payload, ...rest } = JSON.parse(line) as { readonly payload?: string };
    return { ...rest, payload: payload?.startsWith("{") ? (JSON.parse(payload) as unknown) : payload };
  });
}

describe("recorded runs of the original", () => {
  it.each(readdirSync(folder).sort())("%s", run);
});
