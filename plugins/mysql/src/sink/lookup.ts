import { type Bound, type PreparedLookup, type StatementPieces, sqlErrors } from "@mqb/sql";
import type { MysqlPool } from "../client/pool.ts";
import type { Field, Session } from "../client/session.ts";
import { quoteName, textLiteral } from "../literal.ts";
import { tokenEncoder } from "../types.ts";
import { understood } from "./insert.ts";
import { hasOwnLimit, isOrdered, typesDependOnValues } from "./query-shape.ts";
import { isReal, ResultJson } from "./result-json.ts";
import { filled, fits, withMarks } from "./statement.ts";

type Rows = Parameters<PreparedLookup["ask"]>[0];

/** Questions of one statement. */
const AT_ONCE = 100;

/** A query that only reads answers many at once; one that writes does it row by row, in one transaction. */
export async function prepareLookup(pool: MysqlPool, written: StatementPieces): Promise<PreparedLookup> {
  const query = withoutEnd(written);
  const values = query.filter((piece) => typeof piece === "number").length;
  const sql = withMarks(query);
  const { fields } = await understood(pool, sql, values, "lookup_query");
  if (fields.length === 0)
    throw sqlErrors.STATEMENT({ field: "lookup_query", reason: "it gives no row; a writing one needs RETURNING" });
  const encoders = new Array<typeof tokenEncoder>(values).fill(tokenEncoder);
  const pattern = await together(pool, query, fields);
  return {
    encoders,
    text: (_value, text) => textLiteral(text),
    ask: (rows, signal) =>
      pattern === undefined
        ? pool.transaction((session) => askEach(session, query, rows, pool.target), signal)
        : pool.use((session) => askTogether(session, { pattern, target: pool.target }, rows), signal),
  };
}

/**
 * The query inside another one, behind `SELECT n`: its first row, reals with all of their digits. Undefined for one that
 * writes, that cannot stand there, or whose answers are not the same beside those of other messages.
 */
async function together(
  pool: MysqlPool,
  query: StatementPieces,
  fields: readonly Field[],
): Promise<StatementPieces | undefined> {
  const sql = withMarks(query);
  const reads = /^\s*(?:select|with)\b/i.test(sql) && !/\b(?:insert|update|delete|replace|into)\b/i.test(sql);
  const names = fields.map(({ name }) => name.toLowerCase());
  if (!reads || new Set(names).size < names.length || typesDependOnValues(query)) return undefined;
  const answer = fields
    .map((field) => {
      const name = quoteName(field.name);
      return isReal(field) ? `${name} * 1e0 AS ${name}` : name;
    })
    .join(", ");
  // The order of a query inside another one counts only beside a LIMIT.
  const limited = [`, ${answer} FROM (`, ...query, "\nLIMIT 1) AS mqb_rows"];
  if (await isTaken(pool, limited)) return limited;
  if (isOrdered(query) && !hasOwnLimit(query)) return undefined;
  const whole = [`, ${answer} FROM (`, ...query, ") AS mqb_rows LIMIT 1"];
  return (await isTaken(pool, whole)) ? whole : undefined;
}

async function isTaken(pool: MysqlPool, pattern: StatementPieces): Promise<boolean> {
  try {
    await pool.use((session) => session.prepare(`SELECT 0${withMarks(pattern)}`));
    return true;
  } catch {
    return false;
  }
}

interface Together {
  readonly pattern: StatementPieces;
  readonly target: string;
}

async function askTogether(
  session: Session,
  { pattern, target }: Together,
  rows: Rows,
): Promise<(Buffer | undefined)[]> {
  const answers = new Array<Buffer | undefined>(rows.length);
  for (let from = 0; from < rows.length; from += AT_ONCE) {
    const parts = rows.slice(from, from + AT_ONCE).map((row, n) => `(SELECT ${from + n}${filled(pattern, row)})`);
    const { rows: found, fields } = await session.query(fits(parts.join(" UNION ALL "), session, target));
    const json = new ResultJson(fields.slice(1));
    for (const [n, ...row] of found) answers[Number(n)] = Buffer.from(json.text(row));
  }
  return answers;
}

async function askEach(
  session: Session,
  query: StatementPieces,
  rows: readonly (readonly Bound[])[],
  target: string,
): Promise<(Buffer | undefined)[]> {
  const answers: (Buffer | undefined)[] = [];
  for (const row of rows) {
    const { rows: found, fields } = await session.query(fits(filled(query, row), session, target));
    const [first] = found;
    answers.push(first && Buffer.from(new ResultJson(fields).text(first)));
  }
  return answers;
}

function withoutEnd(query: StatementPieces): StatementPieces {
  const last = query.at(-1);
  return typeof last === "string" ? [...query.slice(0, -1), last.replace(/;\s*$/, "")] : query;
}
