import type { Checkpoint, CheckpointContext } from "@mqb/core/plugin";
import { target as targetOf } from "../client/url.ts";
import { errors } from "../errors.ts";
import { rawRows } from "../raw.ts";
import { type CdcConfig, consumeOf, slotOf } from "./config.ts";
import { Positions, sourceOf, storeUrl } from "./position/positions.ts";
import { findSlot } from "./server/catalog.ts";
import { connect, disconnect } from "./server/connection.ts";
import { formatLsn, parseLsn } from "./server/lsn.ts";
import { refused } from "./server/refused.ts";
import { serverOf } from "./server/server.ts";

/** The position of a slot, with its copy in `checkpoint_store`. A slot goes forward only, and nothing brings back what it has passed. */
export function checkpointCdc(config: CdcConfig, context: CheckpointContext): Checkpoint | undefined {
  if (consumeOf(config) === "snapshot" && config.checkpoint_store == null) return undefined;
  const slot = slotOf(config);
  const target = targetOf(config.url);
  const id = config.cursor_id ?? slot;
  let opened: Promise<Positions> | undefined;
  const positions = (): Promise<Positions> | undefined => {
    const { checkpoint_store: store } = config;
    if (store == null) return undefined;
    return (opened ??= context
      .openStore(storeUrl(store, context.baseDir))
      .then((one) => new Positions(one, config, context.clock)));
  };
  const slotLsn = async (): Promise<bigint | undefined> => {
    const client = await connect(config, place(context), false);
    try {
      const found = await findSlot(client, slot);
      return found?.confirmed == null ? undefined : parseLsn(found.confirmed);
    } finally {
      await disconnect(client);
    }
  };
  const server = async (): Promise<string> => {
    const client = await connect(config, place(context), true);
    try {
      return await serverOf(client, target);
    } finally {
      await disconnect(client);
    }
  };
  return {
    source: sourceOf(config),
    async read() {
      const stored = await (await positions())?.readLsn();
      const own = await slotLsn();
      const isOwn = stored?.server === undefined || stored.server === (await server());
      if (stored && isOwn && (own === undefined || stored.lsn >= own))
        return {
          value: formatLsn(stored.lsn),
          ...(stored.updatedAt > 0 ? { updatedAt: stored.updatedAt } : {}),
        };
      return own === undefined ? undefined : { value: formatLsn(own) };
    },
    async write(value) {
      const lsn = parseLsn(value);
      if (lsn === undefined) throw errors.CHECKPOINT({ id, reason: `"${value}" is no position (X/Y)` });
      const own = await slotLsn();
      if (own !== undefined && lsn < own)
        throw errors.CHECKPOINT({
          id,
          reason: `the slot "${slot}" has passed ${value} and stands at ${formatLsn(own)}; a slot goes forward only`,
        });
      if (own !== undefined) await advance(config, context, lsn, target);
      const kept = await positions();
      if (kept) await kept.writeLsn(lsn, await server());
    },
    async clear() {
      const kept = await positions();
      if (!kept)
        throw errors.CHECKPOINT({
          id,
          reason: `the position is in the slot "${slot}" of the server, which goes forward only; drop the slot there to begin anew`,
        });
      await kept.clear();
    },
    async close() {
      await (await opened)?.close();
    },
  };
}

async function advance(config: CdcConfig, context: CheckpointContext, lsn: bigint, target: string): Promise<void> {
  const client = await connect(config, place(context), false);
  try {
    await rawRows(client, "SELECT pg_replication_slot_advance($1, $2::pg_lsn)", [slotOf(config), formatLsn(lsn)]);
  } catch (error) {
    throw refused(error, target, slotOf(config));
  } finally {
    await disconnect(client);
  }
}

function place({ baseDir }: CheckpointContext): Parameters<typeof connect>[1] {
  return { path: "input.postgres_cdc", baseDir, signal: new AbortController().signal };
}
