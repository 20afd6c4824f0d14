import { randomInt } from "node:crypto";
import { type Consumer, type OpenContext, silentLogger } from "@mqb/core/plugin";
import { LatestWriter, PhasedConsumer } from "@mqb/sql";
import { MysqlPool } from "../client/pool.ts";
import type { Session } from "../client/session.ts";
import { target as targetOf } from "../client/url.ts";
import { errors } from "../errors.ts";
import { BackfillConsumer } from "./backfill/backfill-consumer.ts";
import { type CdcConfig, consumeOf, heartbeatOf, sourceName } from "./config.ts";
import { formatPlace, parsePlace } from "./place.ts";
import { Positions, type Progress, type StoredPlace, storeUrl } from "./positions.ts";
import { ask, checkServer, endOfLog, type LogEnd, placeFault, type Server } from "./server.ts";
import { backfillTables, beginSnapshot } from "./snapshot.ts";
import { ACKED, PART, StreamConsumer } from "./stream/stream-consumer.ts";
import { findTables, type Wanted } from "./tables.ts";

/** In the session: how far the tables were read. */
const PROGRESS = "mysql_cdc tables";

/** Opens what the configuration reads: the tables, the log, or one after the other. */
export async function openCdc(config: CdcConfig, context: OpenContext): Promise<Consumer> {
  const opening = await Opening.begin(config, context);
  try {
    return await opening.open();
  } catch (error) {
    await opening.giveUp();
    throw error;
  }
}

/** Notes where the log ends, where no position is stored: what changes from now on is read later. */
export async function pinCdc(config: CdcConfig, context: OpenContext): Promise<void> {
  // Nothing is read from the log.
  if (consumeOf(config) === "snapshot") return;
  const opening = await Opening.begin(config, context);
  try {
    await opening.pin();
  } finally {
    await opening.giveUp();
  }
}

/** A few connections: for the log or the rows, and for questions beside them. */
export function connectCdc(
  config: CdcConfig,
  context: Pick<OpenContext, "path" | "baseDir" | "signal">,
): Promise<MysqlPool> {
  const settings = {
    url: config.url,
    ...(config.tls == null ? {} : { tls: config.tls }),
    maxConnections: 3,
    minConnections: 0,
    acquireTimeoutMs: 30_000,
    idleTimeoutMs: 600_000,
    maxLifetimeMs: 1_800_000,
    testBeforeAcquire: false,
    create: false,
  };
  const { path, baseDir, signal } = context;
  return MysqlPool.connect(settings, { path, baseDir, signal, log: silentLogger });
}

class Opening {
  private readonly config: CdcConfig;
  private readonly context: OpenContext;
  private readonly pool: MysqlPool;
  private readonly target: string;
  private positions: Positions | undefined;

  private constructor(config: CdcConfig, context: OpenContext, pool: MysqlPool) {
    this.config = config;
    this.context = context;
    this.pool = pool;
    this.target = targetOf(config.url);
  }

  static async begin(config: CdcConfig, context: OpenContext): Promise<Opening> {
    return new Opening(config, context, await connectCdc(config, context));
  }

  async open(): Promise<Consumer> {
    const { config, context, target } = this;
    const consume = consumeOf(config);
    const server = consume === "snapshot" ? undefined : await this.ask((session) => checkServer(session, target));
    this.positions = await this.openPositions(consume);
    const folds = server?.foldsNames ?? (await this.ask(foldsNames));
    const wanted = await this.ask((session) => findTables(session, config, folds, target));
    if (consume === "snapshot") return this.readTables(wanted, undefined, await this.progress());
    if (consume === "capture_new") return this.stream(server!, wanted);
    const known = await this.progress();
    if (known && "done" in known) {
      // The rows mean nothing without the place behind them.
      if ((await this.positions!.readPlace()) || context.session.has(ACKED)) return this.stream(server!, wanted);
      context.log.warn(`no position is stored for ${config.cursor_id}: the tables of ${target} are read again`);
      return this.readTables(wanted, server, undefined);
    }
    return this.readTables(wanted, server, known);
  }

  async pin(): Promise<void> {
    const { target } = this;
    const { session } = this.context;
    const server = await this.ask((one) => checkServer(one, target));
    this.positions = await this.openPositions(consumeOf(this.config));
    if (session.has(ACKED) || (await this.positions!.readPlace())) return;
    const end = await this.ask(endOfLog);
    session.set(ACKED, end.place);
    await this.positions!.writePlace(formatPlace(end.base, end.place), server.identity);
  }

  async giveUp(): Promise<void> {
    await this.positions?.close();
    await this.pool.close();
  }

  private async stream(server: Server, wanted: Wanted): Promise<StreamConsumer> {
    const { config, context, target, pool } = this;
    const end = await this.ask(endOfLog);
    const stored = await this.positions!.readPlace();
    const acked = context.session.get(ACKED) as bigint | undefined;
    if (stored) await this.checkPlace(stored, server);
    const place = acked ?? stored?.place ?? end.place;
    const positions = this.positions!;
    const text = (one: bigint): string => formatPlace(end.base, one);
    // A start that ends before its first ack goes on from here, too.
    if (!stored) await positions.writePlace(text(place), server.identity);
    return StreamConsumer.open({
      pool,
      server,
      wanted,
      source: sourceName(config),
      target,
      base: end.base,
      place,
      end: end.place,
      isDraining: context.draining,
      // What replicas have is small, as people write it.
      serverId: config.server_id ?? randomInt(0x8000_0000, 0xffff_ffff),
      heartbeatMs: heartbeatOf(config),
      idHash: config.id_hash ?? "fnv1a",
      stamps: this.stamps,
      splitsKeyChange: config.split_key_change === true,
      clock: context.clock,
      session: context.session,
      saver: new LatestWriter(
        (one) => positions.writePlace(text(one), server.identity),
        context.log,
        `the position of ${config.cursor_id} in the log of ${target}`,
      ),
      log: context.log,
      signal: context.signal,
      release: () => this.giveUp(),
    });
  }

  /** Throws where the log of this server has no such place, or not any more. */
  private async checkPlace({ text, base, place, server: of }: StoredPlace, server: Server): Promise<void> {
    const { target } = this;
    if (of !== undefined && of !== server.identity)
      throw errors.FOREIGN({ target, position: text, reason: "it was written for another server" });
    const fault = await this.ask((session) => placeFault(session, base, place));
    if (!fault) return;
    const make = fault.isPurged ? errors.PURGED : errors.FOREIGN;
    throw make({ target, position: text, reason: fault.reason });
  }

  /** The rows in one state; behind them the log from there on, where `server` is given. */
  private async readTables(
    wanted: Wanted,
    server: Server | undefined,
    progress: Exclude<Progress, { readonly done: true }> | Progress | undefined,
  ): Promise<Consumer> {
    const { config, context, target, pool } = this;
    const from = progress && "done" in progress ? undefined : progress;
    const tables = await this.ask((session) => backfillTables(session, wanted, consumeOf(config), target));
    let release: () => void = () => {};
    const isReleased = new Promise<void>((resolve) => {
      release = resolve;
    });
    let running: Promise<void> = Promise.resolve();
    const { session, end } = await new Promise<{ session: Session; end: LogEnd }>((resolve, reject) => {
      running = ask(pool, async (one) => {
        resolve({ session: one, end: await beginSnapshot(one) });
        await isReleased;
        if (!one.lost) await one.query("ROLLBACK").catch(() => one.destroy());
      }).catch(reject);
    });
    const known = from && parsePlace(from.position);
    // Never behind a change that the log brings: a sink may take the newest position of a row.
    const start = known ? { base: known.base, place: known.place } : end;
    if (server && !known) {
      context.session.delete(ACKED);
      context.session.delete(PART);
      await this.positions!.writePlace(formatPlace(start.base, start.place), server.identity);
    }
    const { positions } = this;
    const saver =
      positions &&
      new LatestWriter<Progress>(
        (one) => positions.writeProgress(one),
        context.log,
        `how far the tables of ${target} were read`,
      );
    const consumer = new BackfillConsumer({
      session,
      tables,
      source: sourceName(config),
      target,
      base: start.base,
      place: start.place,
      from,
      idHash: config.id_hash ?? "fnv1a",
      stamps: this.stamps,
      saver,
      save: (one) => {
        context.session.set(PROGRESS, one);
        return saver?.save(one) ?? Promise.resolve();
      },
      release: async () => {
        release();
        await running;
      },
    });
    if (!server)
      return new PhasedConsumer(consumer, {
        finished: async () => {
          await positions?.clear();
          context.session.delete(PROGRESS);
        },
        ...(context.draining ? {} : { end: () => errors.SNAPSHOT_END({ target }) }),
        release: () => this.giveUp(),
      });
    return new PhasedConsumer(consumer, {
      finished: async () => {
        context.session.set(PROGRESS, { done: true });
        await positions!.writeProgress({ done: true });
      },
      next: () => this.stream(server, wanted),
      release: () => this.giveUp(),
    });
  }

  private async progress(): Promise<Progress | undefined> {
    return (this.context.session.get(PROGRESS) as Progress | undefined) ?? (await this.positions?.readProgress());
  }

  private async openPositions(consume: string): Promise<Positions | undefined> {
    const { config, context } = this;
    const { checkpoint_store: store, cursor_id: id } = config;
    if (store == null || id == null) {
      if (consume === "snapshot") return undefined;
      throw errors.NEEDS_STORE({ field: id == null ? "cursor_id" : "checkpoint_store" });
    }
    return new Positions(await context.openStore(storeUrl(store, context.baseDir)), config, context.clock);
  }

  private get stamps(): boolean {
    return this.context.positions || this.config.source_metadata === true;
  }

  private ask<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return ask(this.pool, work, this.context.signal);
  }
}

async function foldsNames(session: Session): Promise<boolean> {
  const { rows } = await session.query("SELECT @@GLOBAL.lower_case_table_names");
  return String(rows[0]![0]) !== "0";
}
