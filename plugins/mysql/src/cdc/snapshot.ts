import { describe } from "../catalog.ts";
import type { Session } from "../client/session.ts";
import { errors } from "../errors.ts";
import type { BackfillTable } from "./backfill/backfill-consumer.ts";
import { endAt, endOfLog, type LogEnd } from "./server.ts";
import type { Wanted } from "./tables.ts";

const LASTING_S = 31_536_000;

/** The tables, with what reading their rows needs. Throws for one that cannot be read in the order of a key. */
export async function backfillTables(
  session: Session,
  { now }: Wanted,
  consume: string,
  target: string,
): Promise<BackfillTable[]> {
  if (now.length === 0) throw errors.NO_TABLES({ target, consume });
  const tables: BackfillTable[] = [];
  for (const { schema, table } of now) {
    const described = await describe(session, { schema, table, written: table });
    if (!described) throw errors.NO_TABLE({ table: `${schema}.${table}`, target });
    const columns = await primaryKey(session, described.sql);
    const [key, ...more] = columns;
    if (key === undefined || more.length > 0) throw errors.TABLE_KEY({ table: `${schema}.${table}`, columns, consume });
    tables.push({ schema, table, key, described });
  }
  return tables;
}

async function primaryKey(session: Session, sql: string): Promise<string[]> {
  const { rows, fields } = await session.query(`SHOW INDEX FROM ${sql} WHERE Key_name = 'PRIMARY'`);
  const at = (name: string): number => fields.findIndex((field) => field.name.toLowerCase() === name);
  const [column, part] = [at("column_name"), at("sub_part")];
  // One over the beginning of a value gives no order of rows.
  return rows.every((row) => row[part] === null) ? rows.map((row) => String(row[column])) : [];
}

/**
 * Begins a transaction that sees one state of all tables, and says where in the log that is. MariaDB knows it to the byte.
 * MySQL tells where the log ended just before: what was committed in between is in the rows, and comes once more as changes.
 */
export async function beginSnapshot(session: Session): Promise<LogEnd> {
  const before = await endOfLog(session);
  // Nobody ends what waits for a slow sink.
  const patience = session.isMariaDb
    ? ", @@SESSION.idle_transaction_timeout = 0, @@SESSION.idle_readonly_transaction_timeout = 0, @@SESSION.max_statement_time = 0"
    : ", @@SESSION.max_execution_time = 0";
  await session.query(`SET @@SESSION.wait_timeout = ${LASTING_S}${patience}`);
  await session.query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
  await session.query("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY");
  if (!session.isMariaDb) return before;
  const { rows } = await session.query("SHOW STATUS LIKE 'binlog_snapshot_%'");
  const of = (name: string): string | undefined => {
    const found = rows.find(([one]) => String(one).toLowerCase() === name);
    return found && String(found[1]);
  };
  const [file, byte] = [of("binlog_snapshot_file"), of("binlog_snapshot_position")];
  return file && byte ? endAt(file, byte) : before;
}
