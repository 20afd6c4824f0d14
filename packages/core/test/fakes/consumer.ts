import type { Disposition } from "../../src/contract/disposition.ts";
import type { Consumer, Delivery } from "../../src/contract/endpoint.ts";
import { batchOf, type MessageBatch } from "../../src/message/batch.ts";
import { Message } from "../../src/message/message.ts";

/** What one `receive` does: texts to deliver, an error to throw, or anything else. */
export type Step = readonly string[] | Error | ((max: number, signal: AbortSignal) => Promise<Delivery> | Delivery);

export interface Commit {
  readonly texts: readonly string[];
  /** `undefined` = everything acked. */
  readonly dispositions: readonly Disposition[] | undefined;
}

/**
 * A source that does one step of its script at each `receive`. After the last one it waits until it is told to stop, or,
 * with `ends`, says "nothing" each time. Takes no part in redelivery: a test scripts it.
 */
export class FakeConsumer implements Consumer {
  readonly commits: Commit[] = [];
  /** The `max` of each receive. */
  readonly asked: number[] = [];
  closed = 0;
  /** Called at each commit; its promise is the commit's. */
  onCommit: (commit: Commit) => Promise<void> | void = () => {};
  onClose: () => Promise<void> | void = () => {};
  private readonly steps: Step[];
  private readonly ends: boolean;

  constructor(steps: readonly Step[] = [], { ends = false }: { ends?: boolean } = {}) {
    this.steps = [...steps];
    this.ends = ends;
  }

  async receive(max: number, signal: AbortSignal): Promise<Delivery> {
    this.asked.push(max);
    const step = this.steps.shift();
    if (step === undefined) return this.ends ? this.deliver([]) : await untilAborted(signal);
    if (step instanceof Error) throw step;
    return typeof step === "function" ? await step(max, signal) : this.deliver(step);
  }

  async close(): Promise<void> {
    this.closed += 1;
    await this.onClose();
  }

  deliver(texts: readonly string[]): Delivery {
    return this.deliverBatch(batchOf(texts.map((text) => new Message(text))));
  }

  deliverBatch(batch: MessageBatch, more: Partial<Delivery> = {}): Delivery {
    return {
      batch,
      commit: async (dispositions) => {
        const commit = { texts: [...batch].map((message) => message.text()), dispositions };
        this.commits.push(commit);
        await this.onCommit(commit);
      },
      ...more,
    };
  }

  /** The texts whose message was acked, in the order of the commits. */
  get acked(): string[] {
    return this.commits.flatMap(({ texts, dispositions }) =>
      texts.filter((_, i) => dispositions === undefined || dispositions[i]!.type !== "nack"),
    );
  }

  get nacked(): string[] {
    return this.commits.flatMap(({ texts, dispositions }) =>
      texts.filter((_, i) => dispositions?.[i]?.type === "nack"),
    );
  }
}

export function untilAborted<T>(signal: AbortSignal): Promise<T> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
