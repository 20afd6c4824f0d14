import {
  ACK,
  batchOf,
  type Consumer,
  type Delivery,
  type Disposition,
  type EndpointStatus,
  type MessageBatch,
} from "@mqb/core/plugin";

/** A batch that a `ScriptedConsumer` has handed out. */
export interface ScriptedDelivery {
  readonly batch: MessageBatch;
  /** What `commit` was called with. Look at `commits` to know whether it was called. */
  readonly dispositions: readonly Disposition[] | undefined;
  readonly commits: number;
  /** Resolves with the dispositions, one per message, when `commit` is called. */
  readonly committed: Promise<readonly Disposition[]>;
}

type Step = { readonly batch: MessageBatch; readonly emptied: boolean } | { readonly error: unknown };

interface Waiting {
  readonly max: number;
  readonly resolve: (delivery: Delivery) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A source that does what the test says: gives the batches that are pushed, in order and cut to what `receive` asks
 * for, and keeps what becomes of them. Calls that break the contract go to `violations`.
 */
export class ScriptedConsumer implements Consumer {
  readonly deliveries: readonly ScriptedDelivery[];
  /** Gives deliveries that are of a class, as many sources do: one that is copied has no `commit` [false]. */
  ofClass = false;
  /** Deliveries in the order in which they were committed. */
  readonly commits: readonly ScriptedDelivery[];
  /** Breaches of the contract by whoever uses this consumer: overlapping `receive`, a second `commit`, … */
  readonly violations: string[] = [];
  /** What the `receive` calls asked for. */
  readonly asked: number[] = [];
  /** How often `close` was called. */
  closes = 0;
  /** The signal of the last `receive`. */
  lastSignal: AbortSignal | undefined;
  /** What `status` gives. */
  health: EndpointStatus = { healthy: true, target: "scripted" };
  private readonly given: Given[] = [];
  private readonly settled: Given[] = [];
  private readonly steps: Step[] = [];
  private waiting: Waiting | undefined;
  private busy = false;
  private readonly receiveWaiters: { readonly count: number; readonly resolve: () => void }[] = [];
  private commitFailure: unknown;
  private commitGate: Promise<void> | undefined;
  private openGate: (() => void) | undefined;

  constructor() {
    this.deliveries = this.given;
    this.commits = this.settled;
  }

  /** Gives these messages (or this batch) at the next `receive`. */
  push(batch: MessageBatch | Parameters<typeof batchOf>[0]): this {
    return this.add({ batch: isBatch(batch) ? batch : batchOf(batch), emptied: false });
  }

  /** Gives an empty batch: nothing for now; the end of a drain. With `emptied`: a middleware took everything out. */
  pushEmpty(emptied = false): this {
    return this.add({ batch: batchOf([]), emptied });
  }

  /** A `receive` rejects with this error, after what was pushed before. */
  pushError(error: unknown): this {
    return this.add({ error });
  }

  /** The next `commit` rejects with this error. */
  failNextCommit(error: unknown): void {
    this.commitFailure = error;
  }

  /** Commits are recorded but do not resolve until `releaseCommits`. */
  holdCommits(): void {
    this.commitGate ??= new Promise((resolve) => {
      this.openGate = resolve;
    });
  }

  releaseCommits(): void {
    this.openGate?.();
    this.commitGate = undefined;
  }

  /** Resolves when `receive` has been called `count` times. */
  received(count: number): Promise<void> {
    if (this.asked.length >= count) return Promise.resolve();
    return new Promise((resolve) => this.receiveWaiters.push({ count, resolve }));
  }

  get closed(): boolean {
    return this.closes > 0;
  }

  receive(max: number, signal: AbortSignal): Promise<Delivery> {
    if (this.busy) this.violations.push("receive was called again before it had settled");
    if (this.closed) this.violations.push("receive was called after close");
    if (!(Number.isSafeInteger(max) && max > 0)) this.violations.push(`receive was asked for ${max} messages`);
    this.busy = true;
    this.asked.push(max);
    this.lastSignal = signal;
    for (const waiter of this.receiveWaiters.filter((one) => one.count <= this.asked.length)) {
      this.receiveWaiters.splice(this.receiveWaiters.indexOf(waiter), 1);
      waiter.resolve();
    }
    const result = new Promise<Delivery>((resolve, reject) => {
      const stop = (): void => {
        if (!this.waiting) return;
        this.waiting = undefined;
        resolve(this.deliver(batchOf([]), false));
      };
      signal.addEventListener("abort", stop, { once: true });
      this.waiting = {
        max,
        resolve: (delivery) => {
          signal.removeEventListener("abort", stop);
          resolve(delivery);
        },
        reject: (error) => {
          signal.removeEventListener("abort", stop);
          reject(error as Error);
        },
      };
      this.next();
      if (signal.aborted) stop();
    });
    const free = (): void => {
      this.busy = false;
    };
    result.then(free, free);
    return result;
  }

  async close(): Promise<void> {
    this.closes++;
    this.waiting?.resolve(this.deliver(batchOf([]), false));
    this.waiting = undefined;
  }

  status(): EndpointStatus {
    return this.health;
  }

  private add(step: Step): this {
    this.steps.push(step);
    this.next();
    return this;
  }

  private next(): void {
    const waiting = this.waiting;
    const step = this.steps[0];
    if (!waiting || !step) return;
    this.waiting = undefined;
    this.steps.shift();
    if ("error" in step) {
      waiting.reject(step.error);
      return;
    }
    const { batch, emptied } = step;
    if (batch.length > waiting.max) {
      this.steps.unshift({ batch: batch.select(range(waiting.max, batch.length)), emptied });
      waiting.resolve(this.deliver(batch.select(range(0, waiting.max)), emptied));
    } else waiting.resolve(this.deliver(batch, emptied));
  }

  private deliver(batch: MessageBatch, emptied: boolean): Delivery {
    const given = new Given(batch);
    this.given.push(given);
    const commit = async (dispositions?: readonly Disposition[]): Promise<void> => {
      const wrong = given.settle(dispositions);
      if (wrong) this.violations.push(wrong);
      this.settled.push(given);
      if (this.commitFailure !== undefined) {
        const error = this.commitFailure;
        this.commitFailure = undefined;
        throw error as Error;
      }
      await this.commitGate;
    };
    const delivery = this.ofClass ? new Handle(batch, commit) : { batch, commit };
    return emptied ? Object.assign(delivery, { emptied }) : delivery;
  }
}

/** As many sources have it: of a class, so that whoever copies it or takes its method off it is found out. */
class Handle implements Delivery {
  readonly batch: MessageBatch;
  readonly #commit: Delivery["commit"];

  constructor(batch: MessageBatch, commit: Delivery["commit"]) {
    this.batch = batch;
    this.#commit = commit;
  }

  commit(dispositions?: readonly Disposition[]): Promise<void> {
    return this.#commit(dispositions);
  }
}

class Given implements ScriptedDelivery {
  readonly batch: MessageBatch;
  readonly committed: Promise<readonly Disposition[]>;
  dispositions: readonly Disposition[] | undefined;
  commits = 0;
  private resolve!: (dispositions: readonly Disposition[]) => void;

  constructor(batch: MessageBatch) {
    this.batch = batch;
    this.committed = new Promise((resolve) => {
      this.resolve = resolve;
    });
  }

  /** Returns what is wrong with the call. */
  settle(dispositions: readonly Disposition[] | undefined): string | undefined {
    if (++this.commits > 1) return "a delivery was committed twice";
    this.dispositions = dispositions;
    this.resolve(dispositions ?? Array.from({ length: this.batch.length }, () => ACK));
    if (dispositions && dispositions.length !== this.batch.length) {
      return `a batch of ${this.batch.length} was committed with ${dispositions.length} dispositions`;
    }
    return undefined;
  }
}

function isBatch(value: MessageBatch | readonly unknown[]): value is MessageBatch {
  return "select" in value;
}

function range(from: number, to: number): Uint32Array {
  return Uint32Array.from({ length: to - from }, (_, i) => from + i);
}
