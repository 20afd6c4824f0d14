import type { ProbeFinding, StateStore, StoreContext, StoreDefinition } from "@mqb/core/plugin";
import { describeError } from "@mqb/core/plugin";
import type { SqlDatabase } from "../contract.ts";
import { errors } from "../errors.ts";
import { parseTableName } from "../table-name.ts";
import { CheckpointStore } from "./checkpoint-store.ts";
import { EntryStore } from "./entry-store.ts";
import { splitTable } from "./url.ts";

export interface SqlStoreSetup {
  readonly description: string;
  /** The type of a column that holds bytes. */
  readonly bytesType: string;
  /** The URL without the store's table, and without credentials for messages. */
  readonly target: (url: string) => string;
  readonly connect: (url: string, context: Pick<StoreContext, "baseDir">) => Promise<SqlDatabase>;
}

const DEFAULT_TABLE = "mqb_state";

/**
 * State in a table of a SQL database: `sqlite:///path?table=name`, `postgres://host/db/name`. A table of positions, as the
 * endpoints of the original make them (`cursor_id`, `last_value`), is used as one; any other has our own columns.
 */
export function sqlStateStore(setup: SqlStoreSetup): StoreDefinition {
  return {
    description: setup.description,
    durable: true,
    async open(url, context): Promise<StateStore> {
      const { url: plain, table = DEFAULT_TABLE, keepsPositions: asked } = splitTable(url);
      const shown = setup.target(plain);
      const name = storeTable(table, shown);
      const database = await setup.connect(plain, context);
      try {
        const info = await database.describe(name);
        const columns = info?.columns.map((column) => column.name) ?? [];
        const keepsPositions = info ? columns.includes("last_value") : asked || name.table.startsWith("mqb_cursors_");
        const store = keepsPositions
          ? new CheckpointStore(database, name.table)
          : new EntryStore(database, { table: name.table, bytesType: setup.bytesType, clock: context.clock });
        if (!info) await store.create();
        else if (!keepsPositions && !columns.includes("state_key")) {
          throw errors.STORE_URL({ url: shown, reason: `the table ${name.table} has other columns than ours` });
        }
        return store;
      } catch (error) {
        await database.close();
        throw error;
      }
    },
    async probe(url, context): Promise<readonly ProbeFinding[]> {
      const { url: plain, table = DEFAULT_TABLE } = splitTable(url);
      try {
        const database = await setup.connect(plain, context);
        const info = await database.describe(storeTable(table, setup.target(plain)));
        await database.close();
        const detail = info ? `the table ${table} is there` : `the table ${table} will be created`;
        return [{ check: "reachable", ok: true, detail: `${setup.target(plain)} answers; ${detail}` }];
      } catch (error) {
        return [{ check: "reachable", ok: false, detail: describeError(error) }];
      }
    },
  };
}

function storeTable(table: string, url: string): ReturnType<typeof parseTableName> {
  if (!/^[A-Za-z0-9_]+$/.test(table)) throw errors.STORE_URL({ url, reason: `"${table}" is no name for a table` });
  return parseTableName(table, "table");
}
