import { type PageSource, type PreparedPages, sqlErrors } from "@mqb/sql";
import type { MysqlColumn, MysqlTable } from "../catalog.ts";
import type { MysqlPool } from "../client/pool.ts";
import { quoteName, textLiteral } from "../literal.ts";
import { kindOf } from "../types.ts";
import { RowBytes, type ValueForm } from "./row-bytes.ts";

/** Where pages are read. */
export type PagePool = Pick<MysqlPool, "target" | "use">;

/** Pages as lines of JSON, written from the bytes that the server sends. */
export function preparePages(pool: PagePool, source: PageSource, table: MysqlTable): PreparedPages {
  const column = columnNamed(source.cursor, table, pool.target);
  const cursor = cursorOf(column, table, pool.target);
  const forms = table.columns.map(formOf);
  const names = table.columns.map(({ name }) => name);
  const from = `SELECT ${table.columns.map(selected).join(", ")} FROM ${table.sql}`;
  const isThere = `${quoteName(column.name)} IS NOT NULL`;
  return {
    kind: cursor.kind,
    async read(after, limit, signal, upTo) {
      const behind = after === undefined ? isThere : `${cursor.sql} > ${cursor.literal(after)}`;
      const before = upTo === undefined ? "" : ` AND ${cursor.sql} <= ${cursor.literal(upTo)}`;
      const sql = `${from} WHERE ${behind}${before} ORDER BY ${cursor.sql} LIMIT ${limit}`;
      const bytes = new RowBytes(names, forms);
      await pool.use((session) => session.rows(sql, bytes), signal);
      return bytes.slab();
    },
    async last(signal) {
      const text = column.base === "float" ? quoteName(column.name) : selected(column);
      const sql = `SELECT ${text} FROM ${table.sql} WHERE ${isThere} ORDER BY ${cursor.sql} DESC LIMIT 1`;
      const { rows } = await pool.use((session) => session.query(sql), signal);
      const value = rows[0]?.[0];
      return value == null ? undefined : String(value);
    },
  };
}

interface Cursor {
  readonly kind: "int" | "str";
  /** What is compared and ordered by. */
  readonly sql: string;
  literal(position: string): string;
}

const NUMBERS = /^(?:tinyint|mediumint|decimal|year)$/;
const PLAIN = /^(?:date|datetime|timestamp|time|uuid|inet4|inet6)$/;
const TEXTS = /^(?:char|varchar|tinytext|text|mediumtext|longtext|enum|set)$/;

function cursorOf(column: MysqlColumn, table: MysqlTable, target: string): Cursor {
  const { base, name, type } = column;
  const sql = quoteName(name);
  const unfit = (): Error =>
    sqlErrors.STATEMENT({
      field: "cursor_id",
      reason: `its position is no value of ${name}, which has the type ${type}`,
    });
  const checked = (pattern: RegExp, written: (text: string) => string) => (position: string) => {
    if (!pattern.test(position)) throw unfit();
    return written(position);
  };
  const asIs = (text: string): string => text;
  if (/^(?:smallint|int|bigint)$/.test(base)) return { kind: "int", sql, literal: checked(/^-?\d+$/, asIs) };
  if (NUMBERS.test(base)) return { kind: "str", sql, literal: checked(/^-?\d+(?:\.\d+)?$/, asIs) };
  if (PLAIN.test(base)) return { kind: "str", sql, literal: checked(/^[\w:.\- ]+$/, (text) => `'${text}'`) };
  if (!TEXTS.test(base)) throw sqlErrors.CURSOR_TYPE({ column: name, target, type });
  // Values that are each there once differ also by the rules of the column, whose index serves. Others that are the same
  // by those rules and not by their bytes would be passed over.
  const isUnique = table.uniqueKeys.some((key) => key.length === 1 && key[0] === name);
  if (isUnique && !/^(?:enum|set)$/.test(base)) return { kind: "str", sql, literal: textLiteral };
  const bytes = (text: string): string => `X'${Buffer.from(text).toString("hex")}'`;
  return { kind: "str", sql: `CAST(CONVERT(${sql} USING utf8mb4) AS BINARY)`, literal: bytes };
}

function columnNamed(cursor: string, { columns }: MysqlTable, target: string): MysqlColumn {
  const lower = cursor.toLowerCase();
  const column = columns.find(({ name }) => name.toLowerCase() === lower);
  if (column) return column;
  const names = columns.map(({ name }) => name);
  throw sqlErrors.NO_COLUMN({ field: "cursor_column", column: cursor, target, columns: names });
}

/** As the value is asked for: reals with all of their digits, numbers without leading zeros. */
function selected({ name, type, base }: MysqlColumn): string {
  const sql = quoteName(name);
  if (base === "float" || base === "double") return `${sql} * 1e0`;
  return /^(?:smallint|int|bigint)\b.*zerofill/i.test(type) ? `${sql} + 0` : sql;
}

function formOf(column: MysqlColumn): ValueForm {
  if (/^(?:smallint|int|bigint)$/.test(column.base)) return "digits";
  switch (kindOf(column)) {
    case "real":
      return "real";
    case "bytes":
    case "geometry":
      return "hex";
    case "bit":
      return "characters";
    default:
      return NUMBERS.test(column.base) || PLAIN.test(column.base) ? "plain" : "text";
  }
}
