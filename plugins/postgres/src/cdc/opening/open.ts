import type { Consumer, OpenContext } from "@mqb/core/plugin";
import type pg from "pg";
import { errors } from "../../errors.ts";
import { type CdcConfig, consumeOf } from "../config.ts";
import { connect, cut, disconnect } from "../server/connection.ts";
import { checkTables, preparePublication, warnOfIdentity, warnOfOthers } from "../server/publication.ts";
import { checkServer } from "../server/server.ts";
import { existingSlot } from "../server/slot.ts";
import { makeSlot, unlessGone } from "./open-slot.ts";
import { openStream } from "./open-stream.ts";
import { readSnapshot, readThenStream } from "./open-tables.ts";
import { Opening } from "./opening.ts";
import { PINNED, WARNED } from "./session.ts";

/** Opens what the configuration reads: the tables, the stream, or one after the other. `table`: the only one that is named. */
export function openCdc(config: CdcConfig, context: OpenContext, table?: string): Promise<Consumer> {
  return opened(config, context, (opening, admin) => open(opening, admin, table));
}

/** Makes publication and slot, where that is allowed and needed. */
export async function pinCdc(config: CdcConfig, context: OpenContext): Promise<void> {
  // Nothing is read from a slot.
  if (consumeOf(config) !== "snapshot") await opened(config, context, pin);
}

async function opened<T>(
  config: CdcConfig,
  context: OpenContext,
  work: (opening: Opening, admin: pg.Client) => Promise<T>,
): Promise<T> {
  const opening = new Opening(config, context);
  const admin = await connect(config, context, false);
  // A slot waits for every transaction that is open when it is made: nobody may wait that long.
  const stop = (): void => {
    cut(admin);
    opening.cut();
  };
  context.signal.addEventListener("abort", stop, { once: true });
  try {
    return await work(opening, admin);
  } catch (error) {
    await opening.giveUp();
    throw error;
  } finally {
    context.signal.removeEventListener("abort", stop);
    await disconnect(admin);
  }
}

async function open(opening: Opening, admin: pg.Client, table: string | undefined): Promise<Consumer> {
  const { config, context, target } = opening;
  const consume = consumeOf(config);
  if (consume !== "snapshot") await checkServer(admin, target);
  const publication = await preparePublication(admin, config, target);
  if (!context.session.has(WARNED)) {
    warnOfIdentity(publication, config.publication, context.log);
    if (table !== undefined) warnOfOthers(publication, config.publication, table, context.log);
  }
  context.session.set(WARNED, true);
  const columns = publication.tables.flatMap((table) => table.columns);
  await opening.types.ask(
    admin,
    columns.map(({ type }) => type),
  );
  if (consume !== "capture_new") checkTables(publication, config);
  await opening.openPositions();
  const known = consume === "capture_new" ? ({ done: true } as const) : await opening.progress();
  const progress = consume === "capture_all" && known ? await unlessGone(opening, admin, known) : known;
  if (consume === "snapshot") {
    const from = progress && "done" in progress ? undefined : progress;
    return readSnapshot(opening, admin, publication.tables, from);
  }
  if (progress && "done" in progress) return openStream(opening, admin, false);
  return readThenStream(opening, admin, publication.tables, progress);
}

async function pin(opening: Opening, admin: pg.Client): Promise<void> {
  const { config, target, slot, context } = opening;
  const { session } = context;
  await checkServer(admin, target);
  await preparePublication(admin, config, target);
  if (!(await existingSlot(admin, config, target))) {
    if (session.has(PINNED)) throw errors.SLOT_GONE({ slot, target });
    await makeSlot(opening, false);
  }
  session.set(PINNED, true);
}
