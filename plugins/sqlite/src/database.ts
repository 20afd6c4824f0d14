import {
  type ColumnInfo,
  type OwnValue,
  quoteIdentifier,
  type SqlDatabase,
  sqlErrors,
  type TableInfo,
  type TableName,
} from "@mqb/sql";
import type { Session } from "./client/session.ts";
import { prepareInsert } from "./insert.ts";
import { prepareLookup } from "./lookup.ts";
import { preparePages } from "./pages.ts";
import { openQueue } from "./queue.ts";

/** A database over one connection. */
export function sqliteDatabase(session: Session): SqlDatabase {
  const describe = (table: TableName): Promise<TableInfo | undefined> =>
    session.use(() => describeTable(session, table));
  const existing = async (table: TableName): Promise<TableInfo> => {
    const info = await describe(table);
    if (!info) throw sqlErrors.NO_TABLE({ target: `${session.target} ${table.written}` });
    return info;
  };
  const run = (sql: string, values: readonly OwnValue[]): OwnValue[][] =>
    (session.prepare(sql).all(...values) as unknown[][]).map((row) => row.map(ownValue));
  return {
    describe,
    async createQueueTable(table) {
      const name = nameOf(table);
      const index = quoteIdentifier(`idx_${table.table}_locked_until`);
      await session.transaction(() => {
        session
          .prepare(
            `CREATE TABLE IF NOT EXISTS ${name} (id INTEGER PRIMARY KEY AUTOINCREMENT, payload BLOB NOT NULL, locked_until DATETIME, created_at DATETIME DEFAULT CURRENT_TIMESTAMP)`,
          )
          .run();
        const owner = table.schema === undefined ? "" : `${quoteIdentifier(table.schema)}.`;
        session
          .prepare(`CREATE INDEX IF NOT EXISTS ${owner}${index} ON ${quoteIdentifier(table.table)} (locked_until)`)
          .run();
      });
    },
    async prepareInsert(plan) {
      const insert = prepareInsert(session, plan);
      if (plan.kind === "template") await prepared(session, plan.whole);
      return insert;
    },
    prepareLookup: (query) => prepareLookup(session, query),
    preparePages: async (source) => preparePages(session, source, await existing(source.table)),
    queue: async (table) => openQueue(session, await existing(table)),
    execute: (sql, values) => session.use(() => run(sql, values)),
    transaction: (work) => session.transaction(() => work(async (sql, values) => run(sql, values))),
    close: () => session.close(),
  };
}

/** A statement that SQLite does not understand is found at the start. */
async function prepared(session: Session, whole: readonly (string | number)[]): Promise<void> {
  const sql = whole.map((piece) => (typeof piece === "number" ? "?" : piece)).join("");
  try {
    await session.use(() => session.prepare(sql));
  } catch (cause) {
    throw sqlErrors.STATEMENT({ field: "insert_query", reason: (cause as Error).message }, { cause });
  }
}

function describeTable(session: Session, table: TableName): TableInfo | undefined {
  const schema = table.schema ?? null;
  const rows = session
    .prepare("SELECT name, type, hidden, pk FROM pragma_table_xinfo(?, ?) ORDER BY cid")
    .all(table.table, schema ?? "main") as [string, string, bigint, bigint][];
  if (rows.length === 0) return undefined;
  const columns = rows
    .filter(([, , hidden]) => hidden !== 1n)
    .map(([name, type, hidden]): ColumnInfo => ({ name, type, generated: hidden === 2n || hidden === 3n }));
  const primary = rows.filter(([, , , pk]) => pk > 0n).map(([name]) => name);
  const indexes = session
    .prepare(`SELECT name FROM pragma_index_list(?, ?) WHERE "unique" = 1 AND partial = 0`)
    .all(table.table, schema ?? "main") as [string][];
  const unique = indexes.map(([index]) =>
    (
      session.prepare("SELECT name FROM pragma_index_info(?, ?) ORDER BY seqno").all(index, schema ?? "main") as [
        string | null,
      ][]
    ).map(([name]) => name ?? ""),
  );
  return { sql: nameOf(table), columns, uniqueKeys: primary.length > 0 ? [primary, ...unique] : unique };
}

function nameOf({ schema, table }: TableName): string {
  return schema === undefined ? quoteIdentifier(table) : `${quoteIdentifier(schema)}.${quoteIdentifier(table)}`;
}

function ownValue(value: unknown): OwnValue {
  if (value === null || typeof value === "string" || value instanceof Uint8Array) return value;
  return String(value);
}
