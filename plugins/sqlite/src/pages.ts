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
import { quotingText, RowJson } from "./row-json.ts";
import { RowPieces } from "./row-pieces.ts";
import { affinityOf } from "./values.ts";

const NEWLINE = Buffer.from("\n");

export async function preparePages(session: Session, source: PageSource, table: TableInfo): Promise<PreparedPages> {
  const column = columnNamed(source.cursor, table, session.target);
  const name = quoteIdentifier(column.name);
  const kind = await kindOf(session, table.sql, column);
  // Where a column compares without regard to case, rows of the other case would be passed over.
  const cursor = kind === "str" ? `${name} COLLATE BINARY` : name;
  const pieces = new RowPieces(table.columns);
  const values = new RowJson(table.columns, { textsAreJson: true });
  // One by one when a value was found that the database does not write exactly.
  let oneByOne = false;
  const from = `FROM ${table.sql} WHERE`;
  const tail = `ORDER BY ${cursor} LIMIT ?`;
  const greatest = `SELECT ${name} ${from} ${name} IS NOT NULL ORDER BY ${cursor} DESC LIMIT 1`;
  const all = table.columns.map((one) => quotingText(quoteIdentifier(one.name))).join(", ");
  const bound = (value: string): unknown => (kind === "int" ? BigInt(value) : value);
  return {
    kind,
    async read(after, limit, _signal, upTo) {
      const marks = [after, upTo].filter((value) => value !== undefined).map(bound);
      const behind = after === undefined ? `${name} IS NOT NULL` : `${cursor} > ?`;
      const before = upTo === undefined ? "" : ` AND ${cursor} <= ?`;
      const rows = (selected: string): Promise<unknown[][]> => {
        const sql = `SELECT ${selected} ${from} ${behind}${before} ${tail}`;
        return session.use(() => session.prepare(sql).all(...marks, BigInt(limit)) as unknown[][]);
      };
      if (!oneByOne) {
        const texts = textsOf(await rows(pieces.sql), pieces);
        if (texts) return slabOf(texts);
        oneByOne = true;
      }
      return slabOf((await rows(all)).map((row) => values.text(row)));
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

/** Undefined when there is a row that has to be read value by value. */
function textsOf(rows: readonly unknown[][], pieces: RowPieces): string[] | undefined {
  const texts = new Array<string>(rows.length);
  for (const [i, row] of rows.entries()) {
    const text = pieces.text(row);
    if (text === undefined) return undefined;
    texts[i] = text;
  }
  return texts;
}

function slabOf(texts: readonly string[]): Slab {
  const starts = new Uint32Array(texts.length);
  const ends = new Uint32Array(texts.length);
  const bytes = Buffer.from(texts.length === 0 ? "" : `${texts.join("\n")}\n`);
  // JSON has no line feeds in it: they tell the rows apart.
  let at = 0;
  for (let i = 0; i < texts.length; i++) {
    starts[i] = at;
    const end = bytes.indexOf(10, at);
    ends[i] = end;
    at = end + 1;
  }
  return { bytes, starts, ends, terminator: NEWLINE };
}
