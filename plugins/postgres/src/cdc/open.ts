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
  warnOfIdentity,
} from "./prepare.ts";
import { ACKED, PROCESS, paceOf, StreamConsumer } from "./stream-consumer.ts";

/** In the session: how far the tables were read. */
const PROGRESS = "postgres_cdc tables";
const WARNED = "postgres_cdc warned";

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
  const target = targetOf(config.url);
  const admin = await connect(config, context, false);
  try {
    await checkServer(admin, target);
    await preparePublication(admin, config, target);
    if (await existingSlot(admin, config, target)) return;
    const client = await connect(config, context, true);
    try {
      await createSlot(client, config, false, target);
    } finally {
      await disconnect(client);
    }
  } finally {
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
      return this.stream(admin);
    }
    if (consume === "snapshot") return this.readSnapshot(admin, publication.tables, progress);
    return this.readThenStream(admin, publication.tables, progress);
  }

  cut(): void {
    for (const client of this.clients) cut(client);
  }

  async giveUp(): Promise<void> {
    this.cut();
    await this.positions?.close();
  }

  /** The stream, from the slot's position or the one that is known better. */
  private async stream(admin: pg.Client): Promise<StreamConsumer> {
    const { config, context, target, slot } = this;
    const found = await existingSlot(admin, config, target);
    if (!found) await this.sayMissed();
    if (found) await this.endOwn(admin, found);
    else await this.makeSlot(false);
    const position = await this.position(admin, found);
    const [version, timeoutMs] = [await versionOf(admin), await senderTimeout(admin)];
    const end = context.draining ? await endOfLog(admin) : undefined;
    const client = await this.connected(true);
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
        positions && new LatestWriter((lsn) => positions.writeLsn(lsn), context.log, `the position of slot ${slot}`),
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
    context.session.delete(ACKED);
    return undefined;
  }

  /** A new slot where an older one was read: what has changed in between is nowhere. */
  private async sayMissed(): Promise<void> {
    const { config, context, target, slot } = this;
    const stored = await this.positions?.readLsn();
    if (config.temporary_slot || (!stored && !context.session.has(PROCESS))) return;
    if (context.session.has(PROCESS)) throw errors.SLOT_GONE({ slot, target });
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
  private async position(admin: pg.Client, slot: SlotState | undefined): Promise<bigint> {
    const { session } = this.context;
    const known = [
      slot?.confirmed == null ? undefined : parseLsn(slot.confirmed),
      session.get(ACKED) as bigint | undefined,
      (await this.positions?.readLsn())?.lsn,
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
    const made = await createSlot(client, this.config, exports, this.target);
    if (made !== "exists" && made.snapshot !== undefined && exports)
      return { client, snapshot: made.snapshot, lsn: parseLsn(made.consistentPoint)! };
    await this.ended(client);
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
    const lsn = made?.lsn ?? (progress ? parseLsn(progress.lsn)! : await currentPosition(client));
    // A slot that is new knows nothing of rows that were read before it.
    const tablesConsumer = this.reader(client, tables, made ? undefined : progress, lsn);
    return new PhasedConsumer(tablesConsumer, {
      finished: () => this.save({ done: true }),
      next: async () => {
        const again = await connect(config, context, false);
        try {
          return await this.stream(again);
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
    const client = await this.connected(false);
    await beginSnapshot(client, undefined);
    const lsn = progress ? parseLsn(progress.lsn)! : await currentPosition(admin);
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
