import type { ColumnInfo, TableInfo, TableName } from "@mqb/sql";
import { quoteIdentifier } from "@mqb/sql";
import type pg from "pg";
import { rawRows } from "./raw.ts";
import type { PgType } from "./types.ts";

/** As a statement names a type, which it does in quotes where the name is a word of SQL; and without them. */
const TYPE = (alias: string, space: string): string =>
  `quote_ident(${space}.nspname) || '.' || quote_ident(${alias}.typname)`;
const PLAIN = (alias: string, space: string): string => `${space}.nspname || '.' || ${alias}.typname`;

/** What a type is made of in the end: a domain may be one of a domain. */
const BASE = `(
  WITH RECURSIVE made AS (
    SELECT t.oid, t.typtype, t.typbasetype
    UNION ALL SELECT u.oid, u.typtype, u.typbasetype FROM made JOIN pg_type u ON made.typtype = 'd' AND u.oid = made.typbasetype
  )
  SELECT oid FROM made WHERE typtype <> 'd'
)`;

const COLUMNS = `
SELECT a.attname, ${TYPE("t", "tn")}, ${PLAIN("b", "bn")},
  CASE WHEN a.attgenerated <> '' OR a.attidentity = 'a' THEN 'yes' ELSE '' END
FROM pg_attribute a
JOIN pg_type t ON t.oid = a.atttypid
JOIN pg_namespace tn ON tn.oid = t.typnamespace
JOIN pg_type b ON b.oid = ${BASE}
JOIN pg_namespace bn ON bn.oid = b.typnamespace
WHERE a.attrelid = $1::text::regclass AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY a.attnum`;

const KEYS = `
SELECT i.indexrelid::text, a.attname
FROM pg_index i
JOIN LATERAL unnest(i.indkey::int[]) WITH ORDINALITY AS k(attnum, n) ON k.n <= i.indnkeyatts
LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
WHERE i.indrelid = $1::text::regclass AND i.indisunique AND i.indpred IS NULL AND i.indisvalid
ORDER BY i.indisprimary DESC, i.indexrelid, k.n`;

/**
 * Looks a table or view up: a name of exactly this case first, then the folded one that PostgreSQL takes for a name without
 * quotes. Without a schema the first one of the search path is meant.
 */
export async function describe(client: pg.ClientBase, name: TableName): Promise<TableInfo | undefined> {
  const sql = await resolve(client, name);
  if (sql === undefined) return undefined;
  const columns = (await rawRows(client, COLUMNS, [sql])).map(
    ([column, type, base, generated]): ColumnInfo => ({
      name: column!,
      type: type!,
      base: base!,
      generated: generated === "yes",
    }),
  );
  const keys = new Map<string, string[]>();
  for (const [index, column] of await rawRows(client, KEYS, [sql])) {
    keys.set(index!, [...(keys.get(index!) ?? []), column ?? ""]);
  }
  return { sql, columns, uniqueKeys: [...keys.values()] };
}

async function resolve(client: pg.ClientBase, { schema, table }: TableName): Promise<string | undefined> {
  const quoted = (fold: boolean): string =>
    [schema, table]
      .filter((part) => part !== undefined)
      .map((part) => quoteIdentifier(fold ? part.toLowerCase() : part))
      .join(".");
  for (const candidate of new Set([quoted(false), quoted(true)])) {
    const [row] = await rawRows(client, "SELECT to_regclass($1)::text", [candidate]);
    if (row?.[0] != null) return candidate;
  }
  return undefined;
}

/** The types of the parameters of a statement, as the server finds them. */
export async function parameterTypes(client: pg.ClientBase, sql: string): Promise<PgType[]> {
  const name = "mqb_types";
  await client.query(`PREPARE ${name} AS ${sql}`);
  try {
    const rows = await rawRows(
      client,
      `SELECT ${TYPE("t", "tn")}, ${PLAIN("b", "bn")}
       FROM pg_prepared_statements s
       JOIN LATERAL unnest(s.parameter_types::oid[]) WITH ORDINALITY AS p(type, n) ON true
       JOIN pg_type t ON t.oid = p.type
       JOIN pg_namespace tn ON tn.oid = t.typnamespace
       JOIN pg_type b ON b.oid = ${BASE}
       JOIN pg_namespace bn ON bn.oid = b.typnamespace
       WHERE s.name = $1 ORDER BY p.n`,
      [name],
    );
    return rows.map(([type, base]) => ({ sql: type!, base: base! }));
  } finally {
    await client.query(`DEALLOCATE ${name}`);
  }
}
