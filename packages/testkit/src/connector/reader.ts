import { AssertionError } from "node:assert";
import { type Consumer, type Delivery, type Disposition, describeError, kindOf, type Message } from "@mqb/core/plugin";
import { within } from "../wait/within.ts";
import type { ConnectorLab, OpenOptions } from "./lab.ts";

/** Time after an empty batch before a source is asked again, as a route does. */
const PAUSE_AFTER_EMPTY_MS = 10;

export interface ReaderOptions extends OpenOptions {
  /** Opens the source again after a connection error, as a route does; without it such an error fails the test. */
  readonly reopens?: boolean;
}

/** What was received and is not settled yet. */
export interface Taken {
  /** Empty ones too, since they are committed like any other. */
  readonly deliveries: readonly Delivery[];
  readonly messages: readonly Message[];
  readonly numbers: readonly number[];
}

/** Reads a source the way a route does: one `receive` at a time, commits in the order of receipt. */
export class Reader {
  private readonly lab: ConnectorLab;
  private readonly options: ReaderOptions;
  private consumer: Consumer | undefined;

  constructor(lab: ConnectorLab, options: ReaderOptions) {
    this.lab = lab;
    this.options = options;
  }

  async open(): Promise<Consumer> {
    for (let attempt = 1; ; attempt++) {
      try {
        return (this.consumer ??= await this.lab.consumer(this.options));
      } catch (error) {
        if (!this.mayReopen(error) || attempt >= 100) throw error;
        await pause();
      }
    }
  }

  async close(): Promise<void> {
    const consumer = this.consumer;
    this.consumer = undefined;
    if (consumer) await this.lab.soon(consumer.close(), "closing the source");
  }

  /**
   * Receives until `count` different messages have come, at most `max` at a time. Commits nothing. A source gives as many
   * at once as it likes: these are up to `max - 1` more than `count`, and all of `count` is only what is left.
   */
  async take(count: number, max = 1024): Promise<Taken> {
    const deliveries: Delivery[] = [];
    const messages: Message[] = [];
    const numbers: number[] = [];
    const different = new Set<number>();
    await this.receiving(`${count} messages`, async (receive) => {
      while (different.size < count) {
        const delivery = await receive(max);
        deliveries.push(delivery);
        for (const message of delivery.batch) {
          const n = this.lab.number(message);
          messages.push(message);
          numbers.push(n);
          different.add(n);
        }
      }
      return true;
    });
    return { deliveries, messages, numbers };
  }

  /** Receives and acks until a message is the one that is waited for. */
  async readUntil(isLast: (message: Message) => boolean): Promise<void> {
    await this.receiving("the last message", async (receive) => {
      for (;;) {
        const delivery = await receive(1024);
        let found = false;
        for (const message of delivery.batch) found = isLast(message) || found;
        await this.settle(() => delivery.commit());
        if (found) return;
      }
    });
  }

  /** Receives and acks into a list until the signal aborts. */
  async readInto(messages: Message[], signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const consumer = await this.open();
      const delivery = await consumer.receive(1024, signal).catch((error: unknown) => {
        if (!signal.aborted) throw error;
        return undefined;
      });
      if (!delivery) return;
      messages.push(...delivery.batch);
      await this.settle(() => delivery.commit());
      if (delivery.batch.length === 0 && !signal.aborted) await pause();
    }
  }

  /** Commits in the order of receipt; a message without a disposition is acked. */
  async commit(
    taken: Pick<Taken, "deliveries">,
    decide?: (message: Message) => Disposition | undefined,
  ): Promise<void> {
    for (const delivery of taken.deliveries) {
      const given = decide && Array.from(delivery.batch, (message) => decide(message) ?? ({ type: "ack" } as const));
      const committing = () => this.lab.soon(delivery.commit(given), "a commit");
      if (!(await this.settle(committing))) return;
    }
  }

  /** False when the connection is gone and the source is closed for it; it delivers again when it is opened again. */
  private async settle(commit: () => Promise<void>): Promise<boolean> {
    try {
      await commit();
      return true;
    } catch (error) {
      if (!this.mayReopen(error)) throw error;
      await this.close();
      return false;
    }
  }

  private async receiving<T>(
    what: string,
    body: (receive: (max: number) => Promise<Delivery>) => Promise<T>,
  ): Promise<T> {
    const late = new AbortController();
    const { patienceMs } = this.lab;
    const timer = setTimeout(() => late.abort(), patienceMs);
    const seen: number[] = [];
    const receive = async (max: number): Promise<Delivery> => {
      for (;;) {
        const consumer = await this.open();
        let failure: unknown;
        try {
          // A source that does not heed the signal must not hang the test.
          const delivery = await within(consumer.receive(max, late.signal), "a receive", patienceMs + 1000);
          if (!late.signal.aborted || delivery.batch.length > 0) {
            for (const message of delivery.batch) seen.push(this.lab.number(message));
            if (delivery.batch.length === 0) await pause();
            return delivery;
          }
        } catch (error) {
          failure = error;
        }
        if (late.signal.aborted) {
          const why = failure === undefined || failure === late.signal.reason ? "" : `; ${describeError(failure)}`;
          throw new AssertionError({
            message: `${what} did not come within ${patienceMs} ms; these did: ${summary(seen)}${why}`,
          });
        }
        if (!this.mayReopen(failure)) throw failure as Error;
        await this.close();
        await pause();
      }
    };
    try {
      return await body(receive);
    } finally {
      clearTimeout(timer);
    }
  }

  private mayReopen(error: unknown): boolean {
    return this.options.reopens === true && kindOf(error, "connection") === "connection";
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, PAUSE_AFTER_EMPTY_MS));
}

function summary(seen: readonly number[]): string {
  if (seen.length <= 20) return seen.join(", ") || "none";
  return `${seen.slice(0, 10).join(", ")}, … ${seen.slice(-5).join(", ")} (${seen.length} messages)`;
}
