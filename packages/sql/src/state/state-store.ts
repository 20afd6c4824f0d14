import type { Clock, ProbeFinding, StateStore, StoreContext, StoreDefinition } from "@mqb/core/plugin";
import { describeError } from "@mqb/core/plugin";
import type { StoreLayout } from "@mqb/standard";
import { fitted } from "../checkpoint/names.ts";
import type { SqlDatabase, TableInfo } from "../contract.ts";
import { errors } from "../errors.ts";
import { parseTableName, quoteIdentifier, type TableName } from "../table-name.ts";
import { AggregateStore } from "./aggregate-store.ts";
import { CheckpointStore } from "./checkpoint-store.ts";
import { DedupStore } from "./dedup-store.ts";
import { EntryStore } from "./entry-store.ts";
import type { TableStore } from "./table-store.ts";
import { type StoreTable, splitTable } from "./url.ts";

export interface SqlStoreSetup {
  readonly description: string;
  /** The type of a column that holds bytes. */
  readonly bytesType: string;
  /** The URL without the store's table, and without credentials for messages. */
  readonly target: (url: string) => string;
  readonly connect: (url: string, context: Pick<StoreContext, "baseDir">) => Promise<SqlDatabase>;
}

const DEFAULT_TABLE = "mqb_state";

/** What is kept in a table, and the column that tells. */
type Kept = StoreLayout | "entries";
const TELLING: Readonly<Record<string, Kept>> = {
  last_value: "positions",
  dedup_key: "dedup",
  agg_key: "aggregate",
  state_key: "entries",
};

/**
 * State in a table of a SQL database: `sqlite:///path?table=name`, `postgres://host/db/name`. A table of the original is used
 * as one: of positions (`cursor_id`, `last_value`), of deduplication (`dedup_key`, `expire_at`) or of an aggregate
 * (`agg_key`, `state`, `version`). Any other has our own columns.
 */
export function sqlStateStore(setup: SqlStoreSetup): StoreDefinition {
  return {
    description: setup.description,
    durable: true,
    async open(url, context): Promise<StateStore> {
      const { url: plain, layout, ...named } = splitTable(url);
      const shown = setup.target(plain);
      const name = storeTable(named, plain, shown);
      const database = await setup.connect(plain, context);
      try {
        const info = await database.describe(name);
        const kept = info
          ? keptIn(info)
          : (layout ?? (name.table.startsWith("mqb_cursors_") ? "positions" : "entries"));
        if (kept === undefined || (layout !== undefined && kept !== layout)) {
          throw errors.STORE_URL({ url: shown, reason: `the table ${name.table} has other columns than ours` });
        }
        const sql = info?.sql ?? asOriginal(name.table);
        const store = storeOf(kept, database, { ...setup, table: name.table, sql, clock: context.clock });
        if (!info) await store.create();
        return store;
      } catch (error) {
        await database.close();
        throw error;
      }
    },
    async probe(url, context): Promise<readonly ProbeFinding[]> {
      const { url: plain, ...named } = splitTable(url);
      try {
        const database = await setup.connect(plain, context);
        const name = storeTable(named, plain, setup.target(plain));
        const info = await database.describe(name);
        await database.close();
        const detail = info ? `the table ${name.table} is there` : `the table ${name.table} will be created`;
        return [{ check: "reachable", ok: true, detail: `${setup.target(plain)} answers; ${detail}` }];
      } catch (error) {
        return [{ check: "reachable", ok: false, detail: describeError(error) }];
      }
    },
  };
}

function keptIn({ columns }: TableInfo): Kept | undefined {
  return columns.map(({ name }) => TELLING[name.toLowerCase()]).find((kept) => kept !== undefined);
}

function storeOf(
  kept: Kept,
  database: SqlDatabase,
  { table, sql, bytesType, clock }: { table: string; sql: string; bytesType: string; clock: Clock },
): TableStore {
  if (database.own) return database.own.store(kept, table, clock);
  switch (kept) {
    case "positions":
      return new CheckpointStore(database, table, clock);
    case "dedup":
      return new DedupStore(database, { name: table, sql }, clock);
    case "aggregate":
      return new AggregateStore(database, sql, clock);
    case "entries":
      return new EntryStore(database, { table, bytesType, clock });
  }
}

/** Of keys and states the original writes names without quotes, so that servers fold them. Others may be words of SQL. */
function asOriginal(table: string): string {
  return /^mqb_/i.test(table) ? table : quoteIdentifier(table);
}

/** The name that the URL gives, or else the one that whoever opens it has: that is made to fit servers. */
function storeTable(
  { table, defaultTable }: Pick<StoreTable, "table" | "defaultTable">,
  url: string,
  shown: string,
): TableName {
  const own = /^sqlite:/i.test(url) ? defaultTable : defaultTable && fitted(defaultTable);
  const name = table ?? own ?? DEFAULT_TABLE;
  if (!/^[A-Za-z0-9_]+$/.test(name)) throw errors.STORE_URL({ url: shown, reason: `"${name}" is no name for a table` });
  return parseTableName(name, "table");
}
