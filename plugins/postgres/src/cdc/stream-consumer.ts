import {
  batchOf,
  type Clock,
  type Consumer,
  type Delivery,
  type Disposition,
  type EndpointStatus,
  type Logger,
  slabBatch,
} from "@mqb/core/plugin";
import { quoteIdentifier } from "@mqb/sql";
import type pg from "pg";
import { errors } from "../errors.ts";
import { ChangeIds, type IdHash } from "./decode/change-id.ts";
import { Decoder } from "./decode/decoder.ts";
import { StreamFault } from "./decode/fault.ts";
import { ChangeFields } from "./decode/fields.ts";
import { ChangeLog, type Part, type Taken } from "./decode/log.ts";
import { Spools } from "./decode/spool.ts";
import { formatLsn } from "./lsn.ts";
import type { LatestWriter } from "./positions.ts";
import { refused } from "./prepare.ts";
import { Replication, type StreamHost } from "./stream/replication.ts";

export interface StreamSetup {
  readonly client: pg.Client;
  /** START_REPLICATION … */
  readonly command: string;
  readonly slot: string;
  readonly publication: string;
  readonly target: string;
  /** Where it begins. */
  readonly position: bigint;
  /** Of a drain: where the log ended when it was opened. */
  readonly end: bigint | undefined;
  /** The server hears of us at least so often. */
  readonly tickMs: number;
  /** One that has said nothing for so long, also when it was asked, is given up. */
  readonly silentMs: number;
  readonly idHash: IdHash;
  readonly stamps: boolean;
  readonly splitsKeyChange: boolean;
  readonly clock: Clock;
  readonly session: Map<string, unknown>;
  readonly saver: LatestWriter<bigint> | undefined;
  /** The slot is dropped when the route ends with nothing left. */
  readonly isTemporary: boolean;
  readonly log: Logger;
  /** Where the server's log ends, asked on another connection. */
  readonly serverEnd: (signal: AbortSignal) => Promise<bigint>;
  readonly release: () => Promise<void>;
}

/** Ready rows up to which more is read. */
const MOST_UNREAD = 4 * 1024 * 1024;
/** An idle slot moves at most so often. */
const IDLE_MS = 500;
const DRAIN_ASK_MS = 20;
/** Where the server is costs a connection while the stream is held back. */
const ASIDE_MS = 2000;
const INTERVAL_MS = 10_000;
/** Replies are due to the server well before it gives us up, and its own before we do. */
const TICKS = 3;
const LEAST_SILENT_MS = 1000;
/** Of a server that gives nobody up. */
const TIMEOUT_MS = 60_000;
/** A server that asks again and again wants to stop, and waits for what is on its way. */
const STOPPING = { soonMs: 60, pauseMs: 150, times: 20 };
const LINE_BREAK = Buffer.from("\n");
const DONE: Promise<void> = Promise.resolve();
const NOTHING: Delivery = { batch: batchOf([]), commit: () => DONE };

/** In the session: how far a stream was acked. */
export const ACKED = "postgres_cdc acked";
/** In the session: how many rows of the next transaction were acked. */
export const PART = "postgres_cdc part";
/** In the session: the server's process that has the slot. */
export const PROCESS = "postgres_cdc process";

/**
 * How often the server hears of us, and how long it may be silent. `timeoutMs`: its `wal_sender_timeout`, 0 = none. While it
 * decodes it may answer nothing: where nobody has said otherwise, it may be as slow as it allows itself to be.
 */
export function paceOf(
  interval: number | null | undefined,
  timeoutMs: number,
): Pick<StreamSetup, "tickMs" | "silentMs"> {
  const wanted = interval ?? INTERVAL_MS;
  const tickMs = timeoutMs > 0 ? Math.min(wanted, Math.ceil(timeoutMs / TICKS)) : wanted;
  const silentMs = Math.max(TICKS * tickMs, LEAST_SILENT_MS, interval == null ? timeoutMs || TIMEOUT_MS : 0);
  return { tickMs, silentMs };
}

/** Reads the stream of a slot. What was acked without a gap is confirmed to the server; what was not is handed out again. */
export class StreamConsumer implements Consumer, StreamHost {
  private readonly s: StreamSetup;
  private readonly log: ChangeLog;
  private readonly decoder: Decoder;
  private readonly spools: Spools;
  private readonly ids: ChangeIds;
  private stream: Replication | undefined;
  private failure: { readonly error: unknown } | undefined;
  private closing: Promise<void> | undefined;
  private wake: (() => void) | undefined;
  private roomy: (() => void) | undefined;
  private isReplaying = false;
  private isWorking = false;
  private epoch = 0;
  /** Something was given back and is not acked since. */
  private hasNacked = false;
  private sent = 0n;
  private sentAt = 0;
  private serverEnd = 0n;
  private walHigh = 0;
  private walLow = 0;
  private asks = 0;
  private asideAt = Number.NEGATIVE_INFINITY;
  private readonly over: AbortController = new AbortController();
  private cancelTick: () => void = () => {};
  private cancelAnswer: (() => void) | undefined;

  private constructor(setup: StreamSetup) {
    this.s = setup;
    this.log = new ChangeLog(setup.position, setup.session.get(PART) as Part | undefined);
    this.serverEnd = setup.position;
    this.ids = new ChangeIds(setup.idHash);
    this.spools = new Spools({
      failed: (cause) =>
        this.lost(errors.SPOOL({ folder: this.spools.folder, reason: (cause as Error).message }, { cause })),
      drained: () => this.work(),
    });
    this.decoder = new Decoder(this.log, this.spools, setup.splitsKeyChange);
  }

  static async open(setup: StreamSetup): Promise<StreamConsumer> {
    const consumer = new StreamConsumer(setup);
    try {
      consumer.stream = await Replication.start(setup.client, setup.command, setup.clock, consumer);
    } catch (error) {
      throw refused(error, setup.target, setup.slot);
    }
    setup.session.set(PROCESS, consumer.stream.processId);
    consumer.confirm(true);
    consumer.tick();
    consumer.work();
    return consumer;
  }

  async receive(max: number, signal: AbortSignal): Promise<Delivery> {
    for (;;) {
      if (this.failure) throw this.failure.error;
      if (this.closing) throw errors.CLOSED({ target: this.s.target });
      const taken = this.log.take(max);
      if (taken) {
        this.madeRoom();
        return this.delivery(taken);
      }
      if (signal.aborted || this.isDrained) return NOTHING;
      await this.somethingNew(signal);
    }
  }

  close(): Promise<void> {
    return (this.closing ??= this.end());
  }

  status(): EndpointStatus {
    const { target, slot, publication } = this.s;
    const { error } = this.failure ?? {};
    const end = this.serverPosition();
    const { confirmed } = this.log;
    return {
      healthy: !this.failure && !this.closing,
      target: `${target} ${publication}`,
      ...(error instanceof Error ? { error: error.message } : {}),
      details: {
        mode: "stream",
        slot,
        publication,
        confirmed_lsn: formatLsn(confirmed),
        received_lsn: formatLsn(this.log.position),
        server_lsn: formatLsn(end),
        lag_bytes: end > confirmed ? Number(end - confirmed) : 0,
        unsettled: this.log.unsettled,
        ...(this.spools.written > 0 ? { spooled_bytes: this.spools.written } : {}),
      },
    };
  }

  arrived(): void {
    this.work();
  }

  lost(error: unknown): void {
    if (this.failure || this.closing) return;
    const { target, slot } = this.s;
    this.failure = {
      error:
        error instanceof StreamFault
          ? errors.STREAM({ target, reason: error.message }, { cause: error })
          : refused(error, target, slot),
    };
    this.cancelTick();
    this.wakeUp();
    this.madeRoom();
  }

  /** Reads what has come, as long as there is room for it. */
  private work(): void {
    const { stream, decoder } = this;
    if (!stream || this.isWorking || this.failure || this.closing) return;
    this.isWorking = true;
    try {
      while (!this.isBlocked && stream.next()) {
        const { bytes, start, end } = stream.frames;
        if (bytes[start] === 119) {
          if (end - start < 25) throw new StreamFault("a data message that is too short");
          this.walHigh = bytes.readUInt32BE(start + 9);
          this.walLow = bytes.readUInt32BE(start + 13);
          decoder.message(bytes, start + 25, end);
          if (decoder.replay) void this.replay();
        } else if (bytes[start] === 107) {
          this.alive(bytes.readBigUInt64BE(start + 1), bytes[start + 17] === 1);
        }
      }
    } catch (error) {
      this.lost(error);
    } finally {
      this.isWorking = false;
    }
    if (this.failure) return;
    if (this.isBlocked) stream.pause();
    else stream.resume();
    if (this.log.hasReady || this.isDrained) this.wakeUp();
  }

  private get isBlocked(): boolean {
    return (
      this.isReplaying ||
      this.decoder.replay !== undefined ||
      (this.log.hasReady && this.log.unread > MOST_UNREAD) ||
      this.spools.isBehind
    );
  }

  /** Hands out what was kept of a large transaction, block by block. */
  private async replay(): Promise<void> {
    const { decoder, log } = this;
    const replay = decoder.replay!;
    this.isReplaying = true;
    try {
      decoder.beginReplay(replay);
      for await (const { bytes, ranges } of replay.spool.messages()) {
        for (let i = 0; i < ranges.length; i += 2) decoder.replayed(bytes, ranges[i]!, ranges[i + 1]!);
        log.release(replay.lsn);
        this.wakeUp();
        while (log.hasReady && log.unread > MOST_UNREAD && !this.isOver) await this.room();
        if (this.isOver) return;
      }
      decoder.endReplay(replay);
      this.wakeUp();
    } catch (error) {
      const { folder } = this.spools;
      this.lost(
        error instanceof StreamFault
          ? error
          : errors.SPOOL({ folder, reason: (error as Error).message }, { cause: error }),
      );
    } finally {
      this.isReplaying = false;
    }
    // A transaction all of whose rows were rolled back, or acked meanwhile.
    if (log.confirmed > this.sent) this.confirm();
    this.work();
  }

  private get isOver(): boolean {
    return this.closing !== undefined || this.failure !== undefined;
  }

  /** The server says how far it is. It wants to hear from us when it asks, or when an idle slot can move. */
  private alive(lsn: bigint, asks: boolean): void {
    const { clock } = this.s;
    if (lsn > this.serverEnd) this.serverEnd = lsn;
    this.log.reached(lsn);
    const sinceMs = clock.monotonic() - this.sentAt;
    if (!asks) {
      if (this.log.confirmed > this.sent && sinceMs >= IDLE_MS) this.confirm();
      return;
    }
    if (this.log.isIdle || sinceMs > STOPPING.soonMs + STOPPING.pauseMs) {
      this.asks = 0;
      return void this.confirm();
    }
    // It asks as soon as it was answered: it only waits for what is on its way, and may be kept waiting for a moment.
    this.asks++;
    if (this.asks > STOPPING.times) return void this.lost(errors.STOPPING({ target: this.s.target }));
    this.cancelAnswer ??= clock.timer(STOPPING.pauseMs, () => {
      this.cancelAnswer = undefined;
      this.confirm();
    });
  }

  private confirm(wantsReply = false): void {
    this.sent = this.log.confirmed;
    this.sentAt = this.s.clock.monotonic();
    this.stream?.confirm(this.sent, wantsReply);
  }

  private tick(): void {
    const { clock, tickMs, target } = this.s;
    const { stream } = this;
    if (this.isOver || !stream) return;
    const sinceMs = clock.monotonic() - stream.heard;
    if (stream.listens && sinceMs > this.s.silentMs)
      return void this.lost(errors.SILENT({ target, ms: Math.round(sinceMs) }));
    this.confirm(stream.listens && sinceMs > tickMs / 2);
    if (!stream.listens) void this.askAside();
    this.cancelTick = clock.timer(tickMs, () => this.tick());
  }

  /** A stream that is held back does not say how far the server is, and how much it keeps for us. */
  private async askAside(): Promise<void> {
    const now = this.s.clock.monotonic();
    if (now - this.asideAt < ASIDE_MS) return;
    // Until it has answered.
    this.asideAt = Number.POSITIVE_INFINITY;
    try {
      const end = await this.s.serverEnd(this.over.signal);
      if (end > this.serverEnd) this.serverEnd = end;
    } catch {
      // Only the status is older.
    }
    this.asideAt = this.s.clock.monotonic();
  }

  private delivery(taken: Taken): Delivery {
    const { chunk, from, to } = taken;
    const { slot, stamps } = this.s;
    const slab = {
      bytes: chunk.bytes,
      starts: chunk.starts.subarray(from, to),
      ends: chunk.ends.subarray(from, to),
      terminator: LINE_BREAK,
    };
    const fields = new ChangeFields(chunk, from, { ids: this.ids, slot, stamps, isSnapshot: false });
    const { epoch } = this;
    return {
      batch: slabBatch(slab, fields),
      commit: (dispositions) => this.settle(taken, epoch, dispositions),
    };
  }

  /** Called once by each delivery, in the order of receipt. */
  private settle(taken: Taken, epoch: number, dispositions: readonly Disposition[] | undefined): Promise<void> {
    // What is behind a nack is handed out again, whatever became of it.
    if (epoch !== this.epoch) return DONE;
    const nacked = dispositions ? dispositions.findIndex(({ type }) => type === "nack") : -1;
    const { log } = this;
    const before = log.confirmed;
    const to = nacked < 0 ? taken.to : taken.from + nacked;
    log.ack(taken, to);
    if (to > taken.from) this.s.session.set(PART, log.partOf(taken, to));
    this.hasNacked = nacked >= 0;
    if (nacked >= 0) {
      this.epoch++;
      log.rewind();
      this.wakeUp();
    }
    if (log.confirmed === before) return DONE;
    this.s.session.set(ACKED, log.confirmed);
    // Where the stream is lost, the next one begins there.
    this.confirm();
    return this.s.saver?.save(log.confirmed) ?? DONE;
  }

  private get isDrained(): boolean {
    const { end } = this.s;
    const { log } = this;
    return end !== undefined && !log.hasReady && !log.isOpen && log.position >= end;
  }

  private somethingNew(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      let cancelAsk: () => void = () => {};
      // A server that has nothing to send says how far it is when it is asked.
      const ask = (): void => {
        if (!this.isBlocked) this.confirm(true);
        cancelAsk = this.s.clock.timer(DRAIN_ASK_MS, ask);
      };
      if (this.s.end !== undefined) cancelAsk = this.s.clock.timer(DRAIN_ASK_MS, ask);
      const wake = (): void => {
        signal.removeEventListener("abort", wake);
        cancelAsk();
        resolve();
      };
      this.wake = wake;
      signal.addEventListener("abort", wake, { once: true });
    });
  }

  private wakeUp(): void {
    const { wake } = this;
    this.wake = undefined;
    wake?.();
  }

  private room(): Promise<void> {
    return new Promise((resolve) => {
      this.roomy = resolve;
    });
  }

  private madeRoom(): void {
    const { roomy } = this;
    this.roomy = undefined;
    if (roomy) return void roomy();
    if (this.stream && !this.stream.listens && !this.isBlocked) queueMicrotask(() => this.work());
  }

  private serverPosition(): bigint {
    const seen = (BigInt(this.walHigh) << 32n) | BigInt(this.walLow);
    return seen > this.serverEnd ? seen : this.serverEnd;
  }

  private async end(): Promise<void> {
    this.over.abort();
    this.cancelTick();
    this.cancelAnswer?.();
    this.wakeUp();
    this.madeRoom();
    const { log, s } = this;
    // Whoever reconnects goes on with the slot.
    const isLast = !this.failure && log.unsettled === 0 && !this.hasNacked;
    this.confirm();
    const drops = isLast && s.isTemporary;
    const isDropped = await this.stream?.close(drops ? `DROP_REPLICATION_SLOT ${quoteIdentifier(s.slot)}` : undefined);
    if (drops && !isDropped)
      s.log.warn(
        `${s.target} has not said that the replication slot "${s.slot}" is dropped; where it is still there, it keeps what is written from now on: SELECT pg_drop_replication_slot('${s.slot}')`,
      );
    await this.spools.close();
    await s.saver?.settled();
    await s.release();
  }
}
