import { batchOf, type Consumer, type Delivery, type EndpointStatus, isMqbError } from "@mqb/core/plugin";
import { ChangeIds, ChangeLog, Handout, type Part, quoteIdentifier, type Settled, Turns } from "@mqb/sql";
import { errors } from "../../errors.ts";
import { Decoder } from "../decode/decoder.ts";
import { StreamFault } from "../decode/fault.ts";
import { Spools } from "../decode/spool.ts";
import { NAMES } from "../names.ts";
import { ACKED, PART, PROCESS } from "../opening/session.ts";
import { formatLsn } from "../server/lsn.ts";
import { refused } from "../server/refused.ts";
import { KeepAlive, type KeepAliveHost } from "./keep-alive.ts";
import { Replication, type StreamHost } from "./replication.ts";
import type { StreamSetup } from "./setup.ts";

const DRAIN_ASK_MS = 20;
const DONE: Promise<void> = Promise.resolve();
const NOTHING: Delivery = { batch: batchOf([]), commit: () => DONE };

/** Reads the stream of a slot. What was acked without a gap is confirmed to the server; what was not is handed out again. */
export class StreamConsumer implements Consumer, StreamHost, KeepAliveHost {
  private readonly s: StreamSetup;
  private readonly log: ChangeLog;
  private readonly decoder: Decoder;
  private readonly spools: Spools;
  private readonly handout: Handout;
  private readonly turns: Turns = new Turns();
  private stream!: Replication;
  private keepAlive!: KeepAlive;
  private failure: { readonly error: unknown } | undefined;
  private closing: Promise<void> | undefined;
  private readonly over: AbortController = new AbortController();
  private isReplaying = false;
  private isWorking = false;
  /** Something was given back and is not acked since. */
  private hasNacked = false;

  private constructor(setup: StreamSetup) {
    const { slot, stamps, idHash } = setup;
    this.s = setup;
    this.log = new ChangeLog(setup.position, setup.session.get(PART) as Part | undefined);
    const fields = { ids: new ChangeIds(idHash), names: NAMES, source: slot, stamps, isSnapshot: false };
    this.handout = new Handout(this.log, fields, (settled) => this.settled(settled));
    this.spools = new Spools({
      failed: (cause) =>
        this.lost(errors.SPOOL({ folder: this.spools.folder, reason: (cause as Error).message }, { cause })),
      drained: () => this.work(),
    });
    this.decoder = new Decoder(this.log, this.spools, setup.splitsKeyChange, setup.types);
  }

  static async open(setup: StreamSetup): Promise<StreamConsumer> {
    const { client, command, clock, target, slot, session } = setup;
    const consumer = new StreamConsumer(setup);
    try {
      consumer.stream = await Replication.start(client, command, clock, consumer);
    } catch (error) {
      throw refused(error, target, slot);
    }
    session.set(PROCESS, consumer.stream.processId);
    consumer.keepAlive = new KeepAlive(setup, consumer.log, consumer.stream, consumer);
    if (!consumer.isOver) consumer.keepAlive.begin();
    consumer.work();
    return consumer;
  }

  async receive(max: number, signal: AbortSignal): Promise<Delivery> {
    for (;;) {
      if (this.failure) throw this.failure.error;
      if (this.closing) throw errors.CLOSED({ target: this.s.target });
      const delivery = this.handout.next(max);
      if (delivery) {
        this.madeRoom();
        return delivery;
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
    const end = this.keepAlive.serverEnd;
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

  get signal(): AbortSignal {
    return this.over.signal;
  }

  arrived(): void {
    this.work();
  }

  lost(error: unknown): void {
    if (this.isOver) return;
    const { target, slot } = this.s;
    this.failure = {
      error:
        error instanceof StreamFault
          ? errors.STREAM({ target, reason: error.message }, { cause: error })
          : refused(error, target, slot),
    };
    this.over.abort();
    this.keepAlive?.stop();
    this.turns.hasRows();
    this.madeRoom();
  }

  /** Reads what has come, as long as there is room for it. */
  private work(): void {
    const { stream, decoder, keepAlive } = this;
    if (!keepAlive || this.isWorking || this.isOver) return;
    this.isWorking = true;
    try {
      while (!this.isBlocked && stream.next()) {
        const { bytes, start, end } = stream.frames;
        if (bytes[start] === 119) {
          if (end - start < 25) throw new StreamFault("a data message that is too short");
          keepAlive.saw(bytes.readUInt32BE(start + 9), bytes.readUInt32BE(start + 13));
          decoder.message(bytes, start + 25, end);
          if (decoder.replay) void this.replay();
          else if (decoder.asks) void this.learn();
        } else if (bytes[start] === 107) {
          keepAlive.heard(bytes.readBigUInt64BE(start + 1), bytes[start + 17] === 1);
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
    if (this.log.hasReady || this.isDrained) this.turns.hasRows();
  }

  private get isBlocked(): boolean {
    const { decoder, log, spools } = this;
    return (
      this.isReplaying || decoder.replay !== undefined || decoder.asks !== undefined || log.isFull || spools.isBehind
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
        for (let i = 0; i < ranges.length; i += 2) {
          decoder.replayed(bytes, ranges[i]!, ranges[i + 1]!);
          if (decoder.asks) await this.askTypes();
        }
        log.release(replay.lsn);
        this.turns.hasRows();
        while (log.isFull && !this.isOver) await this.turns.room();
        if (this.isOver) return;
      }
      decoder.endReplay(replay);
      this.turns.hasRows();
    } catch (error) {
      const { folder } = this.spools;
      this.lost(
        error instanceof StreamFault || isMqbError(error)
          ? error
          : errors.SPOOL({ folder, reason: (error as Error).message }, { cause: error }),
      );
    } finally {
      this.isReplaying = false;
    }
    // A transaction all of whose rows were rolled back, or acked meanwhile.
    this.keepAlive.confirmNew();
    this.work();
  }

  /** A table has come with a type that was made meanwhile. */
  private async learn(): Promise<void> {
    try {
      await this.askTypes();
    } catch (error) {
      this.lost(error);
    }
    this.work();
  }

  private async askTypes(): Promise<void> {
    const { decoder } = this;
    await this.s.askTypes(
      decoder.asks!.columns.map(({ type }) => type),
      this.signal,
    );
    decoder.answered();
  }

  private get isOver(): boolean {
    return this.closing !== undefined || this.failure !== undefined;
  }

  private settled({ taken, to, hasNacked, hasMoved }: Settled): Promise<void> {
    const { log } = this;
    const { session, saver } = this.s;
    if (to > taken.from) session.set(PART, log.partOf(taken, to));
    this.hasNacked = hasNacked;
    if (hasNacked) this.turns.hasRows();
    if (!hasMoved) return DONE;
    session.set(ACKED, log.confirmed);
    // Where the stream is lost, the next one begins there.
    this.keepAlive.confirm();
    return saver?.save(log.confirmed) ?? DONE;
  }

  private get isDrained(): boolean {
    const { end } = this.s;
    const { log } = this;
    return end !== undefined && !log.hasReady && !log.isOpen && log.position >= end;
  }

  private async somethingNew(signal: AbortSignal): Promise<void> {
    const { end, clock } = this.s;
    let cancelAsk: () => void = () => {};
    // A server that has nothing to send says how far it is when it is asked.
    const ask = (): void => {
      if (!this.isBlocked) this.keepAlive.confirm(true);
      cancelAsk = clock.timer(DRAIN_ASK_MS, ask);
    };
    if (end !== undefined) cancelAsk = clock.timer(DRAIN_ASK_MS, ask);
    await this.turns.rows(signal);
    cancelAsk();
  }

  private madeRoom(): void {
    if (this.turns.hasRoom()) return;
    if (this.stream && !this.stream.listens && !this.isBlocked) queueMicrotask(() => this.work());
  }

  private async end(): Promise<void> {
    this.over.abort();
    this.keepAlive.stop();
    this.turns.hasRows();
    this.madeRoom();
    const { log, s } = this;
    // Whoever reconnects goes on with the slot.
    const isLast = !this.failure && log.unsettled === 0 && !this.hasNacked;
    this.keepAlive.confirm();
    const drops = isLast && s.isTemporary;
    const isDropped = await this.stream.close(drops ? `DROP_REPLICATION_SLOT ${quoteIdentifier(s.slot)}` : undefined);
    if (drops && !isDropped)
      s.log.warn(
        `${s.target} has not said that the replication slot "${s.slot}" is dropped; where it is still there, it keeps what is written from now on: SELECT pg_drop_replication_slot('${s.slot}')`,
      );
    await this.spools.close();
    await s.saver?.settled();
    await s.release();
  }
}
