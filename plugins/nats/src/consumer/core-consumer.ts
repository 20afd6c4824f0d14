import {
  batchOf,
  type Consumer,
  type Delivery,
  type Disposition,
  type EndpointStatus,
  type MessageBatch,
  type MqbError,
  type OpenContext,
  type Shared,
} from "@mqb/core/plugin";
import type { Subscription } from "nats";
import type { Connection, Watcher } from "../client/connection.ts";
import { errors } from "../errors.ts";
import type { Reading } from "../wire/received.ts";
import type { ReceivedQueue } from "./queue.ts";
import type { Replier } from "./replying.ts";

/** What waits for the route: nobody holds a publisher of core NATS back. */
const WAITING_BYTES = 64 * 1024 * 1024;
const WAITING_MESSAGES = 65_536;
const SAY_AGAIN_MS = 5000;

export interface CoreSettings {
  readonly subject: string;
  readonly queueGroup: string | undefined;
  readonly reading: Reading;
  /** Messages that may wait [65536]. */
  readonly waiting: number | undefined;
  readonly replier: Replier;
  /** What waits for the route, also what an earlier connection has received: it stays there over reconnects. */
  readonly queue: ReceivedQueue;
}

/** Reads a subject of core NATS: what is published while it is open, once, and nothing comes back. */
export class CoreConsumer implements Consumer, Watcher {
  private readonly held: Shared<Connection>;
  private readonly connection: Connection;
  private readonly s: CoreSettings;
  private readonly context: OpenContext;
  private readonly queue: ReceivedQueue;
  private readonly closing = new AbortController();
  private readonly unwatch: () => void;
  private readonly subscription: Subscription;
  private failure: MqbError | undefined;
  private dropped = 0;
  private saidAt = Number.NEGATIVE_INFINITY;
  private closed: Promise<void> | undefined;

  /** Resolves when the server has the subscription: what is published from then on arrives. */
  static async open(held: Shared<Connection>, settings: CoreSettings, context: OpenContext): Promise<CoreConsumer> {
    const consumer = new CoreConsumer(held, settings, context);
    try {
      await held.value.flush();
      if (consumer.failure) throw consumer.failure;
    } catch (error) {
      consumer.leave();
      throw error;
    }
    return consumer;
  }

  private constructor(held: Shared<Connection>, settings: CoreSettings, context: OpenContext) {
    this.held = held;
    this.connection = held.value;
    this.s = settings;
    this.context = context;
    const { subject, queueGroup, waiting = WAITING_MESSAGES, queue } = settings;
    this.queue = queue;
    this.unwatch = this.connection.watch(this);
    this.subscription = this.connection.subscribe(
      subject,
      (frame) => {
        if (queue.length < waiting && queue.bytes < WAITING_BYTES) queue.push(frame);
        else this.drop();
      },
      () => this.fail(errors.NOT_PERMITTED({ target: this.connection.target, what: `subscribe to ${subject}` })),
      queueGroup,
    );
  }

  async receive(max: number, signal: AbortSignal): Promise<Delivery> {
    const stop = this.closing.signal;
    for (;;) {
      if (this.queue.length > 0 && !stop.aborted) return this.deliver(max);
      if (this.failure) throw this.failure;
      if (signal.aborted || stop.aborted) return { batch: batchOf([]), commit: async () => {} };
      await this.queue.arrival(signal, this.context.clock);
    }
  }

  close(): Promise<void> {
    this.closed ??= (async () => {
      this.closing.abort();
      this.queue.wake();
      const left = this.leave();
      if (left > 0) this.sayLeft(left);
      await this.held.release();
    })();
    return this.closed;
  }

  status(): EndpointStatus {
    const { subject, waiting = WAITING_MESSAGES, replier, queueGroup } = this.s;
    const error = this.failure ?? this.connection.end;
    return {
      healthy: error === undefined && this.closed === undefined,
      target: `${this.connection.target} ${subject}`,
      pending: this.queue.length,
      capacity: waiting,
      ...(error ? { error: error.message } : {}),
      details: {
        ...(queueGroup === undefined ? {} : { queueGroup }),
        ...(this.dropped > 0 ? { dropped: this.dropped } : {}),
        ...(replier.failed > 0 ? { failedReplies: replier.failed } : {}),
      },
    };
  }

  lost(error: MqbError): void {
    this.fail(error);
  }

  denied(_: MqbError, subject: string): void {
    this.s.replier.denied(subject);
  }

  private deliver(max: number): Delivery {
    const batch = this.queue.take(max).batch(this.s.reading);
    return { batch, commit: (dispositions) => this.settle(batch, dispositions) };
  }

  /** Nothing can be acked; replies are sent when the server has them. */
  private async settle(batch: MessageBatch, dispositions: readonly Disposition[] | undefined): Promise<void> {
    if (!dispositions) return;
    if (dispositions.length !== batch.length)
      throw new TypeError(`${dispositions.length} dispositions for a batch of ${batch.length}`);
    let replied = 0;
    for (const [i, disposition] of dispositions.entries()) {
      if (disposition.type !== "reply") continue;
      this.s.replier.reply(batch.metadata(i), disposition.message);
      replied += 1;
    }
    if (replied > 0) await this.connection.flush();
  }

  /** Receives nothing more. Returns how much was not taken. */
  private leave(): number {
    this.unwatch();
    this.subscription.unsubscribe();
    return this.queue.length;
  }

  private sayLeft(left: number): void {
    const { log, route } = this.context;
    log.warn(
      `route ${route}: ${left} message(s) of ${this.s.subject} were received and not taken: they are read when the route reconnects, and lost when it ends`,
      { route, left },
    );
  }

  private drop(): void {
    this.dropped += 1;
    const { clock, log, route } = this.context;
    const now = clock.monotonic();
    if (now - this.saidAt < SAY_AGAIN_MS) return;
    this.saidAt = now;
    log.warn(
      `route ${route}: messages of ${this.s.subject} arrive faster than they are taken, and core NATS keeps nothing: ${this.dropped} dropped so far`,
      { route, dropped: this.dropped },
    );
  }

  private fail(error: MqbError): void {
    this.failure ??= error;
    this.queue.wake();
  }
}
