import { LatestWriter, quoteIdentifier } from "@mqb/sql";
import type pg from "pg";
import { errors } from "../../errors.ts";
import { type SlotState, versionOf } from "../server/catalog.ts";
import { formatLsn, parseLsn } from "../server/lsn.ts";
import { currentPosition, endOfLog, senderTimeout, serverOf } from "../server/server.ts";
import { existingSlot } from "../server/slot.ts";
import { paceOf } from "../stream/pace.ts";
import { StreamConsumer } from "../stream/stream-consumer.ts";
import { endOwn, makeSlot, sayMissed } from "./open-slot.ts";
import type { Opening } from "./opening.ts";
import { ACKED, PART, SERVER } from "./session.ts";

/** The stream, from the slot's position or the one that is known better. `behindRows`: the slot was there before them. */
export async function openStream(opening: Opening, admin: pg.Client, behindRows: boolean): Promise<StreamConsumer> {
  const { config, context, target, slot, positions } = opening;
  const found = await existingSlot(admin, config, target);
  if (!found && behindRows) throw errors.SLOT_GONE({ slot, target });
  if (!found) await sayMissed(opening);
  if (found) await endOwn(opening, admin, found);
  else await makeSlot(opening, false);
  const client = await opening.connected(true);
  const server = await serverOf(client, target);
  const position = await positionOf(opening, admin, found, server);
  const [version, timeoutMs] = [await versionOf(admin), await senderTimeout(admin)];
  const end = context.draining ? await endOfLog(admin) : undefined;
  const consumer = await StreamConsumer.open({
    client,
    command: commandOf(opening, position, version),
    slot,
    publication: config.publication,
    target,
    position,
    end,
    ...paceOf(config.status_interval_ms, timeoutMs),
    idHash: config.id_hash ?? "fnv1a",
    stamps: opening.stamps,
    splitsKeyChange: config.split_key_change === true,
    clock: context.clock,
    session: context.session,
    saver:
      positions &&
      new LatestWriter((lsn) => positions.writeLsn(lsn, server), context.log, `the position of slot ${slot}`),
    isTemporary: config.temporary_slot === true,
    log: context.log,
    serverEnd: (signal) => opening.aside(currentPosition, signal),
    types: opening.types,
    askTypes: (types, signal) => opening.aside((aside) => opening.types.ask(aside, types), signal),
    release: async () => positions?.close(),
  });
  opening.handOver(client);
  return consumer;
}

function commandOf({ config, slot }: Opening, position: bigint, version: number): string {
  // Pieces of transactions that are not committed yet: the server need not keep them until then.
  const pieces = version >= 140_000 ? "proto_version '2', streaming 'on'" : "proto_version '1'";
  const publication = quoteIdentifier(config.publication).replaceAll("'", "''");
  return `START_REPLICATION SLOT ${quoteIdentifier(slot)} LOGICAL ${formatLsn(position)} (${pieces}, publication_names '${publication}')`;
}

/** The slot stays authoritative: what it has passed is gone. */
async function positionOf(
  { config, context, target, slot: name, positions }: Opening,
  admin: pg.Client,
  slot: SlotState | undefined,
  server: string,
): Promise<bigint> {
  const { session, log } = context;
  const before = session.get(SERVER);
  session.set(SERVER, server);
  const stored = await positions?.readLsn();
  const isForeign = stored?.server !== undefined && stored.server !== server;
  if (isForeign || (before !== undefined && before !== server)) {
    log.warn(
      `${target} is another server than before, or goes on from an older state: the position is the one of the slot "${name}", and changes may come again`,
    );
    session.delete(ACKED);
    session.delete(PART);
  }
  const known = [
    slot?.confirmed == null ? undefined : parseLsn(slot.confirmed),
    session.get(ACKED) as bigint | undefined,
    isForeign ? undefined : stored?.lsn,
  ];
  let position = 0n;
  for (const lsn of known) if (lsn !== undefined && lsn > position) position = lsn;
  const end = await currentPosition(admin);
  if (position > end) {
    const reason = `it is ${formatLsn(position)}, and the log of ${target} ends at ${formatLsn(end)}: it is of another server`;
    throw errors.CHECKPOINT({ id: config.cursor_id ?? name, reason });
  }
  return position;
}
