import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { cp, readFile, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { createBridge, createRegistry } from "@mqb/core";
import dedup from "@mqb/dedup";
import file from "@mqb/file";
import postgres from "@mqb/postgres";
import standard from "@mqb/standard";
import { TempDir } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import plugin from "../src/index.ts";
import { freshDatabase, freshName } from "./server.ts";

/**
 * Recorded runs of the original. Where ours is meant to be different, `ours.<file>` holds what it gives, and the reason
 * stands here and in docs/compatibility.md.
 */
const DIFFERENT: Readonly<Record<string, string>> = {
  "686-mariadb-out-envelope-auto-create":
    "a payload may be longer than 64 KiB, and leases are told apart by microseconds",
  "687-mariadb-out-insert-query-text": "numbers keep the digits they are written with; a text may hold a NUL character",
  "690-mariadb-out-insert-query-decimal": "numbers keep the digits they are written with",
  "697-mariadb-cursor-every-type": "unsigned integers do not wrap",
  "699-mariadb-cursor-unsigned-text-names": "rows without a value in the cursor column are left out, as on PostgreSQL",
  "701-mariadb-cursor-bad-types": "geometries are read as their bytes",
  "702-mariadb-out-warning-truncation-row": "a value that the column refuses fails its row only",
  "703-mariadb-unsigned-cursor-max": "unsigned integers do not wrap",
};

interface Step {
  readonly client: string;
  readonly file: string;
  readonly stdout?: string;
}

interface Vector {
  readonly server: readonly string[];
  readonly routes: readonly { readonly routes: readonly string[] }[];
  readonly before?: readonly Step[];
  readonly between?: readonly Step[];
  readonly after?: readonly Step[];
  readonly outputs: Readonly<Record<string, { readonly expected: string }>>;
  readonly exit_codes: readonly number[];
}

interface Databases {
  readonly mariadb: string;
  readonly pg: string;
}

const folder = new URL("./vectors/", import.meta.url);
const registry = createRegistry([standard, file, dedup, postgres, plugin]);
const POSTGRES = process.env["MQB_TEST_POSTGRES_URL"] ?? "postgres://mqb:test-password@127.0.0.1:25432/postgres";

async function client({ client: name, file: path }: Step, databases: Databases, dir: string): Promise<string> {
  const run = (command: string, args: readonly string[]): Promise<{ stdout: string }> =>
    promisify(execFile)(command, [...args], { cwd: dir, env: { ...process.env, MYSQL_PWD: "" } });
  if (name === "pg") {
    const { stdout } = await run("psql", ["-X", "-q", "-At", "-v", "ON_ERROR_STOP=1", "-f", path, databases.pg]);
    return stdout;
  }
  const { hostname, port, username, password, pathname } = new URL(databases.mariadb);
  const login = ["--no-defaults", "--protocol=tcp", `-h${hostname}`, `-P${port}`, `-u${username}`, `-p${password}`];
  const options = [...login, "--default-character-set=utf8mb4", "-N", "-B", "--binary-as-hex", pathname.slice(1)];
  const { stdout } = await run("mariadb", [...options, "-e", readFileSync(`${dir}/${path}`, "utf8")]);
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

async function databasesFor({ server }: Vector): Promise<Databases & { drop(): Promise<void> }> {
  const database = await freshDatabase();
  if (!server.includes("postgres")) return { mariadb: database.url, pg: "", drop: () => database.drop() };
  const name = freshName("mqb_test");
  const psql = (sql: string): Promise<unknown> => promisify(execFile)("psql", ["-X", "-q", "-c", sql, POSTGRES]);
  await psql(`CREATE DATABASE ${name}`);
  const pg = new URL(POSTGRES);
  pg.pathname = `/${name}`;
  const drop = async (): Promise<void> => {
    await database.drop();
    await psql(`DROP DATABASE ${name} WITH (FORCE)`);
  };
  return { mariadb: database.url, pg: pg.href, drop };
}

async function run(name: string): Promise<void> {
  await using dir = await TempDir.make();
  await cp(new URL(`${name}/`, folder), dir.path, { recursive: true });
  const vector = JSON.parse(await dir.read("vector.json")) as Vector;
  const databases = await databasesFor(vector);
  try {
    const own = existsSync(dir.file("ours.json")) ? await dir.read("ours.json") : "{}";
    const exitCodes = (JSON.parse(own) as Partial<Vector>).exit_codes ?? vector.exit_codes;
    const config = (await dir.read("config.yaml"))
      .replaceAll("@MY@", databases.mariadb)
      .replaceAll("@PG@", databases.pg)
      .replaceAll("@W@", dir.path);
    const routes = parse(config) as Readonly<Record<string, unknown>>;
    for (const step of vector.before ?? []) await client(step, databases, dir.path);
    for (const [n, { routes: names }] of vector.routes.entries()) {
      if (n === 1) for (const step of vector.between ?? []) await client(step, databases, dir.path);
      const bridge = createBridge({ registry, baseDir: dir.path });
      for (const route of names) {
        const running = bridge.route(route, routes[route]);
        const outcome = await running.start().then(
          async () => (await running.done).outcome,
          () => "failed",
        );
        expect(outcome, `route ${route}`).toBe(exitCodes[n] === 0 ? "completed" : "failed");
      }
      await bridge.stop();
    }
    for (const step of vector.after ?? []) {
      const dump = await client(step, databases, dir.path);
      if (step.stdout !== undefined) await writeFile(dir.file(step.stdout), dump);
    }
    for (const [output, { expected }] of Object.entries(vector.outputs)) {
      const got = existsSync(dir.file(output)) ? await readFile(dir.file(output), "utf8") : "";
      const ours = new URL(`${name}/ours.${output}`, folder);
      const wanted = existsSync(ours) ? readFileSync(ours, "utf8") : await dir.read(expected);
      expect(comparable(got, output), output).toEqual(comparable(wanted, output));
    }
  } finally {
    await databases.drop();
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
