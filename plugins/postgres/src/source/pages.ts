import {
  type ColumnInfo,
  type PageSource,
  type PreparedPages,
  quoteIdentifier,
  sqlErrors,
  type TableInfo,
} from "@mqb/sql";
import type { PostgresPool } from "../client/pool.ts";
import { rawRows } from "../raw.ts";
import { withoutQuotes } from "../types.ts";
import { type UserType, UserTypes } from "../user-types.ts";
import { copyOut } from "./copy-out.ts";
import { COPY_FORMAT, PageRows } from "./page-rows.ts";
import { literal, pageColumns } from "./row-json.ts";
import { writersOf } from "./writers.ts";

const WHOLE = /^pg_catalog\.int[248]$/;
/** Pages that a route with several workers has in flight; the memory of more of them, and of giant rows, is left to be collected. */
const MOST_SPARE = 4;
const SPARE_BYTES = 8 * 1024 * 1024;
const NO_CURSOR = /^pg_catalog\.(?:float[48]|bytea|jsonb?|bool|point|line|lseg|box|path|polygon|circle|xml|_.*)$/;

/** Pages as lines of JSON, made of the texts that the server copies out: no value is made here. */
export async function preparePages(pool: PostgresPool, source: PageSource, table: TableInfo): Promise<PreparedPages> {
  const column = columnNamed(source.cursor, table, pool.target);
  const type = column.base ?? withoutQuotes(column.type);
  const kind = WHOLE.test(type) ? "int" : "str";
  if (NO_CURSOR.test(type))
    throw sqlErrors.CURSOR_TYPE({ column: column.name, target: pool.target, type: type.replace("pg_catalog.", "") });
  const cursor = quoteIdentifier(column.name);
  const columns = pageColumns(table.columns, source.rfc3339, await userTypesOf(pool, table));
  // Sorted by the column of the row: its plain name would mean the text that is selected.
  const values = columns.map(({ sql }) => sql).join(", ");
  const spare: Buffer[] = [];
  return {
    kind,
    giveBack({ bytes }) {
      if (spare.length < MOST_SPARE && bytes.buffer.byteLength <= SPARE_BYTES) spare.push(Buffer.from(bytes.buffer));
    },
    async read(after, limit, signal, upTo) {
      const from = after === undefined ? `${cursor} IS NOT NULL` : `${cursor} > ${literalOf(after, kind, column)}`;
      const to = upTo === undefined ? "" : ` AND ${cursor} <= ${literalOf(upTo, kind, column)}`;
      const select = `SELECT ${values} FROM ${table.sql} AS mqb_row WHERE ${from}${to} ORDER BY mqb_row.${cursor} LIMIT ${limit}`;
      const rows = new PageRows(columns, pool.target, spare.pop());
      await pool.use((client) => copyOut(client, `COPY (${select}) TO STDOUT WITH ${COPY_FORMAT}`, rows), signal);
      return rows.slab();
    },
    async last(signal) {
      const select = `SELECT ${cursor}::text FROM ${table.sql} AS mqb_row WHERE ${cursor} IS NOT NULL ORDER BY mqb_row.${cursor} DESC LIMIT 1`;
      const [row] = await pool.use((client) => rawRows(client, select), signal);
      return row?.[0] ?? undefined;
    },
    writers: writersOf(pool, table, column),
  };
}

const COLUMN_TYPES =
  "SELECT attname, atttypid FROM pg_attribute WHERE attrelid = $1::text::regclass AND attnum > 0 AND NOT attisdropped";

async function userTypesOf(pool: PostgresPool, { sql }: TableInfo): Promise<ReadonlyMap<string, UserType>> {
  const types = new UserTypes();
  const columns = await pool.use(async (client) => {
    const found = await rawRows(client, COLUMN_TYPES, [sql]);
    await types.ask(
      client,
      found.map(([, type]) => Number(type)),
    );
    return found;
  });
  const known = new Map<string, UserType>();
  for (const [name, type] of columns) {
    const user = types.of(Number(type));
    if (user) known.set(name!, user);
  }
  return known;
}

/** COPY takes no parameters: the position is a literal of the column's type. */
function literalOf(after: string, kind: "int" | "str", { type }: ColumnInfo): string {
  return kind === "int" ? `${BigInt(after)}::int8` : `${literal(after)}::${type}`;
}

function columnNamed(cursor: string, { columns }: TableInfo, target: string): ColumnInfo {
  const lower = cursor.toLowerCase();
  const column = columns.find(({ name }) => name === cursor) ?? columns.find(({ name }) => name === lower);
  if (column) return column;
  throw sqlErrors.NO_COLUMN({
    field: "cursor_column",
    column: cursor,
    target,
    columns: columns.map(({ name }) => name),
  });
}
