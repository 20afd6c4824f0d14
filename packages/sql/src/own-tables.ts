import type { Clock } from "@mqb/core/plugin";
import type { Positions } from "./checkpoint/checkpoint-table.ts";
import type { TableStore } from "./state/table-store.ts";

/** What is kept in a table of ours. */
export type Kept = "positions" | "dedup" | "aggregate" | "entries";

/**
 * Tables of ours in a database that does not understand the statements of this package (ON CONFLICT, RETURNING), in the
 * same layouts. What is opened works on the database's own pool; to close a store closes the database.
 */
export interface OwnTables {
  /** Positions of sources, in a table that is made at the first write. */
  positions(table: string): Positions;
  store(kept: Kept, table: string, clock: Clock): TableStore;
}
