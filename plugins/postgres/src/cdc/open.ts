import type { Consumer, OpenContext } from "@mqb/core/plugin";
import { quoteIdentifier } from "@mqb/sql";
import type pg from "pg";
import { target as targetOf } from "../client/url.ts";
import { errors } from "../errors.ts";
import { rawRows } from "../raw.ts";
import { BackfillConsumer } from "./backfill/backfill-consumer.ts";
import { type PublishedTable, type SlotState, versionOf } from "./catalog.ts";
import { type CdcConfig, consumeOf, slotOf } from "./config.ts";
import { connect, cut, disconnect } from "./connection.ts";
import { formatLsn, parseLsn } from "./lsn.ts";
import { PhasedConsumer } from "./phased-consumer.ts";
import { LatestWriter, Positions, type Progress, storeUrl } from "./positions.ts";
import {
  checkServer,
  checkTables,
  createSlot,
  existingSlot,
  preparePublication,
  refused,
  serverOf,
  warnOfIdentity,
} from "./prepare.ts";
import { ACKED, PART, PROCESS, paceOf, StreamConsumer } from "./stream-consumer.ts";

/** In the session: how far the tables were read. */
const PROGRESS = "postgres_cdc tables";
const WARNED = "postgres_cdc warned";
/** In the session: the slot was there, and has kept everything since. */
const PINNED = "postgres_cdc pinned";
/** In the session: the server that the positions there are of. */
const SERVER = "postgres_cdc server";

/** Opens what the configuration reads: the tables, the stream, or one after the other. */
export async function openCdc(config: CdcConfig, context: OpenContext): Promise<Consumer> {
  const opening = new Opening(config, context);
  const admin = await connect(config, context, false);
  // A slot waits for every transaction that is open when it is made: nobody may wait that long.
  const stop = (): void => {
    cut(admin);
    opening.cut();
  };
  context.signal.addEventListener("abort", stop, { once: true });
  try {
    return await opening.open(admin);
  } catch (error) {
    await opening.giveUp();
    throw error;
  } finally {
    context.signal.removeEventListener("abort", stop);
    await disconnect(admin);
  }
}

/** Makes publication and slot, where that is allowed and needed. */
export async function pinCdc(config: CdcConfig, context: OpenContext): Promise<void> {
  // Nothing is read from a slot.
  if (consumeOf(config) === "snapshot") return;
  const opening = new Opening(config, context);
  const admin = await connect(config, context, false);
  const stop = (): void => {
    cut(admin);
    opening.cut();
  };
  context.signal.addEventListener("abort", stop, { once: true });
  try {
    await opening.pin(admin);
  } catch (error) {
    await opening.giveUp();
    throw error;
  } finally {
    context.signal.removeEventListener("abort", stop);
    await disconnect(admin);
  }
}

class Opening {
  private readonly config: CdcConfig;
  private readonly context: OpenContext;
  private readonly target: string;
  private readonly slot: string;
  private readonly clients = new Set<pg.Client>();
  private positions: Positions | undefined;

  constructor(config: CdcConfig, context: OpenContext) {
    this.config = config;
    this.context = context;
    this.target = targetOf(config.url);
    this.slot = slotOf(config);
  }

  async open(admin: pg.Client): Promise<Consumer> {
    const { config, context, target } = this;
    const consume = consumeOf(config);
    if (consume !== "snapshot") await checkServer(admin, target);
    const publication = await preparePublication(admin, config, target);
    if (!context.session.has(WARNED)) warnOfIdentity(publication, config.publication, context.log);
    context.session.set(WARNED, true);
    if (consume !== "capture_new") checkTables(publication, config);
    this.positions = await this.openPositions();
    const known = consume === "capture_new" ? ({ done: true } as const) : await this.progress();
    const progress = consume === "capture_all" && known ? await this.unlessGone(admin, known) : known;
    if (progress && "done" in progress) {
      if (consume === "snapshot") return this.readSnapshot(admin, publication.tables, undefined);
      return this.stream(admin, false);
    }
    if (consume === "snapshot") return this.readSnapshot(admin, publication.tables, progress);
    return this.readThenStream(admin, publication.tables, progress);
  }

  async pin(admin: pg.Client): Promise<void> {
    const { config, target, slot } = this;
    const { session } = this.context;
    await checkServer(admin, target);
    await preparePublication(admin, config, target);
    if (!(await existingSlot(admin, config, target))) {
      if (session.has(PINNED)) throw errors.SLOT_GONE({ slot, target });
      await this.makeSlot(false);
    }
    session.set(PINNED, true);
  }

  cut(): void {
    for (const client of this.clients) cut(client);
  }

  async giveUp(): Promise<void> {
    this.cut();
    await this.positions?.close();
  }

  /** The stream, from the slot's position or the one that is known better. `behindRows`: the slot was there before them. */
  private async stream(admin: pg.Client, behindRows: boolean): Promise<StreamConsumer> {
    const { config, context, target, slot } = this;
    const found = await existingSlot(admin, config, target);
    if (!found && behindRows) throw errors.SLOT_GONE({ slot, target });
    if (!found) await this.sayMissed();
    if (found) await this.endOwn(admin, found);
    else await this.makeSlot(false);
    const client = await this.connected(true);
    const server = await serverOf(client, target);
    const position = await this.position(admin, found, server);
    const [version, timeoutMs] = [await versionOf(admin), await senderTimeout(admin)];
    const end = context.draining ? await endOfLog(admin) : undefined;
    const name = quoteIdentifier(slot);
    // Pieces of transactions that are not committed yet: the server need not keep them until then.
    const pieces = version >= 140_000 ? "proto_version '2', streaming 'on'" : "proto_version '1'";
    const publication = quoteIdentifier(config.publication).replaceAll("'", "''");
    const { positions } = this;
    const consumer = await StreamConsumer.open({
      client,
      command: `START_REPLICATION SLOT ${name} LOGICAL ${formatLsn(position)} (${pieces}, publication_names '${publication}')`,
      slot,
      publication: config.publication,
      target,
      position,
      end,
      ...paceOf(config.status_interval_ms, timeoutMs),
      idHash: config.id_hash ?? "fnv1a",
      stamps: this.stamps,
      splitsKeyChange: config.split_key_change === true,
      clock: context.clock,
      session: context.session,
      saver:
        positions &&
        new LatestWriter((lsn) => positions.writeLsn(lsn, server), context.log, `the position of slot ${slot}`),
      isTemporary: config.temporary_slot === true,
      log: context.log,
      serverEnd: async (signal) => {
        const aside = await connect(config, { path: context.path, baseDir: context.baseDir, signal }, false);
        try {
          return await currentPosition(aside);
        } finally {
          await disconnect(aside);
        }
      },
      release: async () => positions?.close(),
    });
    this.clients.delete(client);
    return consumer;
  }

  /** How far the tables were read means nothing without the slot that keeps what has changed since. */
  private async unlessGone(admin: pg.Client, progress: Progress): Promise<Progress | undefined> {
    const { config, context, target, slot } = this;
    if (await existingSlot(admin, config, target)) return progress;
    context.log.warn(`the replication slot "${slot}" of ${target} is gone: the tables are read again`);
    // None of it is of the new one: neither where it begins, nor that its rows are read.
    context.session.delete(ACKED);
    context.session.delete(PART);
    context.session.delete(PROGRESS);
    await this.positions?.clear();
    return undefined;
  }

  /** A new slot where an older one was read: what has changed in between is nowhere. */
  private async sayMissed(): Promise<void> {
    const { config, context, target, slot } = this;
    const stored = await this.positions?.readLsn();
    const wasThere = context.session.has(PROCESS) || context.session.has(PINNED);
    if (config.temporary_slot || (!stored && !wasThere)) return;
    if (wasThere) throw errors.SLOT_GONE({ slot, target });
    context.log.warn(
      `the replication slot "${slot}" of ${target} is gone, and a new one is made: what has changed since ${formatLsn(stored!.lsn)} is missed`,
    );
  }

  private get stamps(): boolean {
    return this.context.positions || this.config.source_metadata === true;
  }

  /** Where a stream of this process was before: its end may be known to us sooner than to the server. */
  private async endOwn(admin: pg.Client, { activePid }: SlotState): Promise<void> {
    const { session, clock } = this.context;
    if (activePid === undefined || session.get(PROCESS) !== activePid) return;
    await rawRows(admin, "SELECT pg_terminate_backend($1::int)", [activePid]);
    for (let tries = 0; tries < 20; tries++) {
      const [row] = await rawRows(admin, "SELECT active_pid FROM pg_replication_slots WHERE slot_name = $1", [
        this.slot,
      ]);
      if (row?.[0] == null) return;
      await new Promise<void>((resolve) => void clock.timer(50, resolve));
    }
  }

  /** The slot stays authoritative: what it has passed is gone. */
  private async position(admin: pg.Client, slot: SlotState | undefined, server: string): Promise<bigint> {
    const { session, log } = this.context;
    const before = session.get(SERVER);
    session.set(SERVER, server);
    const stored = await this.positions?.readLsn();
    const isForeign = stored?.server !== undefined && stored.server !== server;
    if (isForeign || (before !== undefined && before !== server)) {
      log.warn(
        `${this.target} is another server than before, or goes on from an older state: the position is the one of the slot "${this.slot}", and changes may come again`,
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
    const [row] = await rawRows(admin, "SELECT pg_current_wal_insert_lsn()");
    const end = parseLsn(row![0]!)!;
    if (position > end) {
      const reason = `it is ${formatLsn(position)}, and the log of ${this.target} ends at ${formatLsn(end)}: it is of another server`;
      throw errors.CHECKPOINT({ id: this.config.cursor_id ?? this.slot, reason });
    }
    return position;
  }

  private async makeSlot(
    exports: boolean,
  ): Promise<{ readonly client: pg.Client; readonly snapshot?: string; readonly lsn: bigint } | undefined> {
    const client = await this.connected(true);
    const { slot, target } = this;
    const made = await createSlot(client, this.config, exports, target, this.context);
    if (made !== "exists" && made.snapshot !== undefined && exports)
      return { client, snapshot: made.snapshot, lsn: parseLsn(made.consistentPoint)! };
    await this.ended(client);
    if (made === "exists") throw errors.SLOT_IN_USE({ slot, target, reason: "somebody else makes it" });
    return undefined;
  }

  /** The rows as the slot's first position has them, or as they are now where it is older; then the stream. */
  private async readThenStream(
    admin: pg.Client,
    tables: readonly PublishedTable[],
    progress: Exclude<Progress, { readonly done: true }> | undefined,
  ): Promise<Consumer> {
    const { config, context, target } = this;
    const found = await existingSlot(admin, config, target);
    const made = found ? undefined : await this.makeSlot(true);
    const client = await this.connected(false);
    await beginSnapshot(client, made?.snapshot);
    if (made) await this.ended(made.client);
    // Never behind a change that the stream brings: a sink may take the newest position of a row.
    const lsn = made?.lsn ?? parseLsn(progress?.lsn ?? found!.confirmed!)!;
    // A slot that is new knows nothing of rows that were read before it.
    const tablesConsumer = this.reader(client, tables, made ? undefined : progress, lsn);
    return new PhasedConsumer(tablesConsumer, {
      finished: () => this.save({ done: true }),
      next: async () => {
        const again = await connect(config, context, false);
        try {
          return await this.stream(again, true);
        } finally {
          await disconnect(again);
        }
      },
      release: async () => this.giveUp(),
    });
  }

  private async readSnapshot(
    admin: pg.Client,
    tables: readonly PublishedTable[],
    progress: Exclude<Progress, { readonly done: true }> | undefined,
  ): Promise<Consumer> {
    const { config, context } = this;
    const lsn = progress ? parseLsn(progress.lsn)! : await currentPosition(admin);
    const client = await this.connected(false);
    await beginSnapshot(client, undefined);
    return new PhasedConsumer(this.reader(client, tables, progress, lsn), {
      finished: async () => {
        if (this.positions) await this.positions.clear();
        context.session.delete(PROGRESS);
      },
      ...(context.draining ? {} : { end: () => errors.SNAPSHOT_END({ publication: config.publication }) }),
      release: async () => this.giveUp(),
    });
  }

  private reader(
    client: pg.Client,
    tables: readonly PublishedTable[],
    from: Exclude<Progress, { readonly done: true }> | undefined,
    lsn: bigint,
  ): BackfillConsumer {
    const { config, slot, target } = this;
    this.clients.delete(client);
    const { positions } = this;
    const saver =
      positions &&
      new LatestWriter<Progress>(
        (progress) => positions.writeProgress(progress),
        this.context.log,
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
      idHash: config.id_hash ?? "fnv1a",
      stamps: this.stamps,
      saver,
      save: (progress) => {
        this.context.session.set(PROGRESS, progress);
        return saver?.save(progress) ?? Promise.resolve();
      },
    });
  }

  private async save(progress: Progress): Promise<void> {
    this.context.session.set(PROGRESS, progress);
    await this.positions?.writeProgress(progress);
  }

  private async progress(): Promise<Progress | undefined> {
    return (this.context.session.get(PROGRESS) as Progress | undefined) ?? (await this.positions?.readProgress());
  }

  private async openPositions(): Promise<Positions | undefined> {
    const { checkpoint_store: store } = this.config;
    if (store == null) return undefined;
    return new Positions(
      await this.context.openStore(storeUrl(store, this.context.baseDir)),
      this.config,
      this.context.clock,
    );
  }

  private async connected(replication: boolean): Promise<pg.Client> {
    const client = await connect(this.config, this.context, replication);
    this.clients.add(client);
    return client;
  }

  private async ended(client: pg.Client): Promise<void> {
    await disconnect(client);
    this.clients.delete(client);
  }
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

async function currentPosition(client: pg.ClientBase): Promise<bigint> {
  const [row] = await rawRows(client, "SELECT pg_current_wal_insert_lsn()");
  return parseLsn(row![0]!)!;
}

/** How long the server waits for a sign of life; 0 = for ever. */
async function senderTimeout(client: pg.ClientBase): Promise<number> {
  const [row] = await rawRows(client, "SELECT setting FROM pg_settings WHERE name = 'wal_sender_timeout'");
  return Number(row?.[0] ?? 0);
}

const PAGE = 8192n;
const PAGE_HEADS: readonly bigint[] = [24n, 40n];

/** Where the log ends now. At the beginning of a page that is behind the page's head, which no change reaches. */
async function endOfLog(client: pg.ClientBase): Promise<bigint> {
  const end = await currentPosition(client);
  const inPage = end % PAGE;
  return PAGE_HEADS.includes(inPage) ? end - inPage : end;
}
