import {
  ACCEPTED,
  type EndpointStatus,
  failed,
  type Message,
  type MessageBatch,
  type Outcome,
  type Publisher,
  replied,
} from "@mqb/core/plugin";

/** The error a message fails with, or undefined when it is accepted. */
export type FailureRule = (message: Message, index: number, batch: MessageBatch) => unknown;

/** A sink that keeps what it is sent, and fails, stalls or replies when the test says so. */
export class CollectingPublisher implements Publisher {
  /** Every batch of every `send`, in order of call; also those that failed. */
  readonly sends: MessageBatch[] = [];
  /** Messages that were accepted, in order of acceptance. */
  readonly messages: Message[] = [];
  /** Calls of `send` that have not settled, now and at most. */
  inFlight = 0;
  maxInFlight = 0;
  flushes = 0;
  /** How often `close` was called. */
  closes = 0;
  /** The signal of the last `send`. */
  lastSignal: AbortSignal | undefined;
  /** Breaches of the contract by whoever uses this publisher: `send` after `close`. */
  readonly violations: string[] = [];
  /** What `status` gives. */
  health: EndpointStatus = { healthy: true, target: "collecting" };
  private failure: FailureRule | undefined;
  private answer: ((message: Message) => Message) | undefined;
  private readonly rejections: unknown[] = [];
  private gate: Promise<void> | undefined;
  private openGate: (() => void) | undefined;
  private readonly waiters: { readonly reached: () => boolean; readonly resolve: () => void }[] = [];

  /** From now on messages fail by this rule; `undefined` = none does. */
  failWhen(rule: FailureRule | undefined): void {
    this.failure = rule;
  }

  /** From now on the messages at these positions of every batch fail with the error. */
  failAt(positions: readonly number[], error: unknown): void {
    this.failWhen((_, index) => (positions.includes(index) ? error : undefined));
  }

  /** The next `send` rejects with this error, as when it cannot be said which message failed. May be called again. */
  rejectNext(error: unknown): void {
    this.rejections.push(error);
  }

  /** From now on accepted messages are answered; `undefined` = no answers. */
  replyWith(answer: ((message: Message) => Message) | undefined): void {
    this.answer = answer;
  }

  /** From now on `send` waits for `release`, or until its signal aborts. */
  stall(): void {
    this.gate ??= new Promise((resolve) => {
      this.openGate = resolve;
    });
  }

  release(): void {
    this.openGate?.();
    this.gate = undefined;
  }

  /** Resolves when at least `count` messages were accepted. */
  collected(count: number): Promise<void> {
    return this.when(() => this.messages.length >= count);
  }

  /** Resolves when `send` has been called at least `count` times. */
  sent(count: number): Promise<void> {
    return this.when(() => this.sends.length >= count);
  }

  get closed(): boolean {
    return this.closes > 0;
  }

  async send(batch: MessageBatch, signal: AbortSignal): Promise<readonly Outcome[] | undefined> {
    if (this.closed) this.violations.push("send was called after close");
    this.sends.push(batch);
    this.lastSignal = signal;
    this.maxInFlight = Math.max(this.maxInFlight, ++this.inFlight);
    this.wake();
    try {
      if (this.gate) await untilAborted(this.gate, signal);
      if (this.rejections.length > 0) throw this.rejections.shift() as Error;
      return this.accept(batch);
    } finally {
      this.inFlight--;
      this.wake();
    }
  }

  async flush(): Promise<void> {
    this.flushes++;
  }

  async close(): Promise<void> {
    this.closes++;
  }

  status(): EndpointStatus {
    return this.health;
  }

  private accept(batch: MessageBatch): readonly Outcome[] | undefined {
    const outcomes = Array.from(batch, (message, index): Outcome => {
      const error = this.failure?.(message, index, batch);
      if (error !== undefined) return failed(error);
      this.messages.push(message);
      return this.answer ? replied(this.answer(message)) : ACCEPTED;
    });
    return outcomes.every((outcome) => outcome === ACCEPTED) ? undefined : outcomes;
  }

  private when(reached: () => boolean): Promise<void> {
    if (reached()) return Promise.resolve();
    return new Promise((resolve) => this.waiters.push({ reached, resolve }));
  }

  private wake(): void {
    for (const waiter of this.waiters.filter((one) => one.reached())) {
      this.waiters.splice(this.waiters.indexOf(waiter), 1);
      waiter.resolve();
    }
  }
}

function untilAborted(gate: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) return stop();
    signal.addEventListener("abort", stop, { once: true });
    void gate.then(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    });
  });
}
