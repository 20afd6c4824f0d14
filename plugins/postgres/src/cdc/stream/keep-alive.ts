import type { Clock } from "@mqb/core/plugin";
import type { ChangeLog } from "@mqb/sql";
import { errors } from "../../errors.ts";
import type { Pace } from "./pace.ts";
import type { Replication } from "./replication.ts";

export interface KeepAliveSetup extends Pace {
  readonly target: string;
  readonly clock: Clock;
  /** Where the server's log ends, asked on another connection. */
  readonly serverEnd: (signal: AbortSignal) => Promise<bigint>;
}

export interface KeepAliveHost {
  /** Aborted when it is over. */
  readonly signal: AbortSignal;
  /** The server is to be given up. */
  lost(error: unknown): void;
}

/** An idle slot moves at most so often. */
const IDLE_MS = 500;
/** Where the server is costs a connection while the stream is held back. */
const ASIDE_MS = 2000;
/** A server that asks again and again wants to stop, and waits for what is on its way. */
const STOPPING = { soonMs: 60, pauseMs: 150, times: 20 };

/** Tells the server what is confirmed, hears how far it is, and finds out when it is silent. */
export class KeepAlive {
  private readonly s: KeepAliveSetup;
  private readonly log: ChangeLog;
  private readonly stream: Replication;
  private readonly host: KeepAliveHost;
  private sent = 0n;
  private sentAt = 0;
  private end: bigint;
  private walHigh = 0;
  private walLow = 0;
  private asks = 0;
  private asideAt = Number.NEGATIVE_INFINITY;
  private cancelTick: () => void = () => {};
  private cancelAnswer: (() => void) | undefined;

  constructor(setup: KeepAliveSetup, log: ChangeLog, stream: Replication, host: KeepAliveHost) {
    this.s = setup;
    this.log = log;
    this.stream = stream;
    this.host = host;
    this.end = log.confirmed;
  }

  begin(): void {
    this.confirm(true);
    this.tick();
  }

  /** What is confirmed can still be said. */
  stop(): void {
    this.cancelTick();
    this.cancelAnswer?.();
  }

  /** How far the server is, as it was heard last. */
  get serverEnd(): bigint {
    const seen = (BigInt(this.walHigh) << 32n) | BigInt(this.walLow);
    return seen > this.end ? seen : this.end;
  }

  /** With each data message, in two halves: a bigint would cost an object. */
  saw(walHigh: number, walLow: number): void {
    this.walHigh = walHigh;
    this.walLow = walLow;
  }

  /** The server says how far it is. It wants to hear from us when it asks, or when an idle slot can move. */
  heard(lsn: bigint, asks: boolean): void {
    const { clock, target } = this.s;
    if (lsn > this.end) this.end = lsn;
    this.log.reached(lsn);
    const sinceMs = clock.monotonic() - this.sentAt;
    if (!asks) {
      if (sinceMs >= IDLE_MS) this.confirmNew();
      return;
    }
    if (this.log.isIdle || sinceMs > STOPPING.soonMs + STOPPING.pauseMs) {
      this.asks = 0;
      return void this.confirm();
    }
    // It asks as soon as it was answered: it only waits for what is on its way, and may be kept waiting for a moment.
    this.asks++;
    if (this.asks > STOPPING.times) return void this.host.lost(errors.STOPPING({ target }));
    this.cancelAnswer ??= clock.timer(STOPPING.pauseMs, () => {
      this.cancelAnswer = undefined;
      this.confirm();
    });
  }

  /** Says what is confirmed, where the server has not heard of it. */
  confirmNew(): void {
    if (this.log.confirmed > this.sent) this.confirm();
  }

  confirm(wantsReply = false): void {
    this.sent = this.log.confirmed;
    this.sentAt = this.s.clock.monotonic();
    this.stream.confirm(this.sent, wantsReply);
  }

  private tick(): void {
    const { clock, tickMs, silentMs, target } = this.s;
    const { stream } = this;
    if (this.host.signal.aborted) return;
    const sinceMs = clock.monotonic() - stream.heard;
    if (stream.listens && sinceMs > silentMs)
      return void this.host.lost(errors.SILENT({ target, ms: Math.round(sinceMs) }));
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
      const end = await this.s.serverEnd(this.host.signal);
      if (end > this.end) this.end = end;
    } catch {
      // Only the status is older.
    }
    this.asideAt = this.s.clock.monotonic();
  }
}
