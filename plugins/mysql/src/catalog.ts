import type { ColumnInfo, TableInfo, TableName } from "@mqb/sql";
import type { Session } from "./client/session.ts";
import { quoteName, textLiteral } from "./literal.ts";

const NO_SUCH_TABLE = 1146;

export interface MysqlColumn extends ColumnInfo {
  readonly base: string;
}

export interface MysqlTable extends TableInfo {
  readonly columns: readonly MysqlColumn[];
}

/** Looks a table or view up, by the rules of the server for the case of names. */
export async function describe(session: Session, name: TableName): Promise<MysqlTable | undefined> {
  const sql = nameOf(name);
  let described: Awaited<ReturnType<Session["query"]>>;
  try {
    described = await session.query(`SHOW COLUMNS FROM ${sql}`);
  } catch (error) {
    if ((error as { readonly errno?: unknown }).errno === NO_SUCH_TABLE) return undefined;
    throw error;
  }
  const jsons = session.isMariaDb ? await jsonColumns(session, name) : new Set();
  const columns = described.rows.map((row): MysqlColumn => {
    const [column, type, , , , extra] = row.map(String) as [string, string, string, string, string, string];
    const base = jsons.has(column) ? "json" : /^[a-z0-9_]+/i.exec(type)![0].toLowerCase();
    return { name: column, type, base, generated: /\bgenerated\b/i.test(extra) && !/default_generated/i.test(extra) };
  });
  return { sql, columns, uniqueKeys: await uniqueKeys(session, sql) };
}

/** How statements name a table. */
export function nameOf({ schema, table }: TableName): string {
  return schema === undefined ? quoteName(table) : `${quoteName(schema)}.${quoteName(table)}`;
}

/** MariaDB keeps JSON in texts that it checks. */
async function jsonColumns(session: Session, { schema, table }: TableName): Promise<Set<unknown>> {
  const where = schema === undefined ? "DATABASE()" : textLiteral(schema);
  const { rows } = await session.query(
    `SELECT CONSTRAINT_NAME, CHECK_CLAUSE FROM information_schema.CHECK_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = ${where} AND TABLE_NAME = ${textLiteral(table)}`,
  );
  return new Set(
    rows.filter(([name, clause]) => String(clause) === `json_valid(${quoteName(String(name))})`).map(([name]) => name),
  );
}

/** Those of whole columns: an index over the beginning of a text, or over an expression, tells less. */
export async function uniqueKeys(session: Session, sql: string): Promise<string[][]> {
  const { rows, fields } = await session.query(`SHOW INDEX FROM ${sql}`);
  const at = (name: string): number => fields.findIndex((field) => field.name.toLowerCase() === name);
  const [notUnique, index, column, part] = [at("non_unique"), at("key_name"), at("column_name"), at("sub_part")];
  const keys = new Map<string, string[]>();
  for (const row of rows) {
    if (row[notUnique] !== "0") continue;
    const name = row[column] === null || row[part] !== null ? "" : String(row[column]);
    keys.set(String(row[index]), [...(keys.get(String(row[index])) ?? []), name]);
  }
  const primary = keys.get("PRIMARY");
  keys.delete("PRIMARY");
  return [...(primary ? [primary] : []), ...keys.values()];
}
