import type { Consumer } from "@mqb/core/plugin";
import { LatestWriter, PhasedConsumer } from "@mqb/sql";
import type pg from "pg";
import { errors } from "../../errors.ts";
import { BackfillConsumer } from "../backfill/backfill-consumer.ts";
import type { Progress } from "../position/positions.ts";
import type { PublishedTable } from "../server/catalog.ts";
import { connect, disconnect } from "../server/connection.ts";
import { parseLsn } from "../server/lsn.ts";
import { refused } from "../server/refused.ts";
import { currentPosition } from "../server/server.ts";
import { existingSlot } from "../server/slot.ts";
import { makeSlot } from "./open-slot.ts";
import { openStream } from "./open-stream.ts";
import type { Opening } from "./opening.ts";
import { PROGRESS } from "./session.ts";

type From = Exclude<Progress, { readonly done: true }> | undefined;

/** The rows as the slot's first position has them, or as they are now where it is older; then the stream. */
export async function readThenStream(
  opening: Opening,
  admin: pg.Client,
  tables: readonly PublishedTable[],
  progress: From,
): Promise<Consumer> {
  const { config, context, target } = opening;
  const found = await existingSlot(admin, config, target);
  const made = found ? undefined : await makeSlot(opening, true);
  const client = await opening.connected(false);
  await beginSnapshot(client, made?.snapshot);
  if (made) await opening.ended(made.client);
  // Never behind a change that the stream brings: a sink may take the newest position of a row.
  const lsn = made?.lsn ?? parseLsn(progress?.lsn ?? found!.confirmed!)!;
  // A slot that is new knows nothing of rows that were read before it.
  return new PhasedConsumer(reader(opening, client, tables, made ? undefined : progress, lsn), {
    finished: () => opening.save({ done: true }),
    next: async () => {
      const again = await connect(config, context, false);
      try {
        return await openStream(opening, again, true);
      } finally {
        await disconnect(again);
      }
    },
    release: async () => opening.giveUp(),
  });
}

/** The rows as they are now. */
export async function readSnapshot(
  opening: Opening,
  admin: pg.Client,
  tables: readonly PublishedTable[],
  progress: From,
): Promise<Consumer> {
  const { config, context, positions } = opening;
  const lsn = progress ? parseLsn(progress.lsn)! : await currentPosition(admin);
  const client = await opening.connected(false);
  await beginSnapshot(client, undefined);
  return new PhasedConsumer(reader(opening, client, tables, progress, lsn), {
    finished: async () => {
      if (positions) await positions.clear();
      context.session.delete(PROGRESS);
    },
    ...(context.draining ? {} : { end: () => errors.SNAPSHOT_END({ publication: config.publication }) }),
    release: async () => opening.giveUp(),
  });
}

function reader(
  opening: Opening,
  client: pg.Client,
  tables: readonly PublishedTable[],
  from: From,
  lsn: bigint,
): BackfillConsumer {
  const { config, context, slot, target, positions } = opening;
  opening.handOver(client);
  const saver =
    positions &&
    new LatestWriter<Progress>(
      (progress) => positions.writeProgress(progress),
      context.log,
      `how far the tables of ${config.publication} were read`,
    );
  return new BackfillConsumer({
    client,
    tables,
    slot,
    publication: config.publication,
    target,
    lsn,
    from,
    types: opening.types,
    idHash: config.id_hash ?? "fnv1a",
    stamps: opening.stamps,
    saver,
    save: (progress) => {
      context.session.set(PROGRESS, progress);
      return saver?.save(progress) ?? Promise.resolve();
    },
  });
}

/** A transaction that sees one state of the tables, as long as it is read. */
async function beginSnapshot(client: pg.Client, snapshot: string | undefined): Promise<void> {
  try {
    await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY");
    // A name that the server has made: digits and hyphens.
    if (snapshot !== undefined) await client.query(`SET TRANSACTION SNAPSHOT '${snapshot.replaceAll("'", "''")}'`);
    // The first statement decides what is seen.
    else await client.query("SELECT 1");
  } catch (error) {
    throw refused(error, "the tables' transaction");
  }
}
