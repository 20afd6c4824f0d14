import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { randomFrom, runBrokenOff, TempDir } from "@mqb/testkit";
import { afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { sql } from "./ends.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
/** How often the copy is broken off; the long form is MQB_TEST_INTERRUPTIONS=20. */
const INTERRUPTIONS = Number(process.env["MQB_TEST_INTERRUPTIONS"] ?? "4");
const ROWS = 20_000;
const SEED = 20_252;

let dir: TempDir;
beforeAll(() => void execFileSync(process.execPath, [`${ROOT}/apps/cli/scripts/bundle.mjs`]));
beforeEach(async () => {
  dir = await TempDir.make();
});
afterEach(() => dir.remove());

it(
  "a copy that is broken off at random and resumed brings each row from SQLite to SQLite once",
  async () => {
    const [from, to] = [dir.file("from.db"), dir.file("to.db")];
    const wal = "PRAGMA journal_mode = WAL";
    await sql(
      from,
      wal,
      "CREATE TABLE source (id INTEGER PRIMARY KEY, text TEXT)",
      `INSERT INTO source WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < ${ROWS}) SELECT i, 'row ' || i FROM s`,
    );
    // Takes a row twice, if it is given twice.
    await sql(to, wal, "CREATE TABLE sink (id INTEGER PRIMARY KEY, text TEXT)");
    await sql(to, "CREATE TABLE times (id INTEGER, text TEXT)");
    await sql(
      to,
      "CREATE TRIGGER again AFTER INSERT ON sink BEGIN INSERT INTO times VALUES (new.id, new.text); END",
      "CREATE TRIGGER changed AFTER UPDATE ON sink BEGIN INSERT INTO times VALUES (new.id, new.text); END",
    );
    const source = `sqlite://${from}?table=source&cursor_column=id`;
    const target = `sqlite://${to}?table=sink&columns=auto&key=id|delay?delay_ms=20`;
    const flags = [
      "--drain",
      "--resume",
      "--concurrency",
      "1",
      "--batch-size",
      "100",
      "--plugin",
      `${ROOT}/plugins/sqlite`,
    ];
    const broken = await runBrokenOff({
      args: [`${ROOT}/apps/cli/dist/mqb.cjs`, "copy", source, target, ...flags],
      cwd: dir.path,
      env: { HOME: dir.path },
      times: INTERRUPTIONS,
      random: randomFrom(SEED),
      progress: async () => Number((await sql(to, "SELECT coalesce(max(id), 0) FROM sink"))[0]![0]),
    });
    expect(broken).toBeGreaterThan(INTERRUPTIONS / 2);
    expect(await sql(to, "SELECT count(*), min(id), max(id), count(DISTINCT text) FROM sink")).toEqual([
      [BigInt(ROWS), 1n, BigInt(ROWS), BigInt(ROWS)],
    ]);
    expect(await sql(to, "SELECT count(*) FROM sink WHERE text <> 'row ' || id")).toEqual([[0n]]);
    // What was in flight may be written again, as the same row: a batch, and those there while their position is written.
    const [[times]] = (await sql(to, "SELECT count(*) FROM times")) as [[bigint]];
    expect(Number(times) - ROWS).toBeLessThanOrEqual(broken * 100 * 4);
  },
  60_000 + 60_000 * INTERRUPTIONS,
);
