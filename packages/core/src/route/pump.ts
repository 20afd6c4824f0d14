import { setMaxListeners } from "node:events";
import type { RoutePlan } from "../config/check-route.ts";
import type { RouteOptions } from "../config/route-options.ts";
import { type Clock, sleep } from "../contract/clock.ts";
import { failed, type Outcome } from "../contract/disposition.ts";
import type { Consumer, Delivery, InputCapabilities, OutputCapabilities, Publisher } from "../contract/endpoint.ts";
import type { Logger } from "../contract/log.ts";
import { coreErrors } from "../errors/errors.ts";
import { asError, kindOf } from "../errors/mqb-error.ts";
import type { MessageBatch } from "../message/batch.ts";
import type { Accounting } from "./accounting.ts";
import { type Handled, type Handler, handleAll } from "./handler.ts";
import { judge, publishUpTo, refuse, type Verdict } from "./publish.ts";
import { Sequencer } from "./sequencer.ts";
import { RECEIVE_LIMIT_MS } from "./until-idle.ts";
import { Yielder } from "./yielder.ts";

/** Why a pump stopped. */
export type PumpEnd =
  | { readonly reason: "drained" | "limit" | "stopped" }
  /** The source is finished, or the sink does not want more (a closed pipe): a clean end with an explanation. */
  | { readonly reason: "end"; readonly error: unknown }
  | { readonly reason: "connection" | "failed"; readonly error: unknown };

export interface PumpSettings {
  readonly plan: RoutePlan;
  readonly bridge: { readonly clock: Clock; readonly log: Logger };
  readonly handler: Handler | undefined;
  /** Whoever sees the batches keeps nothing of them. */
  readonly givesBack: boolean;
  /** How many more messages may be delivered before the pump ends; asked before every read. */
  readonly remaining: () => number;
  /** Called when the source has taken something for good. */
  readonly cameForward: () => void;
  readonly accounting: Accounting;
}

const MAX_NACK_PAUSE_MS = 1000;
const MAX_FRUITLESS_IN_DRAIN = 10;
/** How long sends and commits may go on after one end of the route has failed. */
const LINGER_MS = 5000;
/** How long a sink that was told that nobody waits has to heed it. */
const SEND_LIMIT_MS = 250;

/**
 * Moves batches from one opened consumer to one opened publisher until something ends it: reads while there is room,
 * works on up to `concurrency` batches, commits in order where the source asks for it. Closes nothing itself.
 */
export class Pump {
  private readonly s: PumpSettings;
  private readonly clock: Clock;
  private readonly options: RouteOptions;
  private readonly source: InputCapabilities;
  private readonly sink: OutputCapabilities;
  private readonly consumer: Consumer;
  private readonly publisher: Publisher;
  private readonly publishing = new Sequencer();
  private readonly committing = new Sequencer();
  private readonly reading = new AbortController();
  private readonly sending = new AbortController();
  private readonly yielder = new Yielder();
  private resolveOver: (end: PumpEnd) => void = () => {};
  private readonly timers: (() => void)[] = [];
  private end: PumpEnd | undefined;
  /** The reader still runs, or is waited for. */
  private reads = true;
  /** Nothing is awaited any more: the route closes both ends, and what is not committed is the source's again. */
  private isOver = false;
  /** No send needs to wait for company: nothing more is read. */
  private hurried = false;
  private commitFailed = false;
  /** The sink takes nothing more, and why. */
  private sinkEnd: { readonly error: unknown } | undefined;
  private nextNumber = 0;
  private nextSend = 0;
  private working = 0;
  private unsettled = 0;
  private bytes = 0;
  private messages = 0;
  /** Batches that went back to the source since it last seemed empty, as the route and as the middlewares have it. */
  private nacksSince = 0;
  private returnsBefore = 0;
  /** Tries in a row that did not bring the source forward. */
  private fruitless = 0;
  /** Why the last messages went back to their source; undefined when it has come forward since. */
  trouble: unknown;
  /** Batches below this number were in flight, or asked for, when the last one came back. */
  private askedAtNack = 0;
  private wake: (() => void) | undefined;

  constructor(consumer: Consumer, publisher: Publisher, settings: PumpSettings) {
    this.consumer = consumer;
    this.publisher = publisher;
    this.s = settings;
    const { options, input, output } = settings.plan;
    this.clock = settings.bridge.clock;
    this.options = options;
    this.source = input.input!;
    this.sink = output.output!;
    // Each of the sends that are under way listens to it, and Node warns of more than ten.
    setMaxListeners(0, this.sending.signal);
  }

  /** Batches that are not settled yet, and their payload bytes. */
  get load(): { readonly batches: number; readonly bytes: number } {
    return { batches: this.unsettled, bytes: this.bytes };
  }

  /** Reads until the pump has an end, then waits for everything in flight, or until it is cut off. Never rejects. */
  run(): Promise<PumpEnd> {
    return new Promise((resolve) => {
      this.resolveOver = resolve;
      void this.read();
    });
  }

  /** Stops reading; what is in flight is finished. */
  stop(): void {
    this.finish({ reason: "stopped" });
  }

  /** Tells the sink that nobody waits any more, and a moment later does not wait for anything any more. */
  cut(reason: unknown): void {
    if (this.isOver) return;
    this.finish({ reason: "stopped" });
    this.sending.abort(reason);
    this.timers.push(this.clock.timer(SEND_LIMIT_MS, () => this.giveUp()));
  }

  private async read(): Promise<void> {
    try {
      while (!this.end) {
        const room = this.s.remaining() - this.messages;
        const max = Math.min(this.options.batchSize, room);
        if (!this.hasRoom() || (max <= 0 && this.unsettled > 0)) {
          if (max <= 0 && !this.hurried) this.hurry();
          await this.somethingSettled();
          continue;
        }
        if (max <= 0) return this.finish({ reason: "limit" });
        if (this.fruitless > 0 && !(await this.pauseAfterNack())) continue;
        const number = this.nextNumber++;
        const delivery = await this.consumer.receive(max, this.reading.signal);
        if (this.isOver) return;
        this.begin(delivery, number, room);
        if (delivery.batch.length === 0 && !delivery.emptied && !this.end) await this.afterNothing();
        const pause = this.yielder.turn();
        if (pause) await pause;
      }
    } catch (error) {
      this.finish(endOf(error));
    } finally {
      this.reads = false;
      this.checkOver();
    }
  }

  /** The source said "nothing". In a drain that is the end, unless something in flight comes back to it. */
  private async afterNothing(): Promise<void> {
    // A delay of 0 still lets timers and other routes run.
    if (!this.options.exitOnEmpty)
      return void (await sleep(this.clock, this.options.emptyBatchDelayMs, this.reading.signal));
    this.hurry();
    while (this.unsettled > 0 && !this.end) await this.somethingSettled();
    const { returns } = this.s.accounting;
    if (this.nacksSince === 0 && returns === this.returnsBefore) this.finish({ reason: "drained" });
    // A middleware may give the same messages back each time.
    else if (returns !== this.returnsBefore) this.fruitless = Math.max(1, this.fruitless);
    this.nacksSince = 0;
    this.returnsBefore = returns;
    this.hurried = false;
  }

  private begin(delivery: Delivery, number: number, room: number): void {
    const { batch } = delivery;
    this.unsettled += 1;
    this.bytes += batch.byteLength;
    this.messages += batch.length;
    if (batch.length > 0) {
      if (this.s.plan.input.middlewares.length === 0) this.s.accounting.receive(batch.length);
      this.work(delivery, number, room).catch((error: unknown) => this.finish(endOf(error)));
    } else {
      void this.settle(delivery, number);
    }
  }

  /** Publishes and commits one batch. Holds a worker until the sink has answered, a commit slot until the source has. */
  private async work(delivery: Delivery, number: number, room: number): Promise<void> {
    const { batch } = delivery;
    const { orderedPublish } = this.sink;
    const order = this.nextSend++;
    this.working += 1;
    const fits = batch.length <= room;
    const handling = fits ? this.handle(batch) : undefined;
    const handled = handling && (await handling);
    const turn = orderedPublish ? this.publishing.enter(order) : undefined;
    if (turn && fits && !handled && !this.end) this.publisher.willSend?.(batch);
    if (turn) await turn;
    const publish = async (part: MessageBatch) => this.publish(part, await this.handle(part));
    const { accounting } = this.s;
    const verdict = await (fits ? this.publish(batch, handled) : publishUpTo(room, batch, accounting, publish));
    // Before the next one's turn: after a failure nothing younger may reach the sink ahead of what comes back.
    if (verdict?.fatal) this.refuse(verdict.fatal);
    if (orderedPublish) this.publishing.leave(order);
    this.working -= 1;
    this.wakeReader();
    void this.settle(delivery, number, verdict);
  }

  private handle(batch: MessageBatch): Promise<Handled> | undefined {
    return this.s.handler && handleAll(this.s.handler, batch, this.s.plan.name, this.yielder);
  }

  /** Undefined = everything is delivered. */
  private async publish(batch: MessageBatch, handled: Handled | undefined): Promise<Verdict | undefined> {
    const { accounting } = this.s;
    try {
      const sent = await this.send(handled ? handled.publish : batch);
      const outcomes = handled ? handled.outcomes(sent) : sent;
      const { acknowledges, takesBack = acknowledges } = this.source;
      if (outcomes) return judge(batch, outcomes, takesBack, accounting);
      accounting.settle("delivered", batch.length);
      return undefined;
    } catch (error) {
      // A fault of a connector: its outcomes cannot be read.
      return refuse(batch, error, accounting);
    }
  }

  private async send(batch: MessageBatch): Promise<readonly Outcome[] | undefined> {
    const { signal } = this.sending;
    try {
      if (batch.length === 0) return undefined;
      if (signal.aborted) throw signal.reason;
      if (this.sinkEnd) throw this.sinkEnd.error;
      const answer = this.publisher.send(batch, signal);
      if (this.hurried) this.flushEarly();
      const outcomes = await answer;
      if (outcomes && outcomes.length !== batch.length)
        throw coreErrors.OUTCOME_COUNT({ endpoint: this.s.plan.output.type, sent: batch.length, got: outcomes.length });
      return outcomes;
    } catch (error) {
      return new Array<Outcome>(batch.length).fill(failed(error));
    }
  }

  private refuse({ error, kind }: NonNullable<Verdict["fatal"]>): void {
    this.sinkEnd ??= { error };
    this.finish({ reason: kind === "config" ? "failed" : kind, error: this.sinkEnd.error });
  }

  /**
   * Whether the source comes forward with this batch; counts the tries in a row that do not bring it forward. What was
   * delivered does not tell: a position stays before the first nack, and what was in flight behind that may come again.
   */
  private comesForward({ batch, emptied }: Delivery, number: number, verdict: Verdict | undefined): boolean {
    if (batch.length === 0 && emptied !== true) return false;
    const { nacked, dispositions, error } = verdict ?? { nacked: 0 };
    const { commitsInOrder } = this.source;
    if (nacked > 0) this.nacksSince += 1;
    const takes = nacked === 0 || (commitsInOrder ? dispositions?.[0]?.type !== "nack" : nacked < batch.length);
    const forward = takes && (!commitsInOrder || number >= this.askedAtNack);
    if (forward) this.fruitless = Math.min(nacked, 1);
    else if (nacked > 0) this.fruitless += 1;
    if (nacked > 0) this.askedAtNack = this.nextNumber;
    if (forward || nacked > 0) this.trouble = error;
    if (this.options.exitOnEmpty && this.fruitless >= MAX_FRUITLESS_IN_DRAIN) this.refuse({ error, kind: "config" });
    return forward;
  }

  private async settle(delivery: Delivery, number: number, verdict?: Verdict): Promise<void> {
    const { batch } = delivery;
    const inOrder = this.source.commitsInOrder;
    const turn = inOrder ? this.committing.enter(number) : undefined;
    if (turn) await turn;
    const forward = this.comesForward(delivery, number, verdict);
    try {
      // A position behind a failed commit would cover that one too: these messages come again.
      if (!this.isOver && !(inOrder && this.commitFailed)) {
        await delivery.commit(verdict?.dispositions);
        if (this.s.givesBack && !verdict?.dispositions) delivery.release?.();
        if (forward) this.s.cameForward();
      }
    } catch (error) {
      this.commitFailed = true;
      const end = endOf(error);
      this.finish(end.reason === "end" ? { ...end, reason: "connection" } : end);
    }
    if (inOrder) this.committing.leave(number);
    this.unsettled -= 1;
    this.bytes -= batch.byteLength;
    this.messages -= batch.length;
    this.wakeReader();
    this.checkOver();
  }

  private hasRoom(): boolean {
    return (
      this.working < this.options.concurrency &&
      this.unsettled - this.working < this.options.commitConcurrencyLimit &&
      this.bytes < this.options.maxInFlightBytes
    );
  }

  private somethingSettled(): Promise<void> {
    return new Promise((resolve) => void (this.wake = resolve));
  }

  private wakeReader(): void {
    const wake = this.wake;
    this.wake = undefined;
    wake?.();
  }

  private pauseAfterNack(): Promise<boolean> {
    const ms = Math.min(MAX_NACK_PAUSE_MS, 10 * 2 ** Math.min(this.fruitless - 1, 10));
    return sleep(this.clock, ms, this.reading.signal);
  }

  /** Sends that wait for more messages need not: none come. */
  private hurry(): void {
    this.hurried = true;
    if (this.working > 0) this.flushEarly();
  }

  private flushEarly(): void {
    // What cannot be written fails the sends that wait for it.
    (async () => await this.publisher.flush?.())().catch(() => {});
  }

  private finish(end: PumpEnd): void {
    if (this.end) return;
    this.end = end;
    this.reading.abort();
    this.wakeReader();
    const giveUpReading = (): void => {
      this.reads = false;
      this.checkOver();
    };
    this.timers.push(this.clock.timer(RECEIVE_LIMIT_MS, giveUpReading));
    if (end.reason === "connection" || end.reason === "failed")
      this.timers.push(this.clock.timer(LINGER_MS, () => this.cut(end.error)));
    else this.hurry();
  }

  private checkOver(): void {
    if (this.end && !this.reads && this.unsettled === 0) this.giveUp();
  }

  private giveUp(): void {
    this.isOver = true;
    for (const cancel of this.timers.splice(0)) cancel();
    this.resolveOver(this.end ?? { reason: "stopped" });
  }
}

/** What an error of a source, or of opening either end, makes of a connection. */
export function endOf(thrown: unknown): PumpEnd {
  const kind = kindOf(thrown, "connection");
  const error = asError(thrown);
  if (kind === "end") return { reason: "end", error };
  return { reason: kind === "permanent" || kind === "config" ? "failed" : "connection", error };
}
