import { type Clock, sleep } from "../contract/clock.ts";
import { ACCEPTED, failed, type Outcome } from "../contract/disposition.ts";
import type { Consumer, Delivery, Publisher } from "../contract/endpoint.ts";
import { coreErrors } from "../errors/errors.ts";
import { kindOf } from "../errors/mqb-error.ts";
import { batchOf, type MessageBatch } from "../message/batch.ts";
import type { Accounting } from "./accounting.ts";
import type { Drops } from "./drops.ts";
import { type Handler, runHandler } from "./handler.ts";
import { judge, type Verdict } from "./publish.ts";
import { Sequencer } from "./sequencer.ts";
import { Yielder } from "./yielder.ts";

/** Why a pump stopped. */
export type PumpEnd =
  | { readonly reason: "drained" | "limit" | "stopped" }
  /** The source is finished, or the sink does not want more (a closed pipe): a clean end with an explanation. */
  | { readonly reason: "end"; readonly error: unknown; readonly side: "input" | "output" }
  | { readonly reason: "connection" | "failed"; readonly error: unknown; readonly side: "input" | "output" };

export interface PumpSettings {
  readonly route: string;
  readonly concurrency: number;
  readonly batchSize: number;
  readonly commitLimit: number;
  readonly maxInFlightBytes: number;
  readonly emptyDelayMs: number;
  readonly draining: boolean;
  /** The source knows its end; otherwise this long a silence is taken for it. */
  readonly bounded: boolean;
  readonly drainIdleMs: number;
  readonly commitsInOrder: boolean;
  readonly orderedPublish: boolean;
  readonly handler: Handler | undefined;
  /** How many more messages may be delivered before the pump ends; asked before every read. */
  readonly remaining: () => number;
  /** The input's own middlewares count what they receive; without them the pump counts. */
  readonly countsReceived: boolean;
  readonly sinkName: string;
  readonly clock: Clock;
  readonly accounting: Accounting;
  readonly drops: Drops;
}

const MAX_NACK_PAUSE_MS = 1000;
const MAX_FRUITLESS_IN_DRAIN = 10;

/**
 * Moves batches from one opened consumer to one opened publisher until something ends it: reads while there is room,
 * works on up to `concurrency` batches, commits in order where the source asks for it. Closes nothing itself.
 */
export class Pump {
  private readonly s: PumpSettings;
  private readonly consumer: Consumer;
  private readonly publisher: Publisher;
  private readonly publishing = new Sequencer();
  private readonly committing = new Sequencer();
  private readonly reading = new AbortController();
  private readonly sending = new AbortController();
  private readonly yielder = new Yielder();
  private end: PumpEnd | undefined;
  private nextNumber = 0;
  private working = 0;
  private unsettled = 0;
  private bytes = 0;
  private messages = 0;
  private nacksSince = 0;
  private fruitless = 0;
  private wake: (() => void) | undefined;

  constructor(consumer: Consumer, publisher: Publisher, settings: PumpSettings) {
    this.consumer = consumer;
    this.publisher = publisher;
    this.s = settings;
  }

  /** Batches that are not settled yet, and their payload bytes. */
  get load(): { readonly batches: number; readonly bytes: number } {
    return { batches: this.unsettled, bytes: this.bytes };
  }

  /** Stops reading; what is in flight is finished. */
  stop(): void {
    this.finish({ reason: "stopped" });
  }

  /** Tells the sink that nobody waits any more; sends that go on are given up. */
  abort(reason: unknown): void {
    this.sending.abort(reason);
  }

  /** Reads until the pump has an end, then waits for everything in flight. Never rejects. */
  async run(): Promise<PumpEnd> {
    while (!this.end) {
      if (!this.hasRoom()) {
        await this.somethingSettled();
        continue;
      }
      const max = Math.min(this.s.batchSize, this.s.remaining() - this.messages);
      if (max <= 0) {
        if (this.unsettled === 0) this.finish({ reason: "limit" });
        else await this.somethingSettled();
        continue;
      }
      if (this.fruitless > 0 && !(await this.pauseAfterNack())) continue;
      await this.readOnce(max);
      const pause = this.yielder.turn();
      if (pause) await pause;
    }
    while (this.unsettled > 0) await this.somethingSettled();
    return this.end;
  }

  private async readOnce(max: number): Promise<void> {
    let delivery: Delivery;
    try {
      delivery = await (this.s.draining && !this.s.bounded
        ? this.receiveOrIdle(max)
        : this.consumer.receive(max, this.reading.signal));
    } catch (error) {
      if (!this.end) this.finish(endOf(error, "input"));
      return;
    }
    const batch = delivery.batch;
    if (batch.length > 0) {
      if (this.s.countsReceived) this.s.accounting.receive(batch.length);
      this.begin(batch);
      void this.work(delivery, this.nextNumber++);
      return;
    }
    this.begin(batch);
    const number = this.nextNumber++;
    if (this.s.orderedPublish) void this.skipTurn(number);
    await this.settle(delivery, number, undefined);
    if (delivery.emptied || this.end) return;
    if (this.s.draining) await this.endIfDrained();
    else await this.idle();
  }

  /** The source said "nothing": that is the end unless something in flight comes back to it. */
  private async endIfDrained(): Promise<void> {
    const before = this.nacksSince;
    while (this.unsettled > 0 && !this.end) await this.somethingSettled();
    if (this.nacksSince === before && before === 0) this.finish({ reason: "drained" });
    this.nacksSince = 0;
  }

  private async idle(): Promise<void> {
    // A delay of 0 still lets timers and other routes run.
    await sleep(this.s.clock, this.s.emptyDelayMs, this.reading.signal);
  }

  private async receiveOrIdle(max: number): Promise<Delivery> {
    const idle = new AbortController();
    const cancel = this.s.clock.timer(this.s.drainIdleMs, () => idle.abort());
    const stop = (): void => idle.abort(this.reading.signal.reason);
    this.reading.signal.addEventListener("abort", stop, { once: true });
    try {
      return await this.consumer.receive(max, idle.signal);
    } catch (error) {
      if (idle.signal.aborted && (error === idle.signal.reason || this.end))
        return { batch: NOTHING, commit: async () => {} };
      throw error;
    } finally {
      cancel();
      this.reading.signal.removeEventListener("abort", stop);
    }
  }

  /** Publishes and commits one batch. Holds a worker until the sink has answered, a commit slot until the source has. */
  private async work(delivery: Delivery, number: number): Promise<void> {
    const batch = delivery.batch;
    this.working += 1;
    let verdict: Verdict;
    try {
      verdict = await this.publish(batch, number);
    } finally {
      this.working -= 1;
      this.wakeReader();
    }
    this.note(verdict);
    await this.settle(delivery, number, verdict);
  }

  private async publish(batch: MessageBatch, number: number): Promise<Verdict> {
    const { handler, accounting, drops } = this.s;
    if (!handler) {
      const outcomes = await this.sendInTurn(batch, number);
      if (outcomes === undefined) {
        accounting.settle("delivered", batch.length);
        return { dispositions: undefined, nacked: 0, delivered: batch.length };
      }
      return judge(batch, outcomes, accounting, drops);
    }
    const handled = await runHandler(handler, batch, this.s.route);
    const sent = await this.sendInTurn(handled.publish, number);
    // Positions that the handler acknowledged without publishing stay `accepted`.
    const outcomes = new Array<Outcome>(batch.length).fill(ACCEPTED);
    if (sent) for (let i = 0; i < sent.length; i++) outcomes[handled.positions[i]!] = sent[i]!;
    for (const failure of handled.failures) outcomes[failure.index] = failed(failure.error);
    return judge(batch, outcomes, accounting, drops);
  }

  private async sendInTurn(batch: MessageBatch, number: number): Promise<readonly Outcome[] | undefined> {
    if (this.s.orderedPublish) {
      const turn = this.publishing.enter(number);
      if (turn) await turn;
    }
    try {
      if (batch.length === 0) return undefined;
      if (this.sending.signal.aborted) throw this.sending.signal.reason;
      // After a failure nothing younger may reach the sink ahead of what comes back.
      if (this.end && "error" in this.end) throw this.end.error;
      const outcomes = await this.publisher.send(batch, this.sending.signal);
      if (outcomes && outcomes.length !== batch.length) {
        throw coreErrors.OUTCOME_COUNT({ endpoint: this.s.sinkName, sent: batch.length, got: outcomes.length });
      }
      return outcomes;
    } catch (error) {
      return new Array<Outcome>(batch.length).fill(failed(error));
    } finally {
      if (this.s.orderedPublish) this.publishing.leave(number);
    }
  }

  private async skipTurn(number: number): Promise<void> {
    const turn = this.publishing.enter(number);
    if (turn) await turn;
    this.publishing.leave(number);
  }

  private note(verdict: Verdict): void {
    if (verdict.nacked > 0) {
      this.nacksSince += 1;
      this.fruitless = verdict.delivered > 0 ? 1 : this.fruitless + 1;
    } else this.fruitless = 0;
    if (verdict.fatal) {
      const { kind, error } = verdict.fatal;
      this.finish({ reason: kind === "config" ? "failed" : kind, error, side: "output" });
      return;
    }
    if (this.s.draining && this.fruitless >= MAX_FRUITLESS_IN_DRAIN) {
      const nacked = verdict.dispositions?.find((one) => one.type === "nack");
      this.finish({ reason: "failed", error: nacked?.type === "nack" ? nacked.error : undefined, side: "output" });
    }
  }

  private async settle(delivery: Delivery, number: number, verdict: Verdict | undefined): Promise<void> {
    const { commitsInOrder } = this.s;
    try {
      if (commitsInOrder) {
        const turn = this.committing.enter(number);
        if (turn) await turn;
      }
      await delivery.commit(verdict?.dispositions);
    } catch (error) {
      // What could not be committed is delivered again after the reconnect.
      this.finish(asCommitFailure(error));
    } finally {
      if (commitsInOrder) this.committing.leave(number);
      this.unsettled -= 1;
      this.bytes -= delivery.batch.byteLength;
      this.messages -= delivery.batch.length;
      this.wakeReader();
    }
  }

  private begin(batch: MessageBatch): void {
    this.unsettled += 1;
    this.bytes += batch.byteLength;
    this.messages += batch.length;
  }

  private hasRoom(): boolean {
    return (
      this.working < this.s.concurrency &&
      this.unsettled - this.working < this.s.commitLimit &&
      this.bytes < this.s.maxInFlightBytes
    );
  }

  private somethingSettled(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
    });
  }

  private wakeReader(): void {
    const wake = this.wake;
    this.wake = undefined;
    wake?.();
  }

  private pauseAfterNack(): Promise<boolean> {
    const ms = Math.min(MAX_NACK_PAUSE_MS, 10 * 2 ** Math.min(this.fruitless - 1, 10));
    return sleep(this.s.clock, ms, this.reading.signal);
  }

  private finish(end: PumpEnd): void {
    if (this.end) return;
    this.end = end;
    this.reading.abort();
    this.wakeReader();
  }
}

const NOTHING = batchOf([]);

function endOf(error: unknown, side: "input" | "output"): PumpEnd {
  const kind = kindOf(error, "connection");
  if (kind === "end") return { reason: "end", error, side };
  return { reason: kind === "permanent" || kind === "config" ? "failed" : "connection", error, side };
}

function asCommitFailure(error: unknown): PumpEnd {
  const end = endOf(error, "input");
  return end.reason === "end" ? { reason: "connection", error, side: "input" } : end;
}
