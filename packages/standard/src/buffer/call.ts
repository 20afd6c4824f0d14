import type { MessageBatch, Outcome } from "@mqb/core/plugin";

type Outcomes = readonly Outcome[] | undefined;

export interface CallSetup {
  readonly batch: MessageBatch;
  readonly signal: AbortSignal;
  /** When it came, by the monotonic clock. */
  readonly since: number;
  readonly resolve: (outcomes: Outcomes) => void;
  readonly reject: (error: unknown) => void;
  readonly onAbort: () => void;
}

/** One caller of a `send`, waiting for the outcomes of its messages. Settled once; what comes later is ignored. */
export class Call {
  readonly batch: MessageBatch;
  readonly signal: AbortSignal;
  readonly since: number;
  /** What an abort of the caller's signal does now. */
  onAbort: () => void;
  private readonly setup: CallSetup;
  private readonly aborted = (): void => this.onAbort();

  constructor(setup: CallSetup) {
    this.batch = setup.batch;
    this.signal = setup.signal;
    this.since = setup.since;
    this.onAbort = setup.onAbort;
    this.setup = setup;
    setup.signal.addEventListener("abort", this.aborted, { once: true });
  }

  finish(outcomes: Outcomes): void {
    this.signal.removeEventListener("abort", this.aborted);
    this.setup.resolve(outcomes);
  }

  fail(error: unknown): void {
    this.signal.removeEventListener("abort", this.aborted);
    this.setup.reject(error);
  }
}
