import type { Clock, Logger } from "@mqb/core/plugin";
import { quoteIdentifier } from "@mqb/sql";
import type pg from "pg";
import { shown } from "../../client/classify.ts";
import { errors } from "../../errors.ts";
import { rawRows } from "../../raw.ts";
import { type CdcConfig, slotOf } from "../config.ts";
import { findSlot, type SlotState } from "./catalog.ts";
import { codeOf, EXISTS, refused } from "./refused.ts";

const LIMIT = "53400";
const SLOW_MS = 1000;

/** Throws when a slot cannot be the one of this stream. */
export async function checkSlot(
  client: pg.ClientBase,
  slot: SlotState,
  config: CdcConfig,
  target: string,
): Promise<void> {
  const [row] = await rawRows(client, "SELECT current_database()");
  const name = { slot: slotOf(config), target };
  const other = (reason: string): Error => errors.SLOT_OTHER({ ...name, reason });
  if (!slot.isLogical) throw other("it is a physical one");
  if (slot.plugin !== "pgoutput") throw other(`its plugin is ${slot.plugin}, and changes come from pgoutput`);
  if (slot.database !== row![0]) throw other(`it is of the database ${slot.database}`);
  if (slot.isLost) throw errors.SLOT_LOST(name);
}

export interface MadeSlot {
  readonly consistentPoint: string;
  /** What the tables were like there; as long as the connection does nothing else. */
  readonly snapshot: string | undefined;
}

/** Makes the slot on a replication connection. Waits for the transactions that are open now. */
export async function createSlot(
  client: pg.Client,
  config: CdcConfig,
  exports: boolean,
  target: string,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
): Promise<MadeSlot | "exists"> {
  const slot = slotOf(config);
  const cancel = clock.timer(SLOW_MS, () =>
    log.warn(
      `the replication slot "${slot}" of ${target} is being made: that waits for the transactions that are open now (pg_stat_activity)`,
    ),
  );
  const command = `CREATE_REPLICATION_SLOT ${quoteIdentifier(slot)} LOGICAL pgoutput ${exports ? "EXPORT_SNAPSHOT" : "NOEXPORT_SNAPSHOT"}`;
  try {
    const { rows } = await client.query<Record<string, string | null>>(command);
    const { consistent_point: point, snapshot_name: snapshot } = rows[0]!;
    return { consistentPoint: point!, snapshot: snapshot ?? undefined };
  } catch (error) {
    const code = codeOf(error);
    if (code === EXISTS) return "exists";
    if (code === LIMIT) {
      const { reason, cause } = shown(error);
      throw errors.NO_SLOT_FREE({ slot, target, reason }, { cause });
    }
    throw refused(error, target);
  } finally {
    cancel();
  }
}

/** The slot, or `undefined` when it may be made. One that keeps nothing yet is neither. */
export async function existingSlot(
  client: pg.ClientBase,
  config: CdcConfig,
  target: string,
): Promise<SlotState | undefined> {
  const slot = slotOf(config);
  const found = await findSlot(client, slot);
  if (found) await checkSlot(client, found, config, target);
  else if (config.create_slot === false) throw errors.NO_SLOT({ slot, target });
  if (found?.confirmed === null) {
    const reason = "it is still being made, which waits for the transactions that were open then (pg_stat_activity)";
    throw errors.SLOT_IN_USE({ slot, target, reason });
  }
  return found;
}
