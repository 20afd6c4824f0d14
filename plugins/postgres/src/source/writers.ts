import { type ColumnInfo, sqlErrors, type TableInfo } from "@mqb/sql";
import type pg from "pg";
import type { PostgresPool } from "../client/pool.ts";
import { rawRows } from "../raw.ts";

/**
 * The sequence that the column takes its values from: of its own, or named by its default. With how many of its numbers
 * each session takes at once.
 */
const SEQUENCE = `
SELECT s.oid::text, q.seqcache::text
FROM pg_attribute a
JOIN pg_depend d ON (d.classid = 'pg_class'::regclass AND d.refobjid = a.attrelid AND d.refobjsubid = a.attnum AND d.deptype IN ('a', 'i'))
  OR (d.classid = 'pg_attrdef'::regclass AND d.refclassid = 'pg_class'::regclass
    AND d.objid IN (SELECT f.oid FROM pg_attrdef f WHERE f.adrelid = a.attrelid AND f.adnum = a.attnum))
JOIN pg_class s ON s.oid = CASE WHEN d.classid = 'pg_class'::regclass THEN d.objid ELSE d.refobjid END AND s.relkind = 'S'
JOIN pg_sequence q ON q.seqrelid = s.oid
WHERE a.attrelid = $1::text::regclass AND a.attname = $2
LIMIT 1`;

/** Whoever has drawn a number of the sequence holds a lock on it until the end, and whoever writes to the table one on that. */
const OF_SEQUENCE = `
SELECT DISTINCT virtualtransaction FROM pg_locks
WHERE locktype = 'relation' AND granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
  AND relation IN ($1::text::oid, $2::text::regclass::oid) AND pid IS DISTINCT FROM pg_backend_pid()
  AND mode IN ('RowExclusiveLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')`;

/**
 * Every open transaction of the database: one may have taken its time, or chosen a value, and written nothing yet. A
 * transaction has the time of the message that began it, and is listed a moment later. One that is prepared has no session
 * any more, and keeps its name.
 */
const OF_DATABASE = `
SELECT l.virtualtransaction FROM pg_locks l LEFT JOIN pg_stat_activity a ON a.pid = l.pid
WHERE l.locktype = 'virtualxid' AND l.granted AND l.pid <> pg_backend_pid()
  AND (a.datid IS NULL OR a.datid = (SELECT oid FROM pg_database WHERE datname = current_database()))
  AND a.backend_type IS DISTINCT FROM 'autovacuum worker' AND a.backend_type IS DISTINCT FROM 'walsender'
UNION ALL
SELECT l.virtualtransaction FROM pg_prepared_xacts p JOIN pg_locks l ON l.transactionid = p.transaction
WHERE l.locktype = 'transactionid' AND l.granted AND l.pid IS NULL AND p.database = current_database()`;
const LISTED_AFTER = "SELECT pg_sleep(0.05)";

type Writers = (signal: AbortSignal) => Promise<ReadonlySet<string>>;

/** Finds the transactions that may still bring rows with values of this column that they have drawn already. */
export function writersOf(pool: PostgresPool, { sql }: TableInfo, column: ColumnInfo): Writers {
  let known: Promise<string | undefined> | undefined;
  return async (signal) => {
    const sequence = await (known ??= pool.use((client) => sequenceOf(client, sql, column, pool.target), signal));
    const rows = await pool.use(async (client) => {
      if (sequence !== undefined) return rawRows(client, OF_SEQUENCE, [sequence, sql]);
      await rawRows(client, LISTED_AFTER);
      return rawRows(client, OF_DATABASE);
    }, signal);
    return new Set(rows.map(([name]) => name!));
  };
}

async function sequenceOf(
  client: pg.PoolClient,
  table: string,
  column: ColumnInfo,
  target: string,
): Promise<string | undefined> {
  const refused = (reason: string): Error => sqlErrors.NOT_HERE({ field: "cursor_safety: snapshot", reason });
  const [[standby] = []] = await rawRows(client, "SELECT pg_is_in_recovery()");
  if (standby === "t") throw refused(`${target} is a standby, which does not know the transactions of its primary`);
  const [[sequence, cache] = []] = await rawRows(client, SEQUENCE, [table, column.name]);
  if (sequence == null) return undefined;
  if (cache === "1") return sequence;
  throw refused(`the sequence of ${column.name} gives each session ${cache} numbers at once; use cursor_safety: lag`);
}
