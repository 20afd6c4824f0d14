import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { cp, readFile, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import aggregate from "@mqb/aggregate";
import { createBridge, createRegistry } from "@mqb/core";
import dedup from "@mqb/dedup";
import expression from "@mqb/expression";
import file from "@mqb/file";
import lookup from "@mqb/lookup";
import standard from "@mqb/standard";
import { TempDir } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import plugin from "../src/index.ts";
import { freshDatabase } from "./server.ts";

/**
 * Recorded runs of the original. Where ours is meant to be different, `ours.<file>` holds what it gives, and the reason
 * stands here and in docs/compatibility.md.
 */
const DIFFERENT: Readonly<Record<string, string>> = {
  "603-pg-out-insert-query-typed-text-column": "numbers keep the digits they are written with",
  "605-pg-out-insert-query-bigint": "a value takes the column's type; a fraction is refused, not rounded; NULL is NULL",
  "606-pg-out-insert-query-float8": "a value takes the column's type; NULL is NULL",
  "607-pg-out-insert-query-numeric": "numbers keep the digits they are written with; NULL is NULL",
  "609-pg-out-insert-query-jsonb": "a value takes the column's type",
  "611-pg-out-on-conflict-update-same-key-in-batch": "a key that comes twice in a batch is updated twice",
  "614-pg-out-columns-auto-types": "numbers keep their digits; a JSON string in a json column is one",
  "618-pg-out-columns-auto-null-vs-missing": "the refused row takes no number of the sequence before the others",
  "622-pg-out-bulk-copy-columns-auto": "numbers keep the digits they are written with",
  "630-pg-cursor-every-type-rfc3339": "an infinite time is not null, and one before our era keeps its era",
  "635-pg-cursor-ties-too-many": "the position of what was delivered before the failure is kept",
  "643-pg-cursor-citext-column": "types of extensions are read",
  "761-aggregate-postgres": "a number that an expression gives has no zeros at its end",
  "766-pg-queue-text-payload": "a payload may be a text",
  "769-pg-lookup-upsert-returning": "numbers keep the digits they are written with",
  "770-pg-out-per-row-type-change": "one value of another type fails its row only",
  "775-pg-cursor-upper-case-column": "names of upper case are found",
  "783-pg-cursor-to-pg-columns": "bytes and JSON texts survive the way from table to table",
  "791-pg-out-null-without-cast": "NULL needs no cast",
};

interface Vector {
  readonly routes: readonly { readonly routes: readonly string[] }[];
  readonly before?: readonly { readonly file: string }[];
  readonly between?: readonly { readonly file: string }[];
  readonly after?: readonly { readonly file: string; readonly stdout?: string }[];
  readonly outputs: Readonly<Record<string, { readonly expected: string; readonly compare: string }>>;
  readonly exit_codes: readonly (number | string)[];
}

const folder = new URL("./vectors/", import.meta.url);
const registry = createRegistry([standard, file, lookup, aggregate, dedup, expression, plugin]);

async function psql(url: string, path: string): Promise<string> {
  const { stdout } = await promisify(execFile)("psql", ["-X", "-q", "-At", "-v", "ON_ERROR_STOP=1", "-f", path, url]);
  return stdout;
}

/** What differs in each run: ids, times, and the texts of errors. */
function masked(text: string): string {
  return text
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, (id) =>
      id.startsWith("01900000") ? id : "<UUID7>",
    )
    .replace(/("mq_bridge\.dlq\.timestamp_ms":)"\d+"/g, '$1"<MS>"')
    .replace(/("updated_at_ms":)\d+/g, "$1<MS>")
    .replace(/("mq_bridge\.dlq\.error":)"(?:[^"\\]|\\.)*"/g, '$1"<ERROR>"');
}

/** Metadata has another order in each run of the original. */
function comparable(text: string, name: string): unknown {
  const clean = masked(text);
  if (!name.endsWith(".jsonl")) return clean;
  const lines = clean.split("\n").filter((line) => line !== "");
  if (!lines.every((line) => line.startsWith('{"message_id"'))) return lines;
  return lines.map((line) => JSON.parse(line) as unknown);
}

async function run(name: string): Promise<void> {
  await using dir = await TempDir.make();
  const database = await freshDatabase();
  try {
    await cp(new URL(`${name}/`, folder), dir.path, { recursive: true });
    const vector = JSON.parse(await dir.read("vector.json")) as Vector;
    const own = existsSync(dir.file("ours.json")) ? await dir.read("ours.json") : "{}";
    const exitCodes = (JSON.parse(own) as Partial<Vector>).exit_codes ?? vector.exit_codes;
    const config = (await dir.read("config.yaml")).replaceAll("@PG@", database.url).replaceAll("@W@", dir.path);
    const routes = parse(config) as Readonly<Record<string, unknown>>;
    for (const step of vector.before ?? []) {
      const text = (await dir.read(step.file)).replace(
        /\b(database|c) vec\b/g,
        `$1 ${new URL(database.url).pathname.slice(1)}`,
      );
      await writeFile(dir.file(step.file), text);
      await psql(database.url, dir.file(step.file));
    }
    for (const [n, { routes: names }] of vector.routes.entries()) {
      if (n === 1) for (const step of vector.between ?? []) await psql(database.url, dir.file(step.file));
      const bridge = createBridge({ registry, baseDir: dir.path });
      for (const route of names) {
        const running = bridge.route(route, routes[route]);
        const outcome = await running.start().then(
          async () => (await running.done).outcome,
          () => "failed",
        );
        expect(outcome).toBe(exitCodes[n] === 0 ? "completed" : "failed");
      }
      await bridge.stop();
    }
    for (const step of vector.after ?? []) {
      const dump = await psql(database.url, dir.file(step.file));
      if (step.stdout !== undefined) await writeFile(dir.file(step.stdout), dump);
    }
    for (const [output, { expected }] of Object.entries(vector.outputs)) {
      const got = existsSync(dir.file(output)) ? await readFile(dir.file(output), "utf8") : "";
      const ours = new URL(`${name}/ours.${output}`, folder);
      const wanted = existsSync(ours) ? readFileSync(ours, "utf8") : await dir.read(expected);
      expect(comparable(got, output), output).toEqual(comparable(wanted, output));
    }
  } finally {
    await database.drop();
  }
}

describe("recorded runs of the original", () => {
  const names = readdirSync(folder).sort();
  it.each(names)("%s", run);

  it("have a reason wherever ours are different", () => {
    const different = names.filter((name) =>
      readdirSync(new URL(`${name}/`, folder)).some((one) => one.startsWith("ours.")),
    );
    expect(different).toEqual(Object.keys(DIFFERENT));
  });
});
