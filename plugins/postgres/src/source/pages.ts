import type { Slab } from "@mqb/core/plugin";
import {
  type ColumnInfo,
  type PageSource,
  type PreparedPages,
  quoteIdentifier,
  sqlErrors,
  type TableInfo,
} from "@mqb/sql";
import type pg from "pg";
import type { PostgresPool } from "../client/pool.ts";
import { rawRows } from "../raw.ts";
import { withoutQuotes } from "../types.ts";
import { literal, rowJson } from "./row-json.ts";
import { writersOf } from "./writers.ts";

const NEWLINE = Buffer.from("\n");
/** Neither sign occurs in JSON as the server writes it: no field is put in quotes, no byte is escaped. */
const FORMAT = `(FORMAT csv, DELIMITER E'\\x02', QUOTE E'\\x01')`;
const WHOLE = /^pg_catalog\.int[248]$/;
const NO_CURSOR = /^pg_catalog\.(?:float[48]|bytea|jsonb?|bool|point|line|lseg|box|path|polygon|circle|xml|_.*)$/;

/** Pages as lines of JSON that the server writes: no value is made here. */
export function preparePages(pool: PostgresPool, source: PageSource, table: TableInfo): PreparedPages {
  const column = columnNamed(source.cursor, table, pool.target);
  const type = column.base ?? withoutQuotes(column.type);
  const kind = WHOLE.test(type) ? "int" : "str";
  if (NO_CURSOR.test(type))
    throw sqlErrors.CURSOR_TYPE({ column: column.name, target: pool.target, type: type.replace("pg_catalog.", "") });
  const cursor = quoteIdentifier(column.name);
  const json = rowJson(table.columns, source.rfc3339);
  return {
    kind,
    async read(after, limit, signal, upTo) {
      const from = after === undefined ? `${cursor} IS NOT NULL` : `${cursor} > ${literalOf(after, kind, column)}`;
      const to = upTo === undefined ? "" : ` AND ${cursor} <= ${literalOf(upTo, kind, column)}`;
      const select = `SELECT ${json} FROM ${table.sql} WHERE ${from}${to} ORDER BY ${cursor} LIMIT ${limit}`;
      return pool.use((client) => lines(client, `COPY (${select}) TO STDOUT WITH ${FORMAT}`), signal);
    },
    async last(signal) {
      // Under its own name the text would be what it is sorted by.
      const select = `SELECT ${cursor}::text AS mqb_last FROM ${table.sql} WHERE ${cursor} IS NOT NULL ORDER BY ${cursor} DESC LIMIT 1`;
      const [row] = await pool.use((client) => rawRows(client, select), signal);
      return row?.[0] ?? undefined;
    },
    writers: writersOf(pool, table, column),
  };
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

async function lines(client: pg.PoolClient, sql: string): Promise<Slab> {
  const { to: copyTo } = await import("pg-copy-streams");
  const chunks: Buffer[] = [];
  let rows = 0;
  for await (const chunk of client.query(copyTo(sql)) as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) rows++;
  }
  const bytes = Buffer.concat(chunks);
  const starts = new Uint32Array(rows);
  const ends = new Uint32Array(rows);
  for (let i = 0, at = 0; i < rows; i++) {
    starts[i] = at;
    ends[i] = bytes.indexOf(10, at);
    at = ends[i]! + 1;
  }
  return { bytes, starts, ends, terminator: NEWLINE };
}
