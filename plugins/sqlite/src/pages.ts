import type { Slab } from "@mqb/core/plugin";
import {
  type ColumnInfo,
  type PageSource,
  type PreparedPages,
  quoteIdentifier,
  sqlErrors,
  type TableInfo,
} from "@mqb/sql";
import type { Session } from "./client/session.ts";
import { RowJson } from "./row-json.ts";
import { affinityOf } from "./values.ts";

const NEWLINE = Buffer.from("\n");

export async function preparePages(session: Session, source: PageSource, table: TableInfo): Promise<PreparedPages> {
  const column = columnNamed(source.cursor, table, session.target);
  const name = quoteIdentifier(column.name);
  const kind = await kindOf(session, table.sql, column);
  // Where a column compares without regard to case, rows of the other case would be passed over.
  const cursor = kind === "str" ? `${name} COLLATE BINARY` : name;
  // The database quotes texts itself: sooner, and also those with a NUL character in them.
  const fields = table.columns.map(({ name: field }) => {
    const sql = quoteIdentifier(field);
    return `CASE typeof(${sql}) WHEN 'text' THEN json_quote(${sql}) ELSE ${sql} END`;
  });
  const json = new RowJson(table.columns, { textsAreJson: true });
  const from = `SELECT ${fields.join(", ")} FROM ${table.sql} WHERE`;
  const tail = `ORDER BY ${cursor} LIMIT ?`;
  const greatest = `SELECT ${name} FROM ${table.sql} WHERE ${name} IS NOT NULL ORDER BY ${cursor} DESC LIMIT 1`;
  const bound = (value: string): unknown => (kind === "int" ? BigInt(value) : value);
  return {
    kind,
    async read(after, limit, _signal, upTo) {
      const values = [after, upTo].filter((value) => value !== undefined).map(bound);
      const behind = after === undefined ? `${name} IS NOT NULL` : `${cursor} > ?`;
      const before = upTo === undefined ? "" : ` AND ${cursor} <= ?`;
      const rows = await session.use(
        () => session.prepare(`${from} ${behind}${before} ${tail}`).all(...values, BigInt(limit)) as unknown[][],
      );
      return slabOf(rows, json);
    },
    async last() {
      const row = (await session.use(() => session.prepare(greatest).get())) as [unknown] | undefined;
      return row && String(row[0]);
    },
  };
}

function columnNamed(cursor: string, { columns }: TableInfo, target: string): ColumnInfo {
  const lower = cursor.toLowerCase();
  const column = columns.find(({ name }) => name.toLowerCase() === lower);
  if (column) return column;
  throw sqlErrors.NO_COLUMN({
    field: "cursor_column",
    column: cursor,
    target,
    columns: columns.map(({ name }) => name),
  });
}

/** By the declared type, or, where it leaves that open, by what is in the column. */
async function kindOf(session: Session, tableSql: string, { name, type }: ColumnInfo): Promise<"int" | "str"> {
  const affinity = affinityOf(type);
  if (affinity === "integer") return "int";
  if (affinity === "text") return "str";
  const column = quoteIdentifier(name);
  const sample = `SELECT typeof(${column}) FROM ${tableSql} WHERE ${column} IS NOT NULL ORDER BY ${column} LIMIT 1`;
  const [found] = ((await session.use(() => session.prepare(sample).get())) as [string] | undefined) ?? [];
  if (found === "text") return "str";
  if (found === "integer" || found === undefined) return "int";
  throw sqlErrors.CURSOR_TYPE({ column: name, target: session.target, type: type === "" ? found : type });
}

function slabOf(rows: readonly unknown[][], json: RowJson): Slab {
  const starts = new Uint32Array(rows.length);
  const ends = new Uint32Array(rows.length);
  const texts = rows.map((row) => json.text(row));
  const bytes = Buffer.from(rows.length === 0 ? "" : `${texts.join("\n")}\n`);
  // A row of ASCII has as many bytes as characters; otherwise line feeds, which JSON has none of, tell the rows apart.
  let at = 0;
  for (let i = 0; i < rows.length; i++) {
    starts[i] = at;
    const end = bytes.indexOf(10, at);
    ends[i] = end;
    at = end + 1;
  }
  return { bytes, starts, ends, terminator: NEWLINE };
}
