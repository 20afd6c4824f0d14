import type { Clock } from "@mqb/core/plugin";
import { errors } from "../errors.ts";

/** How long somebody who was told to stop has to answer all the same. */
const LAST_WORD_MS = 100;

/**
 * The time that one call has, and after it another one: as long as nobody was told to stop, only the timer is new. Its signal
 * aborts when the time is over, and when the outer one does.
 */
export class TimeLimit {
  isOver = false;
  readonly outer: AbortSignal;
  private readonly clock: Clock;
  private readonly ms: number;
  private readonly stop = new AbortController();
  private readonly passOn: () => void;
  private giveUp: () => void = () => {};
  private cancel: () => void = () => {};

  constructor(clock: Clock, ms: number, outer: AbortSignal) {
    this.clock = clock;
    this.ms = ms;
    this.outer = outer;
    this.passOn = () => this.stop.abort(outer.reason);
    outer.addEventListener("abort", this.passOn, { once: true });
    if (outer.aborted) this.passOn();
  }

  get signal(): AbortSignal {
    return this.stop.signal;
  }

  begin(): void {
    const { clock, ms } = this;
    this.cancel = clock.timer(ms, () => {
      this.isOver = true;
      this.stop.abort(errors.SEND_TIMEOUT({ ms }));
      this.cancel = clock.timer(LAST_WORD_MS, () => this.giveUp());
    });
  }

  /** What the promise gives; undefined when the time, and a moment more, are over before that. */
  within<T>(promise: Promise<T>): Promise<{ readonly value: T } | undefined> {
    // Not a race with one promise for all calls, which would remember each of them.
    return new Promise((resolve, reject) => {
      this.giveUp = () => resolve(undefined);
      promise.then((value) => resolve({ value }), reject);
    });
  }

  /** Disarms the timer. True when the limit can be used again. */
  end(): boolean {
    this.cancel();
    return !this.stop.signal.aborted;
  }

  /** It is not used again. */
  close(): void {
    this.outer.removeEventListener("abort", this.passOn);
  }
}
