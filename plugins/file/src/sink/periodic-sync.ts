import type { Clock } from "@mqb/core/plugin";

/** Syncs a while after something was written; the failure of a sync is told to whoever writes next. */
export class PeriodicSync {
  private readonly clock: Clock;
  private readonly intervalMs: number;
  private readonly sync: () => Promise<void>;
  private cancel: (() => void) | undefined;
  private running: Promise<void> | undefined;
  private failure: unknown;

  constructor(clock: Clock, intervalMs: number, sync: () => Promise<void>) {
    this.clock = clock;
    this.intervalMs = intervalMs;
    this.sync = sync;
  }

  /** Something was written. Throws what the last sync failed with, once. */
  written(): void {
    this.cancel ??= this.clock.timer(this.intervalMs, () => {
      this.cancel = undefined;
      this.running = this.sync().catch((error: unknown) => {
        this.failure = error;
      });
    });
    this.throwFailure();
  }

  /** Syncs now what was written since the last time. */
  async flush(): Promise<void> {
    await this.running;
    const due = this.cancel !== undefined;
    this.stop();
    if (due) await this.sync();
    this.throwFailure();
  }

  stop(): void {
    this.cancel?.();
    this.cancel = undefined;
  }

  private throwFailure(): void {
    const { failure } = this;
    this.failure = undefined;
    if (failure !== undefined) throw failure;
  }
}
