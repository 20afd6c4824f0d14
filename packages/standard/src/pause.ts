import type { Clock } from "@mqb/core/plugin";

/** Waits that end early: by the signal of each, or all of them, now and later, by `end`. */
export class Pauses {
  private readonly clock: Clock;
  private readonly waiting = new Set<() => void>();
  private ended = false;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** Resolves `true` after `ms`, or `false` at once when the signal aborts or `end` is called. */
  wait(ms: number, signal: AbortSignal): Promise<boolean> {
    if (this.ended || signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const settle = (full: boolean): void => {
        cancel();
        signal.removeEventListener("abort", stop);
        this.waiting.delete(stop);
        resolve(full);
      };
      const stop = (): void => settle(false);
      const cancel = this.clock.timer(ms, () => settle(true));
      signal.addEventListener("abort", stop, { once: true });
      this.waiting.add(stop);
    });
  }

  /** Idempotent. */
  end(): void {
    this.ended = true;
    for (const stop of this.waiting) stop();
  }
}
