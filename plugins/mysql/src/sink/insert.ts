import { type InsertPlan, type PreparedInsert, sqlErrors, type TableInfo } from "@mqb/sql";
import { isOfStatement } from "../client/classify.ts";
import type { MysqlPool } from "../client/pool.ts";
import type { Session } from "../client/session.ts";
import { bytesLiteral, quoteName, textLiteral } from "../literal.ts";
import { columnEncoder, tokenEncoder } from "../types.ts";
import { filled, fits, type Repeated, statementsOf, withMarks } from "./statement.ts";

type TemplatePlan = Extract<InsertPlan, { readonly kind: "template" }>;
type ColumnsPlan = Extract<InsertPlan, { readonly kind: "columns" }>;

const binding: Pick<PreparedInsert, "text" | "bytes"> = {
  text: (_value, text) => textLiteral(text),
  bytes: (_value, bytes) => bytesLiteral(bytes),
};

export async function prepareTemplate(pool: MysqlPool, plan: TemplatePlan): Promise<PreparedInsert> {
  await understood(pool, withMarks(plan.whole), plan.values, "insert_query");
  const encoders = new Array<typeof tokenEncoder>(plan.values).fill(tokenEncoder);
  const { whole, repeated } = plan;
  if (repeated) return { ...binding, encoders, execute: executeMany(pool, repeated) };
  return {
    ...binding,
    encoders,
    execute: (rows, signal) =>
      run(
        pool,
        (session) => rows.map((row) => fits(filled(whole, row), session, pool.target)),
        rows.length > 1,
        signal,
      ),
  };
}

/** `keys`: the unique keys of the table. */
export function prepareColumns(
  pool: MysqlPool,
  { table, columns, key }: ColumnsPlan,
  keys: TableInfo["uniqueKeys"],
): PreparedInsert {
  const names = columns.map(({ name }) => quoteName(name));
  const repeated: Repeated = {
    head: `INSERT INTO ${table} (${names.join(", ")}) VALUES `,
    row: columns.flatMap((_, i): (string | number)[] => [i === 0 ? "(" : ",", i]).concat(")"),
    tail: key.length === 0 ? "" : ` ON DUPLICATE KEY UPDATE ${updates(columns, key, keys.length > 1)}`,
  };
  return { ...binding, encoders: columns.map(columnEncoder), execute: executeMany(pool, repeated) };
}

/**
 * What the record has; other columns keep what they have. The server updates the row that any unique key meets: with
 * several of them, one of another key is refused, not written over.
 */
function updates(columns: ColumnsPlan["columns"], key: readonly string[], isGuarded: boolean): string {
  const own = key.map((name) => {
    const column = quoteName(name);
    const same = `${column} <=> VALUES(${column})`;
    return isGuarded ? `${column} = IF(${same}, ${column}, ${ANOTHER_KEY})` : `${column} = ${column}`;
  });
  const others = columns
    .filter(({ name }) => !key.includes(name))
    .map(({ name }) => `${quoteName(name)} = VALUES(${quoteName(name)})`);
  return [...(isGuarded || others.length === 0 ? own : []), ...others].join(", ");
}

/** Evaluated only where it stands for a row: then the statement fails. */
const ANOTHER_KEY = "(SELECT 1 UNION ALL SELECT 2)";
const SEVERAL_ROWS = 1242;

function executeMany(pool: MysqlPool, repeated: Repeated): PreparedInsert["execute"] {
  return async (rows, signal) => {
    try {
      await run(pool, (session) => statementsOf(repeated, rows, session, pool.target), false, signal);
    } catch (error) {
      const cause = (error as { readonly cause?: { readonly errno?: unknown } }).cause;
      if (cause?.errno !== SEVERAL_ROWS || !repeated.tail.includes(ANOTHER_KEY)) throw error;
      const reason = "another row has the values of this one in a unique key other than the one in key";
      throw sqlErrors.REFUSED({ target: pool.target, reason }, { cause });
    }
  };
}

/** All statements or none. */
function run(
  pool: MysqlPool,
  statementsFor: (session: Session) => readonly string[],
  isSeveral: boolean,
  signal: AbortSignal,
): Promise<void> {
  if (isSeveral) return pool.transaction((session) => runAll(session, statementsFor(session)), signal);
  return pool.use(async (session) => {
    const statements = statementsFor(session);
    if (statements.length === 1) await session.query(statements[0]!);
    else await inTransaction(session, () => runAll(session, statements));
  }, signal);
}

async function runAll(session: Session, statements: readonly string[]): Promise<void> {
  for (const sql of statements) await session.query(sql);
}

async function inTransaction(session: Session, work: () => Promise<void>): Promise<void> {
  await session.query("START TRANSACTION");
  try {
    await work();
  } catch (error) {
    await session.query("ROLLBACK").catch((lost: Error) => {
      session.lost ??= lost;
    });
    throw error;
  }
  await session.query("COMMIT");
}

/** What the server does not understand is found at the start. Gives what it makes of the statement. */
export async function understood(
  pool: MysqlPool,
  sql: string,
  values: number,
  field: string,
): ReturnType<Session["prepare"]> {
  return pool.use(async (session) => {
    let prepared: Awaited<ReturnType<Session["prepare"]>>;
    try {
      prepared = await session.prepare(sql);
    } catch (cause) {
      if (!isOfStatement(cause)) throw cause;
      throw sqlErrors.STATEMENT({ field, reason: (cause as Error).message }, { cause });
    }
    if (prepared.parameters === values) return prepared;
    throw sqlErrors.STATEMENT({ field, reason: "it holds a question mark, where only tokens are values" });
  });
}
