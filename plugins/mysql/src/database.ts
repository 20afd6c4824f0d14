import { type Kept, type OwnValue, type SqlDatabase, sqlErrors, type TableName } from "@mqb/sql";
import { describe as describeTable, type MysqlTable, nameOf, uniqueKeys } from "./catalog.ts";
import type { MysqlPool } from "./client/pool.ts";
import type { Session } from "./client/session.ts";
import { bytesLiteral, quoteName, textLiteral } from "./literal.ts";
import { prepareColumns, prepareTemplate } from "./sink/insert.ts";
import { prepareLookup } from "./sink/lookup.ts";
import { fits } from "./sink/statement.ts";
import { preparePages } from "./source/pages.ts";
import { openQueue } from "./source/queue.ts";
import { DEDUP, ENTRIES, type Layout, POSITIONS } from "./state/layouts.ts";
import { PositionTable } from "./state/positions.ts";
import { RowStore } from "./state/row-store.ts";

/** A database over a pool of connections. */
export function mysqlDatabase(pool: MysqlPool): SqlDatabase {
  const describe = (table: TableName): Promise<MysqlTable | undefined> =>
    pool.use((session) => describeTable(session, table));
  const existing = async (table: TableName): Promise<MysqlTable> => {
    const info = await describe(table);
    if (!info) throw sqlErrors.NO_TABLE({ target: `${pool.target} ${table.written}` });
    return info;
  };
  const database: SqlDatabase = {
    describe,
    async createQueueTable(table) {
      const index = quoteName(`idx_${table.table}_locked_until`.slice(0, 64));
      const columns = `id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, payload LONGBLOB NOT NULL, locked_until DATETIME(6), created_at DATETIME(6) DEFAULT CURRENT_TIMESTAMP(6), KEY ${index} (locked_until)`;
      await pool.use((session) => session.query(`CREATE TABLE IF NOT EXISTS ${nameOf(table)} (${columns})`));
    },
    async prepareInsert(plan) {
      if (plan.kind === "template") return prepareTemplate(pool, plan);
      const keys = plan.key.length === 0 ? [] : await pool.use((session) => uniqueKeys(session, plan.table));
      return prepareColumns(pool, plan, keys);
    },
    prepareLookup: (query) => prepareLookup(pool, query),
    preparePages: async (source) => preparePages(pool, source, await existing(source.table)),
    queue: async (table) => openQueue(pool, await existing(table)),
    execute: (sql, values) => pool.use((session) => run(session, sql, values, pool.target)),
    transaction: (work) => pool.transaction((session) => work((sql, values) => run(session, sql, values, pool.target))),
    own: {
      positions: (table) => new PositionTable(pool, table),
      store: (kept, table, clock) => new RowStore(database, layoutOf(kept, pool.target), table, clock),
    },
    close: () => pool.close(),
  };
  return database;
}

function layoutOf(kept: Kept, target: string): Layout {
  switch (kept) {
    case "entries":
      return ENTRIES;
    case "dedup":
      return DEDUP;
    case "positions":
      return POSITIONS;
    case "aggregate":
      throw sqlErrors.STORE_URL({ url: target, reason: "states of aggregates are not kept in MySQL" });
  }
}

/** `?` stands for a value; there is none inside a text of our own statements. */
async function run(
  session: Session,
  sql: string,
  values: readonly OwnValue[],
  target: string,
): Promise<readonly (readonly OwnValue[])[]> {
  let n = 0;
  const text = values.length === 0 ? sql : sql.replace(/\?/g, () => literalOf(values[n++] ?? null));
  return (await session.query(fits(text, session, target))).rows;
}

function literalOf(value: OwnValue): string {
  if (value === null) return "NULL";
  if (typeof value === "string") return textLiteral(value);
  return typeof value === "bigint" ? String(value) : bytesLiteral(value);
}
