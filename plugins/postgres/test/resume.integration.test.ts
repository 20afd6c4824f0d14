import { execFileSync, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { randomFrom, runBrokenOff, TempDir } from "@mqb/testkit";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { dropSlots } from "./cdc/slots.ts";
import { freshDatabase, freshName, sql } from "./server.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const CLI = `${ROOT}/apps/cli/dist/mqb.cjs`;
/** How often each copy is broken off; the long form is MQB_TEST_INTERRUPTIONS=20. */
const INTERRUPTIONS = Number(process.env["MQB_TEST_INTERRUPTIONS"] ?? "4");
const ROWS = 20_000;
const SEED = 20_251;
const BATCH = 100;
/** One batch on its way to the sink, and those that are there while their position is written. */
const IN_FLIGHT = 4 * BATCH;
/** Rows of one transaction. */
const TOGETHER = 500;
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
  await dropSlots(database.url);
  await database.drop();
  await dir.remove();
});

/** A sink that takes a row twice, if it is given twice, and tells. */
const SINK = `CREATE TABLE sink (id bigint PRIMARY KEY, text text); CREATE TABLE writes (id bigint);
  CREATE FUNCTION written() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO writes VALUES (new.id); RETURN NULL; END';
  CREATE TRIGGER written AFTER INSERT OR UPDATE ON sink FOR EACH ROW EXECUTE FUNCTION written()`;

/**
 * What was in flight may be written again, as the same row, `inFlight` rows at most for each time that it was broken off.
 * `times`: how often a row comes without that, as SQL over its id.
 */
async function expectOnce(inFlight: number, times = "1"): Promise<void> {
  expect(await sql("SELECT * FROM source EXCEPT SELECT * FROM sink", database.url)).toEqual([]);
  expect(await sql("SELECT count(*) FROM sink", database.url)).toEqual([[String(ROWS)]]);
  const perRow = "SELECT id, count(*) AS n FROM writes GROUP BY id";
  const again = `SELECT coalesce(sum(n - ${times}), 0) FROM (${perRow}) AS w WHERE n > ${times}`;
  const [[more]] = (await sql(again, database.url)) as [[string]];
  expect(Number(more)).toBeLessThanOrEqual(INTERRUPTIONS * inFlight);
}

/** Breaks a copy off again and again, by SIGKILL and by SIGTERM, at a moment after its first batch; then lets it end. */
async function brokenOff(
  source: string,
  target: string,
  progress: () => Promise<number>,
  before?: (run: number) => Promise<void>,
): Promise<void> {
  const plugins = ["postgres", "sqlite"].flatMap((name) => ["--plugin", `${ROOT}/plugins/${name}`]);
  const flags = ["--drain", "--resume", "--concurrency", "1", "--batch-size", `${BATCH}`, ...plugins];
  const broken = await runBrokenOff({
    args: [CLI, "copy", source, `${target}|delay?delay_ms=20`, ...flags],
    ...{ cwd: dir.path, env: { HOME: dir.path } },
    ...{ times: INTERRUPTIONS, random: randomFrom(SEED), progress, ...(before && { before }) },
  });
  expect(broken).toBeGreaterThan(INTERRUPTIONS / 2);
}

const MINUTES = 60_000 + 60_000 * INTERRUPTIONS;

describe("a copy that is broken off at random and resumed", () => {
  it(
    "brings each row from table to table once",
    async () => {
      await sql(
        `CREATE TABLE source (id bigint PRIMARY KEY, text text); ${SINK};
         INSERT INTO source SELECT i, 'row ' || i FROM generate_series(1, ${ROWS}) AS s(i)`,
        database.url,
      );
      const at = (table: string, query: string) => `${database.url}?table=${table}&${query}`;
      const written = async () => Number((await sql("SELECT coalesce(max(id), 0) FROM sink", database.url))[0]![0]);
      await brokenOff(at("source", "cursor_column=id"), at("sink", "columns=auto&key=id"), written);
      await expectOnce(IN_FLIGHT);
    },
    MINUTES,
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
      await brokenOff(source, `sqlite://${path}?table=sink&columns=auto&key=id`, written);
      expect(sqlite("SELECT count(*), min(id), max(id), count(DISTINCT text) FROM sink")).toBe(
        `${ROWS}|1|${ROWS}|${ROWS}`,
      );
    },
    MINUTES,
  );

  it(
    "brings each row that was there once, and each that came meanwhile as a row or a change, or as both",
    async () => {
      await sql(
        `CREATE TABLE source (id bigint PRIMARY KEY, text text); ${SINK};
         CREATE PUBLICATION rows FOR TABLE source;
         INSERT INTO source SELECT i, 'row ' || i FROM generate_series(1, ${ROWS / 2}) AS s(i)`,
        database.url,
      );
      const written = async () => Number((await sql("SELECT count(*) FROM sink", database.url))[0]![0]);
      // From the second run on the slot is there: these come as changes.
      const change = async (run: number): Promise<void> => {
        if (run !== 1) return;
        for (let from = ROWS / 2; from < ROWS; from += TOGETHER)
          await sql(
            `INSERT INTO source SELECT i, 'row ' || i FROM generate_series(${from + 1}, ${from + TOGETHER}) AS s(i)`,
            database.url,
          );
      };
      const slot = `slot_name=${freshName("mqb_resume")}&checkpoint_store=file://${dir.file("position.json")}`;
      const query = `publication=rows&consume=capture_all&${slot}`;
      const source = `${database.url.replace(/^postgres/, "postgres-cdc")}?${query}`;
      await brokenOff(source, `${database.url}?table=sink&columns=auto&key=id`, written, change);
      // The rest of a table is read as it is then: of what came meanwhile the row, and later the change.
      await expectOnce(IN_FLIGHT + TOGETHER, `(CASE WHEN id > ${ROWS / 2} THEN 2 ELSE 1 END)`);
    },
    MINUTES,
  );
});
