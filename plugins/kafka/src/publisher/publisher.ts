import {
  ACCEPTED,
  describeError,
  type EndpointStatus,
  failed,
  kindOf,
  type Logger,
  type MessageBatch,
  type MqbError,
  type Outcome,
  type Publisher,
  sleep,
} from "@mqb/core/plugin";
import { CODE, nameOf } from "../classify.ts";
import { kafkaErrors } from "../errors.ts";
import { partitionerOf } from "../wire/partitioner.ts";
import { type Chunk, encodeBatch, halves } from "./encode.ts";
import type { Producer, Transaction, Written } from "./producer.ts";

export interface PublisherSettings {
  readonly topic: string;
  readonly keyField: string | undefined;
  readonly delayedAck: boolean;
  readonly route: string;
  readonly log: Logger;
  /** Gives the producer back. */
  readonly release: () => Promise<void>;
}

const CLOSE_LIMIT_MS = 1500;

/** Writes batches to a topic and waits until the brokers have them, unless it is told not to. */
export class KafkaPublisher implements Publisher {
  readonly producer: Producer;
  private readonly settings: PublisherSettings;
  private readonly partitioner;
  /** Sends that are under way, each with its messages. */
  private readonly pending = new Map<Promise<unknown>, number>();
  private queuedBytes = 0;
  private lost = 0;
  private lastError: string | undefined;
  private closing: Promise<void> | undefined;
  private stop: (error: Error) => void = () => {};
  private readonly stopped: Promise<never>;
  private room: (() => void)[] = [];

  constructor(producer: Producer, settings: PublisherSettings) {
    this.producer = producer;
    this.settings = settings;
    this.partitioner = partitionerOf(producer.options.partitioner);
    this.stopped = new Promise((_, reject) => {
      this.stop = reject;
    });
    this.stopped.catch(() => {});
  }

  async send(batch: MessageBatch, signal: AbortSignal): Promise<readonly Outcome[] | undefined> {
    if (this.closing) throw kafkaErrors.CLOSED({ what: "output" });
    if (this.settings.delayedAck) return this.sendDelayed(batch, signal);
    const outcomes = new Outcomes(batch.length);
    const work = this.write(batch, outcomes);
    await this.whileWanted(work, batch.length, outcomes, signal);
    const result = outcomes.result();
    // Trouble with single messages is the route's; a lost connection is the output's own state.
    const failure = result && outcomes.failures().error;
    if (!failure || kindOf(failure, "retryable") === "connection")
      this.lastError = failure ? describeError(failure) : undefined;
    return result;
  }

  /** Writes a batch and tells of every message what became of it. Called by transactions too. */
  async write(batch: MessageBatch, outcomes: Outcomes, transaction?: Transaction): Promise<void> {
    const { topic } = this.settings;
    let parts: (readonly number[] | undefined)[] = [undefined];
    try {
      while (parts.length > 0) {
        const refused: (readonly number[])[] = [];
        for (const part of parts) {
          const settled = (chunk: Chunk, written: Written): void => {
            if (written.type === "refused" && chunk.positions.length > 1) refused.push(chunk.positions);
            else outcomes.set(chunk.positions, this.errorOf(batch, chunk, written));
          };
          await this.producer.write(topic, await this.encode(batch, part), settled, transaction);
        }
        parts = refused.flatMap(halves);
      }
    } catch (error) {
      outcomes.fail(error as Error);
    }
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
    return {
      healthy: !this.closing && this.lastError === undefined,
      target: this.settings.topic,
      pending,
      ...(this.lastError === undefined ? {} : { error: this.lastError }),
      details: { brokers: this.producer.client.target, ...(this.lost > 0 ? { lost: this.lost } : {}) },
    };
  }

  private async encode(batch: MessageBatch, positions: readonly number[] | undefined): Promise<Chunk[]> {
    const { producer, partitioner } = this;
    const { leaders } = await producer.topic(this.settings.topic);
    const { maxBatchRecords, maxBatchBytes } = producer.options;
    const options = {
      partitions: leaders.length,
      partitioner,
      keyField: this.settings.keyField,
      maxRecords: maxBatchRecords,
      maxBytes: maxBatchBytes,
    };
    const chunks = encodeBatch(batch, options, positions);
    for (const chunk of chunks) await producer.compress(chunk);
    return chunks;
  }

  private errorOf(batch: MessageBatch, chunk: Chunk, written: Written): MqbError | undefined {
    const { topic } = this.settings;
    if (written.type === "stored") return undefined;
    if (written.type === "failed") return written.error;
    const tooLarge: readonly number[] = [CODE.MESSAGE_TOO_LARGE, CODE.RECORD_LIST_TOO_LARGE];
    if (tooLarge.includes(written.code)) {
      return kafkaErrors.TOO_LARGE({ topic, bytes: batch.payload(chunk.positions[0]!).length });
    }
    return kafkaErrors.REFUSED({ topic, partition: chunk.partition, reason: nameOf(written.code) });
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
    const most = this.producer.options.queuedBytes;
    while (this.queuedBytes > 0 && this.queuedBytes + bytes > most) {
      signal.throwIfAborted();
      await Promise.race([new Promise<void>((resolve) => this.room.push(resolve)), this.stopped]);
    }
    this.queuedBytes += bytes;
    const outcomes = new Outcomes(batch.length);
    const work = this.write(batch, outcomes).then(() => {
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
      await Promise.race([this.flush(), sleep(this.producer.client.clock, CLOSE_LIMIT_MS, enough.signal)]);
      enough.abort();
    }
    this.stop(kafkaErrors.CLOSED({ what: "output" }));
    await this.settings.release();
  }
}

/** Collects what became of the messages of a batch; the first word about each counts. */
export class Outcomes {
  private readonly size: number;
  private known = 0;
  private list: (Outcome | undefined)[] | undefined;
  private allStored = true;

  constructor(size: number) {
    this.size = size;
  }

  set(positions: readonly number[], error: Error | undefined): void {
    const list = (this.list ??= new Array<Outcome | undefined>(this.size));
    const outcome = error ? failed(error) : ACCEPTED;
    for (const position of positions) {
      if (list[position] !== undefined) continue;
      list[position] = outcome;
      this.known += 1;
      if (error) this.allStored = false;
    }
  }

  /** Of every message that nothing is known of. */
  fail(error: Error): void {
    if (this.known === this.size) return;
    this.set(
      Array.from({ length: this.size }, (_, i) => i),
      error,
    );
  }

  result(): readonly Outcome[] | undefined {
    return this.allStored ? undefined : (this.list as readonly Outcome[]).slice();
  }

  failures(): { readonly count: number; readonly error: unknown } {
    const bad = (this.list ?? []).filter((outcome) => outcome?.type === "failed");
    const first = bad[0];
    return { count: bad.length, error: first?.type === "failed" ? first.error : undefined };
  }
}
