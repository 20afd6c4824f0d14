import { type OwnValue, quoteIdentifier, type SqlDatabase, sqlErrors, type TableInfo, type TableName } from "@mqb/sql";
import type pg from "pg";
import { describe as describeTable } from "./catalog.ts";
import type { PostgresPool } from "./client/pool.ts";
import { raw } from "./raw.ts";
import { prepareColumns, prepareTemplate } from "./sink/insert.ts";
import { prepareLookup } from "./sink/lookup.ts";
import { preparePages } from "./source/pages.ts";
import { openQueue } from "./source/queue.ts";

const BYTEA = 17;

/** A database over a pool of connections. */
export function postgresDatabase(pool: PostgresPool): SqlDatabase {
  const describe = (table: TableName): Promise<TableInfo | undefined> =>
    pool.use((client) => describeTable(client, table));
  const existing = async (table: TableName): Promise<TableInfo> => {
    const info = await describe(table);
    if (!info) throw sqlErrors.NO_TABLE({ target: `${pool.target} ${table.written}` });
    return info;
  };
  return {
    describe,
    async createQueueTable(table) {
      if (await describe(table)) return;
      const name = [table.schema, table.table]
        .filter((part) => part !== undefined)
        .map(folded)
        .join(".");
      const index = folded(`idx_${table.table}_locked_until`);
      await pool.transaction(async (client) => {
        await creating(client);
        await client.query(
          `CREATE TABLE IF NOT EXISTS ${name} (id BIGSERIAL PRIMARY KEY, payload BYTEA NOT NULL, locked_until TIMESTAMPTZ, created_at TIMESTAMPTZ DEFAULT now())`,
        );
        await client.query(`CREATE INDEX IF NOT EXISTS ${index} ON ${name} (locked_until)`);
      });
    },
    async prepareInsert(plan) {
      if (plan.kind === "columns") return prepareColumns(pool, plan);
      return prepareTemplate(pool, plan, plan.copy && (await existing(plan.copy.table)));
    },
    prepareLookup: (query) => prepareLookup(pool, query),
    preparePages: async (source) => preparePages(pool, source, await existing(source.table)),
    queue: async (table) => openQueue(pool, await existing(table)),
    execute(sql, values) {
      if (!/^CREATE /.test(sql)) return pool.use((client) => run(client, sql, values));
      return pool.transaction(async (client) => {
        await creating(client);
        return run(client, sql, values);
      });
    },
    lists: true,
    transaction: (work) => pool.transaction((client) => work((sql, values) => run(client, sql, values))),
    close: () => pool.close(),
  };
}

/** One after another: two that create a table at once meet in the catalog, also with IF NOT EXISTS. */
async function creating(client: pg.PoolClient): Promise<void> {
  await client.query("SELECT pg_advisory_xact_lock(hashtext('mqb creates a table'))");
}

async function run(client: pg.PoolClient, sql: string, values: readonly OwnValue[]): Promise<OwnValue[][]> {
  let n = 0;
  const text = sql.replace(/\?/g, () => `$${++n}`);
  const bound = values.map((value) =>
    typeof value === "bigint" ? String(value) : value instanceof Uint8Array ? Buffer.from(value) : value,
  );
  const { rows, fields } = await raw(client, text, bound);
  return rows.map((row) =>
    row.map((value, i) =>
      value !== null && fields[i]!.dataTypeID === BYTEA ? Buffer.from(value.slice(2), "hex") : value,
    ),
  );
}

function folded(name: string): string {
  return quoteIdentifier(name.toLowerCase());
}
