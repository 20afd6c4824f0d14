import type { StateStore } from "@mqb/core/plugin";
import { inLayout } from "@mqb/standard";
import type { SqlxConfig } from "../config.ts";
import type { SqlDatabase } from "../contract.ts";
import { parseTableName } from "../table-name.ts";
import { CheckpointTable, type Positions } from "./checkpoint-table.ts";
import { cursorKey, cursorTable } from "./names.ts";
import { StorePositions } from "./store-positions.ts";

/** Where a cursor keeps its position, under which key, and what it is of. */
export interface CursorPlace {
  readonly key: string;
  /** `sqlx:<table>:<column>` */
  readonly source: string;
  readonly table: string;
  /** A state store's URL; undefined = a table of the source's own database. */
  readonly url: string | undefined;
}

/** Undefined when the configuration keeps no position. */
export function cursorPlace(config: SqlxConfig): CursorPlace | undefined {
  const { table, cursor_column: column, cursor_id: id, checkpoint_store: store } = config;
  if (column == null || id == null) return undefined;
  const isUrl = store != null && /^[a-z][a-z0-9+.-]*:/i.test(store);
  const named =
    store != null && !isUrl ? parseTableName(store.replace(/^\//, ""), "checkpoint_store").table : undefined;
  return {
    key: cursorKey(table, id),
    source: `sqlx:${table}:${column}`,
    table: named ?? cursorTable(table),
    url: isUrl ? inLayout(store, "positions", cursorTable(table)) : undefined,
  };
}

/** Opens the place. `database` is the source's own; it stays the caller's. */
export async function openPositions(
  place: CursorPlace,
  database: () => Promise<SqlDatabase> | SqlDatabase,
  openStore: (url: string) => Promise<StateStore>,
): Promise<Positions> {
  if (place.url !== undefined) return new StorePositions(await openStore(place.url));
  const own = await database();
  return own.own?.positions(place.table) ?? new CheckpointTable(own, place.table);
}
