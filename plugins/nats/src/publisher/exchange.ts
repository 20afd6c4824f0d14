import { ACCEPTED, type Clock, failed, type MessageBatch, type MqbError, type Outcome } from "@mqb/core/plugin";
import type { Connection, Watcher } from "../client/connection.ts";
import { errors } from "../errors.ts";
import { digits } from "../wire/digits.ts";
import type { Frame } from "../wire/frame.ts";
import { FrameWriter } from "../wire/frames.ts";
import type { Withheld } from "../wire/headers.ts";
import { AbortWatch } from "./abort-watch.ts";

/** Messages that wait for their answer at the same time: streams refuse more than 10,000 of them. */
const WINDOW = 4096;
const WINDOW_BYTES = 16 * 1024 * 1024;
const DOT = 46;

export interface ExchangeSettings {
  readonly connection: Connection;
  readonly clock: Clock;
  readonly subject: string;
  readonly deduplicate: boolean;
  readonly withheld: Withheld;
  readonly inbox: string;
  readonly timeoutMs: number;
  /** An answer to a message grants those that were sent with it or behind it their full time again. */
  readonly renews: boolean;
  /** Undefined = accepted; "foreign" = somebody else's word, which settles nothing. */
  judge(answer: Frame, batch: MessageBatch, index: number): Outcome | "foreign" | undefined;
  timedOut(): MqbError;
}

/**
 * Sends messages that are answered one by one, acknowledgements as well as replies: all of them with one inbox, whose last words
 * say to which message an answer belongs. A promise and a timer are made for each batch, nothing for a message.
 */
export class Exchange implements Watcher {
  private readonly s: ExchangeSettings;
  private readonly frames: FrameWriter;
  private readonly open = new Map<number, Sending>();
  /** Those that are not sent to the end, in order. */
  private readonly queue: Sending[] = [];
  private readonly aborts = new AbortWatch<Sending>((sending) => this.giveUp(sending, this.givenUp()));
  private readonly stops: (() => void)[] = [];
  private lastNumber = 0;
  private bytes = 0;
  /** Counts answers, so that it can be said which came later. */
  private answers = 0;
  private isBlocked = false;
  private over: MqbError | undefined;
  inFlight = 0;

  constructor(settings: ExchangeSettings) {
    this.s = settings;
    const { connection, subject, deduplicate, withheld, inbox } = settings;
    const write = (commands: Uint8Array): void => connection.write(commands);
    this.frames = new FrameWriter({ subject, deduplicate, limit: connection.maxPayload, write, withheld });
    this.stops.push(connection.watch(this));
    const answers = connection.subscribe(
      `${inbox}.>`,
      (answer) => this.answered(answer),
      () => this.end(errors.NOT_PERMITTED({ target: connection.target, what: `subscribe to ${inbox}` })),
    );
    this.stops.push(() => answers.unsubscribe());
  }

  send(batch: MessageBatch, signal: AbortSignal): Promise<readonly Outcome[] | undefined> {
    if (this.over) return Promise.reject(this.over);
    if (batch.length === 0) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const number = ++this.lastNumber;
      const sending = new Sending(number, batch, signal, resolve);
      this.open.set(number, sending);
      this.queue.push(sending);
      this.aborts.add(signal, sending);
      if (signal.aborted) this.giveUp(sending, this.givenUp());
      else this.pump();
    });
  }

  lost(error: MqbError): void {
    this.end(error);
  }

  denied(error: MqbError, subject: string): void {
    if (subject !== this.s.subject) return;
    for (const sending of [...this.open.values()]) this.giveUp(sending, error);
  }

  close(): void {
    this.end(errors.CLOSED({}));
  }

  private end(error: MqbError): void {
    if (this.over) return;
    this.over = error;
    for (const stop of this.stops.splice(0)) stop();
    for (const sending of [...this.open.values()]) this.giveUp(sending, error);
  }

  /** Sends while there is room in the window, the oldest batch first. */
  private pump(): void {
    const { inbox, subject, connection } = this.s;
    if (this.isBlocked) return;
    if (this.queue.length > 0 && connection.unsent >= WINDOW_BYTES) {
      // What was given up is still in the socket: sending it again to a server that does not read would fill the memory.
      this.isBlocked = true;
      connection.onDrained(() => {
        this.isBlocked = false;
        if (!this.over) this.pump();
      });
      return;
    }
    for (let sending = this.queue[0]; sending && this.hasRoom(); sending = this.queue[0]) {
      const { batch, number } = sending;
      if (sending.next === 0) this.startTimer(sending);
      const replyTo = `${inbox}.${number}.`;
      while (sending.next < batch.length && this.hasRoom()) {
        const index = sending.next++;
        const tooLarge = this.frames.add(batch, index, replyTo + index);
        if (tooLarge > 0) {
          const limit = connection.maxPayload;
          const error = errors.TOO_LARGE({ target: connection.target, subject, bytes: tooLarge, limit });
          sending.settle(index, failed(error));
          continue;
        }
        const size = this.frames.lastSize;
        sending.sizes[index] = size;
        sending.unanswered += 1;
        sending.bytes += size;
        this.inFlight += 1;
        this.bytes += size;
      }
      if (sending.next === batch.length) this.queue.shift();
      if (sending.isOver) this.finish(sending);
    }
    this.frames.flush();
  }

  private hasRoom(): boolean {
    return this.inFlight < WINDOW && this.bytes < WINDOW_BYTES;
  }

  private answered(answer: Frame): void {
    const { bytes, subject, subjectEnd } = answer;
    let dot = subjectEnd - 1;
    while (bytes[dot] !== DOT) dot--;
    const index = digits(bytes, dot + 1, subjectEnd);
    const sending = this.open.get(digits(bytes, subject + this.s.inbox.length + 1, dot));
    if (!sending || index < 0 || index >= sending.next || sending.isAnswered(index)) return;
    const outcome = this.s.judge(answer, sending.batch, index);
    if (outcome === "foreign") return;
    const size = sending.sizes[index]!;
    sending.settle(index, outcome);
    sending.unanswered -= 1;
    sending.bytes -= size;
    sending.lastAnswer = ++this.answers;
    this.inFlight -= 1;
    this.bytes -= size;
    if (sending.isOver) {
      for (const later of this.open.values()) if (later.number > sending.number) later.lastAnswer = this.answers;
      this.finish(sending);
    }
    if (this.queue.length > 0 && this.inFlight <= WINDOW / 2) this.pump();
  }

  private startTimer(sending: Sending): void {
    const since = this.answers;
    sending.stopTimer = this.s.clock.timer(this.s.timeoutMs, () => {
      if (this.s.renews && this.isServed(sending, since)) this.startTimer(sending);
      else this.giveUp(sending, this.s.timedOut());
    });
  }

  /**
   * Whether something was answered that was sent with it or before it: then it waits for its turn. Answers to what was sent
   * behind it say the contrary, that its own is lost.
   */
  private isServed({ number }: Sending, since: number): boolean {
    for (const sending of this.open.values()) {
      if (sending.number > number) return false;
      if (sending.lastAnswer > since) return true;
    }
    return false;
  }

  /** What is not answered has failed; a later answer finds nobody. */
  private giveUp(sending: Sending, error: unknown): void {
    const at = this.queue.indexOf(sending);
    if (at >= 0) this.queue.splice(at, 1);
    sending.settleRest(failed(error));
    this.finish(sending);
    if (!this.over) this.pump();
  }

  private finish(sending: Sending): void {
    if (!this.open.delete(sending.number)) return;
    this.inFlight -= sending.unanswered;
    this.bytes -= sending.bytes;
    sending.stopTimer?.();
    this.aborts.remove(sending.signal, sending);
    sending.resolve(sending.outcomes);
  }

  private givenUp(): MqbError {
    return errors.GIVEN_UP({ target: this.s.connection.target, subject: this.s.subject });
  }
}

/** One batch on its way. */
class Sending {
  readonly number: number;
  readonly batch: MessageBatch;
  readonly signal: AbortSignal;
  readonly resolve: (outcomes: readonly Outcome[] | undefined) => void;
  /** Position of the first message that was not sent. */
  next = 0;
  unanswered = 0;
  bytes = 0;
  /** The number of the last answer to it, or to one before it that is over. */
  lastAnswer = 0;
  /** Bytes of each message that was sent, headers included. */
  readonly sizes: Uint32Array;
  /** Made when one is not simply accepted. */
  outcomes: Outcome[] | undefined;
  stopTimer: (() => void) | undefined;
  private readonly answers: Uint8Array;
  private left: number;

  constructor(number: number, batch: MessageBatch, signal: AbortSignal, resolve: Sending["resolve"]) {
    this.number = number;
    this.batch = batch;
    this.signal = signal;
    this.resolve = resolve;
    this.answers = new Uint8Array(batch.length);
    this.sizes = new Uint32Array(batch.length);
    this.left = batch.length;
  }

  get isOver(): boolean {
    return this.left === 0;
  }

  isAnswered(index: number): boolean {
    return this.answers[index] === 1;
  }

  settle(index: number, outcome: Outcome | undefined): void {
    this.answers[index] = 1;
    this.left -= 1;
    if (outcome) this.allOutcomes()[index] = outcome;
  }

  settleRest(outcome: Outcome): void {
    for (let i = 0; i < this.answers.length; i++) if (this.answers[i] === 0) this.settle(i, outcome);
  }

  private allOutcomes(): Outcome[] {
    return (this.outcomes ??= new Array<Outcome>(this.batch.length).fill(ACCEPTED));
  }
}
