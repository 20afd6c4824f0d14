import type { Bridge } from "@mqb/core";
import {
  ACK,
  batchOf,
  type Clock,
  type Consumer,
  type Delivery,
  type Disposition,
  type EndpointConfig,
  type EndpointStatus,
  kindOf,
  type Message,
  NACK,
  nack,
  systemClock,
} from "@mqb/core/plugin";
import { errors } from "./errors.ts";

export interface ReceiveOptions {
  /** Most messages that are taken at once [512]. */
  readonly max?: number;
  /** How long to wait for the first message [for ever]. */
  readonly timeoutMs?: number;
  /** Stop waiting. */
  readonly signal?: AbortSignal;
}

export interface IterateOptions {
  /** Most messages that are taken at once [512]. */
  readonly max?: number;
  /** The iteration ends when nothing has come for so long [never]. */
  readonly idleMs?: number;
  /** Ends the iteration. */
  readonly signal?: AbortSignal;
}

const DEFAULT_MAX = 512;

/** Opens a source for code to read, with the middlewares of its configuration. */
export async function openReceiver(
  bridge: Pick<Bridge, "openConsumer">,
  endpoint: EndpointConfig,
  { clock = systemClock }: { readonly clock?: Clock } = {},
): Promise<Receiver> {
  return new Receiver(await bridge.openConsumer(endpoint), clock);
}

/**
 * An open source. It is read by one call or loop at a time. Nothing opens it again when its connection is lost: where that
 * matters, let a route with a handler read it.
 */
export class Receiver {
  private readonly consumer: Consumer;
  private readonly clock: Clock;
  private busy = false;
  private closed = false;

  /** Made by `openReceiver`. */
  constructor(consumer: Consumer, clock: Clock) {
    this.consumer = consumer;
    this.clock = clock;
  }

  /** The next messages; none after `timeoutMs`, an aborted signal, or when the source has nothing for now. */
  async receive({ max = DEFAULT_MAX, timeoutMs, signal }: ReceiveOptions = {}): Promise<ReceivedBatch> {
    if (this.closed) throw errors.CLOSED({ what: "receiver" });
    if (this.busy) throw new TypeError("a receiver is read by one call at a time");
    this.busy = true;
    const stop = new AbortController();
    const abort = (): void => stop.abort(signal?.reason);
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort, { once: true });
    const cancel = timeoutMs === undefined ? undefined : this.clock.timer(timeoutMs, () => stop.abort());
    try {
      const delivery = await this.consumer.receive(max, stop.signal);
      // Nothing is there to be settled by anybody else.
      if (delivery.batch.length === 0) await delivery.commit();
      return new ReceivedBatch(delivery);
    } catch (error) {
      if (stop.signal.aborted && (error === stop.signal.reason || isAbort(error))) return new ReceivedBatch(NOTHING);
      throw error;
    } finally {
      cancel?.();
      signal?.removeEventListener("abort", abort);
      this.busy = false;
    }
  }

  /** Batch after batch, until the source is finished. Each is settled by whoever gets it. */
  async *batches({ max, idleMs, signal }: IterateOptions = {}): AsyncGenerator<ReceivedBatch, void, undefined> {
    let quietSince = this.clock.monotonic();
    while (!signal?.aborted && !this.closed) {
      let batch: ReceivedBatch;
      try {
        const left = idleMs === undefined ? undefined : Math.max(0, quietSince + idleMs - this.clock.monotonic());
        batch = await this.receive({
          ...(max === undefined ? {} : { max }),
          ...(left === undefined ? {} : { timeoutMs: left }),
          ...(signal ? { signal } : {}),
        });
      } catch (error) {
        if (this.closed || kindOf(error, "connection") === "end") return;
        throw error;
      }
      if (batch.length > 0) {
        yield batch;
        quietSince = this.clock.monotonic();
      } else if (idleMs !== undefined && this.clock.monotonic() - quietSince >= idleMs) {
        return;
      } else if (!signal?.aborted) {
        await this.pause();
      }
    }
  }

  /**
   * Message after message, until the source is finished. A message is acknowledged when the loop asks for the next one; when
   * the loop is left, by `break` or by a throw, the message that it had and those behind it return to the source.
   */
  async *messages(options: IterateOptions = {}): AsyncGenerator<Message, void, undefined> {
    for await (const batch of this.batches(options)) {
      let done = 0;
      try {
        for (const message of batch) {
          yield message;
          done++;
        }
      } finally {
        if (done === batch.length) await batch.ack();
        else await batch.commit(Array.from({ length: batch.length }, (_, i) => (i < done ? ACK : NACK)));
      }
    }
  }

  [Symbol.asyncIterator](): AsyncGenerator<Message, void, undefined> {
    return this.messages();
  }

  status(): EndpointStatus | undefined {
    return this.consumer.status?.();
  }

  /** Idempotent. Ends what waits; what is not settled returns to the source. */
  async close(): Promise<void> {
    this.closed = true;
    await this.consumer.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** A source that has nothing for now may say so at once, again and again. */
  private pause(): Promise<void> {
    return new Promise((resolve) => {
      this.clock.timer(EMPTY_PAUSE_MS, resolve);
    });
  }
}

/** A source may reject with an abort error of its own instead of the signal's reason. */
function isAbort(error: unknown): boolean {
  return (error as { readonly name?: unknown } | null | undefined)?.name === "AbortError";
}

const EMPTY_PAUSE_MS = 10;
const NOTHING: Delivery = { batch: batchOf([]), commit: async () => {} };

/** Messages that were received together. They are settled once, by `ack`, `nack` or `commit`. */
export class ReceivedBatch implements Iterable<Message> {
  private readonly delivery: Delivery;
  private settled: Promise<void> | undefined;

  constructor(delivery: Delivery) {
    this.delivery = delivery;
    if (delivery.batch.length === 0) this.settled = Promise.resolve();
  }

  get length(): number {
    return this.delivery.batch.length;
  }

  get messages(): readonly Message[] {
    return [...this.delivery.batch];
  }

  /** Resolves when the source has taken it. */
  ack(): Promise<void> {
    return this.commit();
  }

  /** Gives all of them back to the source. */
  nack(error?: unknown): Promise<void> {
    return this.commit(new Array<Disposition>(this.length).fill(error === undefined ? NACK : nack(error)));
  }

  /** One disposition per message, by position; left out = all of them acknowledged. A second call changes nothing. */
  commit(dispositions?: readonly Disposition[]): Promise<void> {
    if (dispositions && dispositions.length !== this.length) {
      throw new TypeError(`${dispositions.length} dispositions for ${this.length} messages`);
    }
    return (this.settled ??= this.delivery.commit(dispositions));
  }

  [Symbol.iterator](): Iterator<Message> {
    return this.delivery.batch[Symbol.iterator]();
  }
}
