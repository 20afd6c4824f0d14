import { execFileSync, spawnSync } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { integer, randomFrom, runProcess, TempDir } from "@mqb/testkit";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { freshDatabase, sql } from "./server.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const CLI = `${ROOT}/apps/cli/dist/mqb.cjs`;
/** How often each copy is broken off; the long form is MQB_TEST_INTERRUPTIONS=20. */
const INTERRUPTIONS = Number(process.env["MQB_TEST_INTERRUPTIONS"] ?? "4");
const ROWS = 20_000;
const SEED = 20_251;
/** A client that has nothing to do with mqb looks into the file. */
const HAS_SQLITE = spawnSync("sqlite3", ["-version"]).status === 0;

let dir: TempDir;
let database: Awaited<ReturnType<typeof freshDatabase>>;
beforeAll(() => void execFileSync(process.execPath, [`${ROOT}/apps/cli/scripts/bundle.mjs`]));
beforeEach(async () => {
  dir = await TempDir.make();
  database = await freshDatabase();
});
afterEach(async () => {
  await database.drop();
  await dir.remove();
});

/** Breaks a copy off again and again, by SIGKILL and by SIGTERM, at a moment after its first batch; then lets it end. */
async function brokenOff(source: string, target: string, written: () => Promise<number>): Promise<number> {
  const random = randomFrom(SEED);
  const plugins = ["postgres", "sqlite"].flatMap((name) => ["--plugin", `${ROOT}/plugins/${name}`]);
  const args = [
    CLI,
    "copy",
    source,
    `${target}|delay?delay_ms=3`,
    "--drain",
    "--resume",
    "--batch-size",
    "100",
    ...plugins,
  ];
  let broken = 0;
  for (let round = 0; ; round++) {
    const before = await written();
    await using copy = runProcess({ args, cwd: dir.path, env: { HOME: dir.path } });
    let ended = false;
    const end = copy.ended.finally(() => {
      ended = true;
    });
    if (round < INTERRUPTIONS) {
      // With a pause each time: a client that is waited for lets nothing else happen, also not the end of the copy.
      do await pause(5);
      while (!ended && (await written()) === before);
      await pause(integer(random, 0, 60));
      if (!ended) await copy.kill(random() < 0.5 ? "SIGKILL" : "SIGTERM");
    }
    const { code } = await end;
    if (code !== 0) broken++;
    else if (round >= INTERRUPTIONS) return broken;
  }
}

describe("a copy that is broken off at random and resumed", () => {
  it(
    "brings each row from table to table once",
    async () => {
      const columns = "id bigint PRIMARY KEY, text text";
      await sql(
        `CREATE TABLE source (${columns}); CREATE TABLE sink (${columns}); 
         INSERT INTO source SELECT i, 'row ' || i FROM generate_series(1, ${ROWS}) AS s(i)`,
        database.url,
      );
      const at = (table: string, query: string) => `${database.url}?table=${table}&${query}`;
      const written = async () => Number((await sql("SELECT coalesce(max(id), 0) FROM sink", database.url))[0]![0]);
      const broken = await brokenOff(at("source", "cursor_column=id"), at("sink", "columns=auto&key=id"), written);
      expect(broken).toBeGreaterThan(INTERRUPTIONS / 2);
      expect(await sql("SELECT * FROM source EXCEPT SELECT * FROM sink", database.url)).toEqual([]);
      expect(await sql("SELECT count(*) FROM sink", database.url)).toEqual([[String(ROWS)]]);
    },
    60_000 + 60_000 * INTERRUPTIONS,
  );

  it.skipIf(!HAS_SQLITE)(
    "brings each row from PostgreSQL to SQLite once",
    async () => {
      await sql(
        `CREATE TABLE source (id bigint PRIMARY KEY, text text);
         INSERT INTO source SELECT i, 'row ' || i FROM generate_series(1, ${ROWS}) AS s(i)`,
        database.url,
      );
      const path = dir.file("sink.db");
      const sqlite = (query: string) =>
        execFileSync("sqlite3", ["-cmd", ".timeout 5000", path, query], { encoding: "utf8" }).trim();
      sqlite("PRAGMA journal_mode = WAL; CREATE TABLE sink (id INTEGER PRIMARY KEY, text TEXT)");
      const written = async () => Number(sqlite("SELECT coalesce(max(id), 0) FROM sink"));
      const source = `${database.url}?table=source&cursor_column=id`;
      const broken = await brokenOff(source, `sqlite://${path}?table=sink&columns=auto&key=id`, written);
      expect(broken).toBeGreaterThan(INTERRUPTIONS / 2);
      expect(sqlite("SELECT count(*), min(id), max(id), count(DISTINCT text) FROM sink")).toBe(
        `${ROWS}|1|${ROWS}|${ROWS}`,
      );
    },
    60_000 + 60_000 * INTERRUPTIONS,
  );
});
