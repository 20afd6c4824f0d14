import {
  batchOf,
  type Clock,
  type Consumer,
  type Delivery,
  type EndpointStatus,
  isMqbError,
  type Logger,
} from "@mqb/core/plugin";
import {
  ChangeIds,
  ChangeLog,
  Handout,
  type IdHash,
  type LatestWriter,
  type Part,
  type Settled,
  Turns,
} from "@mqb/sql";
import type { MysqlPool } from "../../client/pool.ts";
import { errors } from "../../errors.ts";
import { Columns } from "../columns.ts";
import { Decoder, type DecoderHost } from "../decode/decoder.ts";
import { StreamFault } from "../decode/fault.ts";
import type { Table } from "../decode/row-writer.ts";
import type { TableMap } from "../decode/table-map.ts";
import { namesIn } from "../names.ts";
import { byteOf, fileName, fileOf, formatPlace } from "../place.ts";
import { ask, logFiles, refused, type Server } from "../server.ts";
import type { Wanted } from "../tables.ts";
import { Binlog, type BinlogHost } from "./binlog.ts";

export interface StreamSetup {
  readonly pool: MysqlPool;
  readonly server: Server;
  readonly wanted: Wanted;
  /** Whose position it is. */
  readonly source: string;
  readonly target: string;
  readonly base: string;
  /** Where it begins. */
  readonly place: bigint;
  /** Where the log ended when it was opened. */
  readonly end: bigint;
  readonly isDraining: boolean;
  readonly serverId: number;
  readonly heartbeatMs: number;
  readonly idHash: IdHash;
  readonly stamps: boolean;
  readonly splitsKeyChange: boolean;
  readonly clock: Clock;
  readonly session: Map<string, unknown>;
  readonly saver: LatestWriter<bigint>;
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly release: () => Promise<void>;
}

/** Heartbeats that may be missed. */
const BEATS = 3;
const DONE: Promise<void> = Promise.resolve();
const NOTHING: Delivery = { batch: batchOf([]), commit: () => DONE };

/** In the session: how far a stream was acked. */
export const ACKED = "mysql_cdc acked";
/** In the session: how many rows of the next transaction were acked. */
export const PART = "mysql_cdc part";

/** Reads the binary log. What was acked without a gap is stored as the position; what was not is handed out again. */
export class StreamConsumer implements Consumer, BinlogHost, DecoderHost {
  private readonly s: StreamSetup;
  private readonly log: ChangeLog;
  private readonly decoder: Decoder;
  private readonly handout: Handout;
  private readonly turns: Turns = new Turns();
  private readonly columns = new Columns();
  private tables = new Map<TableMap, Table>();
  private binlog: Binlog | undefined;
  private failure: { readonly error: unknown } | undefined;
  private closing: Promise<void> | undefined;
  private isResolving = false;
  private saved: bigint;
  private files: ReadonlyMap<number, number> = new Map();
  private cancelTick: () => void = () => {};

  private constructor(setup: StreamSetup) {
    this.s = setup;
    this.log = new ChangeLog(setup.place, setup.session.get(PART) as Part | undefined);
    const { base, source, stamps, idHash } = setup;
    const fields = { ids: new ChangeIds(idHash), names: namesIn(base), source, stamps, isSnapshot: false };
    this.handout = new Handout(this.log, fields, (settled) => this.settled(settled));
    this.saved = setup.place;
    this.decoder = new Decoder(this.log, this, {
      isMariaDb: setup.server.isMariaDb,
      hasChecksums: setup.server.hasChecksums,
      splitsKeyChange: setup.splitsKeyChange,
      file: fileOf(setup.place),
      byte: byteOf(setup.place),
    });
  }

  static async open(setup: StreamSetup): Promise<StreamConsumer> {
    const consumer = new StreamConsumer(setup);
    const { pool, serverId, heartbeatMs, clock, signal, base, place, target } = setup;
    consumer.files = await ask(pool, logFiles, signal);
    try {
      const file = fileName(base, fileOf(place));
      consumer.binlog = new Binlog(clock, consumer);
      await consumer.binlog.start({ pool, file, byte: byteOf(place), serverId, heartbeatMs, signal });
    } catch (error) {
      signal.throwIfAborted();
      throw refused(error, target, formatPlace(base, place));
    }
    consumer.flow();
    consumer.tick();
    return consumer;
  }

  async receive(max: number, signal: AbortSignal): Promise<Delivery> {
    for (;;) {
      if (this.failure) throw this.failure.error;
      if (this.closing) throw errors.CLOSED({ target: this.s.target });
      const delivery = this.handout.next(max);
      if (delivery) {
        this.flow();
        return delivery;
      }
      if (signal.aborted || this.isDrained) return NOTHING;
      await this.turns.rows(signal);
    }
  }

  close(): Promise<void> {
    return (this.closing ??= this.end());
  }

  status(): EndpointStatus {
    const { target, source, base } = this.s;
    const { error } = this.failure ?? {};
    const { confirmed, position, unsettled } = this.log;
    return {
      healthy: !this.failure && !this.closing,
      target,
      ...(error instanceof Error ? { error: error.message } : {}),
      details: {
        mode: "stream",
        source,
        confirmed_position: formatPlace(base, confirmed),
        received_position: formatPlace(base, position),
        lag_bytes: this.lag(),
        unsettled,
      },
    };
  }

  event(bytes: Buffer, at: number, end: number): void {
    if (this.isOver) return;
    const { decoder, log } = this;
    try {
      decoder.event(bytes, at, end);
    } catch (error) {
      return void this.lost(error);
    }
    if (decoder.unknown) void this.resolve(decoder.unknown);
    if (this.isBlocked) this.binlog?.pause();
    if (log.hasReady || this.isDrained) this.turns.hasRows();
  }

  lost(error: unknown): void {
    if (this.isOver) return;
    const { target, base } = this.s;
    this.failure = {
      error:
        error instanceof StreamFault
          ? errors.STREAM({ target, reason: `${error.message} at ${this.here()}` }, { cause: error })
          : isMqbError(error)
            ? error
            : refused(error, target, formatPlace(base, this.log.position)),
    };
    this.cancelTick();
    this.binlog?.close();
    this.turns.hasRows();
  }

  wants(schema: string, table: string): boolean {
    return this.s.wanted.has(schema, table);
  }

  tableOf(map: TableMap): Table | undefined {
    return this.tables.get(map);
  }

  forget(): void {
    this.tables = new Map();
  }

  unseen(reason: Parameters<DecoderHost["unseen"]>[0], text: string): void {
    // Of other tables, as far as the names in it tell.
    if (reason === "statement" && !this.s.wanted.now.some(({ table }) => names(text, table))) return;
    const what =
      reason === "statement"
        ? "a statement was written instead of rows; binlog_format was not ROW in its session"
        : text;
    throw errors.UNSEEN({ position: this.here(), reason: what });
  }

  warn(message: string): void {
    this.s.log.warn(`${message} (${this.here()} of ${this.s.target})`);
  }

  private here(): string {
    return formatPlace(this.s.base, this.decoder.place);
  }

  /** Learns of the columns of a table, before its rows are read. */
  private async resolve(map: TableMap): Promise<void> {
    this.isResolving = true;
    this.decoder.unknown = undefined;
    try {
      const position = this.here();
      this.tables.set(map, await ask(this.s.pool, (session) => this.columns.resolve(session, map, position)));
    } catch (error) {
      this.lost(error);
    } finally {
      this.isResolving = false;
    }
    this.flow();
  }

  private get isBlocked(): boolean {
    return this.isResolving || this.log.isFull;
  }

  private get isOver(): boolean {
    return this.closing !== undefined || this.failure !== undefined;
  }

  /** Reads on where there is room. */
  private flow(): void {
    if (this.isOver || !this.binlog) return;
    if (this.isBlocked) this.binlog.pause();
    else this.binlog.resume();
  }

  private tick(): void {
    const { clock, heartbeatMs, target, pool } = this.s;
    this.cancelTick = clock.timer(heartbeatMs, () => {
      if (this.isOver) return;
      const sinceMs = clock.monotonic() - this.binlog!.heard;
      if (this.binlog!.listens && sinceMs > BEATS * heartbeatMs)
        return this.lost(errors.SILENT({ target, ms: Math.round(sinceMs) }));
      // Where only other tables change, nothing is acked.
      if (this.log.confirmed > this.saved) void this.save();
      ask(pool, logFiles).then(
        (files) => {
          this.files = files;
        },
        () => {
          // Only the lag is older.
        },
      );
      this.tick();
    });
  }

  /** How much of the log is not settled, as far as its files were known last. */
  private lag(): number {
    const { confirmed, position } = this.log;
    let bytes = 0;
    for (const [file, size] of this.files)
      if (file > fileOf(confirmed)) bytes += size;
      else if (file === fileOf(confirmed)) bytes += Math.max(0, size - byteOf(confirmed));
    const read = fileOf(position) === fileOf(confirmed) ? byteOf(position) - byteOf(confirmed) : 0;
    return Math.max(bytes, read);
  }

  private settled({ taken, to, hasNacked, hasMoved }: Settled): Promise<void> {
    const { session } = this.s;
    if (to > taken.from) session.set(PART, this.log.partOf(taken, to));
    if (hasNacked) this.turns.hasRows();
    if (!hasMoved) return DONE;
    // Where the stream is lost, the next one begins there.
    session.set(ACKED, this.log.confirmed);
    return this.save();
  }

  private save(): Promise<void> {
    this.saved = this.log.confirmed;
    return this.s.saver.save(this.saved);
  }

  private get isDrained(): boolean {
    const { log } = this;
    return this.s.isDraining && !log.hasReady && !log.isOpen && !this.isResolving && log.position >= this.s.end;
  }

  private async end(): Promise<void> {
    this.cancelTick();
    this.turns.hasRows();
    this.binlog?.close();
    if (this.log.confirmed > this.saved) void this.save();
    await this.s.saver.settled();
    await this.binlog?.ended();
    await this.s.release();
  }
}

/** Whether a statement has the word in it. */
function names(sql: string, table: string): boolean {
  const word = table.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  return new RegExp(`(?<![\\w$])${word}(?![\\w$])`, "i").test(sql);
}
