import {
  type Clock,
  describeError,
  type EndpointStatus,
  kindOf,
  type Logger,
  type MessageBatch,
  type Outcome,
  type Publisher,
  sleep,
} from "@mqb/core/plugin";
import { kafkaErrors } from "../errors.ts";
import { Outcomes } from "./outcomes.ts";

/** What brings batches to the brokers. */
export interface BatchWriter {
  readonly clock: Clock;
  /** The brokers, without a login. */
  readonly target: string;
  /** Bytes that may be unconfirmed where nobody waits for the brokers. */
  readonly queuedBytes: number;
  /** Why something is written again and again at the moment. */
  readonly trouble: string | undefined;
  /** Writes a batch and tells of every message what became of it. Never rejects. */
  write(batch: MessageBatch, outcomes: Outcomes): Promise<void>;
}

export interface PublisherSettings {
  readonly topic: string;
  readonly delayedAck: boolean;
  readonly route: string;
  readonly log: Logger;
  /** Gives the producer back. */
  readonly release: () => Promise<void>;
}

const CLOSE_LIMIT_MS = 1500;

/** Writes batches to a topic and waits until the brokers have them, unless it is told not to. */
export class KafkaPublisher implements Publisher {
  private readonly writer: BatchWriter;
  private readonly settings: PublisherSettings;
  /** Sends that are under way, each with its messages. */
  private readonly pending = new Map<Promise<unknown>, number>();
  private queuedBytes = 0;
  private lost = 0;
  private lastError: string | undefined;
  private closing: Promise<void> | undefined;
  private stop: (error: Error) => void = () => {};
  private readonly stopped: Promise<never>;
  private room: (() => void)[] = [];

  constructor(writer: BatchWriter, settings: PublisherSettings) {
    this.writer = writer;
    this.settings = settings;
    this.stopped = new Promise((_, reject) => {
      this.stop = reject;
    });
    this.stopped.catch(() => {});
  }

  async send(batch: MessageBatch, signal: AbortSignal): Promise<readonly Outcome[] | undefined> {
    if (this.closing) throw kafkaErrors.CLOSED({ what: "output" });
    if (this.settings.delayedAck) return this.sendDelayed(batch, signal);
    const outcomes = new Outcomes(batch.length);
    const work = this.writer.write(batch, outcomes);
    await this.whileWanted(work, batch.length, outcomes, signal);
    const result = outcomes.result();
    // Trouble with single messages is the route's; a lost connection is the output's own state.
    const failure = result && outcomes.failures().error;
    if (!failure || kindOf(failure, "retryable") === "connection")
      this.lastError = failure ? describeError(failure) : undefined;
    return result;
  }

  async flush(): Promise<void> {
    while (this.pending.size > 0) await Promise.allSettled(this.pending.keys());
  }

  close(): Promise<void> {
    return (this.closing ??= this.shut());
  }

  status(): EndpointStatus {
    let pending = 0;
    for (const count of this.pending.values()) pending += count;
    const error = this.lastError ?? this.writer.trouble;
    return {
      healthy: !this.closing && error === undefined,
      target: this.settings.topic,
      pending,
      ...(error === undefined ? {} : { error }),
      details: { brokers: this.writer.target, ...(this.lost > 0 ? { lost: this.lost } : {}) },
    };
  }

  /** Waits for a send; when nobody wants it any more, what is not known by then counts as failed. */
  private async whileWanted(
    work: Promise<void>,
    count: number,
    outcomes: Outcomes,
    signal: AbortSignal,
  ): Promise<void> {
    this.track(work, count);
    let aborted: (() => void) | undefined;
    const unwanted = new Promise<void>((resolve) => {
      aborted = resolve;
      if (signal.aborted) resolve();
      else signal.addEventListener("abort", aborted, { once: true });
    });
    try {
      await Promise.race([work, unwanted, this.stopped]);
      outcomes.fail(kafkaErrors.GIVEN_UP({ topic: this.settings.topic }));
    } catch (error) {
      outcomes.fail(error as Error);
    } finally {
      if (aborted) signal.removeEventListener("abort", aborted);
    }
  }

  private async sendDelayed(batch: MessageBatch, signal: AbortSignal): Promise<undefined> {
    const bytes = batch.byteLength;
    const most = this.writer.queuedBytes;
    while (this.queuedBytes > 0 && this.queuedBytes + bytes > most) {
      signal.throwIfAborted();
      await Promise.race([new Promise<void>((resolve) => this.room.push(resolve)), this.stopped]);
    }
    this.queuedBytes += bytes;
    const outcomes = new Outcomes(batch.length);
    const work = this.writer.write(batch, outcomes).then(() => {
      this.queuedBytes -= bytes;
      for (const wake of this.room.splice(0)) wake();
      this.lose(outcomes);
    });
    this.track(work, batch.length);
    return undefined;
  }

  private lose(outcomes: Outcomes): void {
    const { count, error } = outcomes.failures();
    if (count === 0) {
      this.lastError = undefined;
      return;
    }
    this.lost += count;
    this.lastError = error instanceof Error ? error.message : String(error);
    const { topic, log, route } = this.settings;
    log.error(`${count} message(s) for the topic "${topic}" are lost: ${this.lastError}`, { route, lost: this.lost });
  }

  private track(work: Promise<void>, count: number): void {
    this.pending.set(work, count);
    const done = (): void => {
      this.pending.delete(work);
    };
    work.then(done, done);
  }

  private async shut(): Promise<void> {
    // With `delayed_ack` what was taken is still to be written.
    if (this.settings.delayedAck && this.pending.size > 0) {
      const enough = new AbortController();
      await Promise.race([this.flush(), sleep(this.writer.clock, CLOSE_LIMIT_MS, enough.signal)]);
      enough.abort();
    }
    this.stop(kafkaErrors.CLOSED({ what: "output" }));
    await this.settings.release();
  }
}
