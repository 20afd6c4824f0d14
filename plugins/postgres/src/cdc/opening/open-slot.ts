import type pg from "pg";
import { errors } from "../../errors.ts";
import { rawRows } from "../../raw.ts";
import type { Progress } from "../position/positions.ts";
import type { SlotState } from "../server/catalog.ts";
import { formatLsn, parseLsn } from "../server/lsn.ts";
import { createSlot, existingSlot } from "../server/slot.ts";
import type { Opening } from "./opening.ts";
import { ACKED, PART, PINNED, PROCESS, PROGRESS } from "./session.ts";

export interface FreshSlot {
  /** Keeps the snapshot, as long as it does nothing else. */
  readonly client: pg.Client;
  /** What the tables were like where the slot begins. */
  readonly snapshot: string;
  readonly lsn: bigint;
}

/** `exports`: gives what the tables were like there. */
export async function makeSlot(opening: Opening, exports: boolean): Promise<FreshSlot | undefined> {
  const { slot, target, config, context } = opening;
  const client = await opening.connected(true);
  const made = await createSlot(client, config, exports, target, context);
  if (made !== "exists" && made.snapshot !== undefined && exports)
    return { client, snapshot: made.snapshot, lsn: parseLsn(made.consistentPoint)! };
  await opening.ended(client);
  if (made === "exists") throw errors.SLOT_IN_USE({ slot, target, reason: "somebody else makes it" });
  return undefined;
}

/** How far the tables were read means nothing without the slot that keeps what has changed since. */
export async function unlessGone(
  { config, context, target, slot, positions }: Opening,
  admin: pg.Client,
  progress: Progress,
): Promise<Progress | undefined> {
  if (await existingSlot(admin, config, target)) return progress;
  context.log.warn(`the replication slot "${slot}" of ${target} is gone: the tables are read again`);
  // None of it is of the new one: neither where it begins, nor that its rows are read.
  context.session.delete(ACKED);
  context.session.delete(PART);
  context.session.delete(PROGRESS);
  await positions?.clear();
  return undefined;
}

/** A new slot where an older one was read: what has changed in between is nowhere. */
export async function sayMissed({ config, context, target, slot, positions }: Opening): Promise<void> {
  const stored = await positions?.readLsn();
  const wasThere = context.session.has(PROCESS) || context.session.has(PINNED);
  if (config.temporary_slot || (!stored && !wasThere)) return;
  if (wasThere) throw errors.SLOT_GONE({ slot, target });
  context.log.warn(
    `the replication slot "${slot}" of ${target} is gone, and a new one is made: what has changed since ${formatLsn(stored!.lsn)} is missed`,
  );
}

/** Where a stream of this process was before: its end may be known to us sooner than to the server. */
export async function endOwn(
  { context: { session, clock }, slot }: Opening,
  admin: pg.Client,
  { activePid }: SlotState,
): Promise<void> {
  if (activePid === undefined || session.get(PROCESS) !== activePid) return;
  await rawRows(admin, "SELECT pg_terminate_backend($1::int)", [activePid]);
  for (let tries = 0; tries < 20; tries++) {
    const [row] = await rawRows(admin, "SELECT active_pid FROM pg_replication_slots WHERE slot_name = $1", [slot]);
    if (row?.[0] == null) return;
    await new Promise<void>((resolve) => void clock.timer(50, resolve));
  }
}
