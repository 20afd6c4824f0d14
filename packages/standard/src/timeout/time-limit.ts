import type { Clock } from "@mqb/core/plugin";
import { errors } from "../errors.ts";

/** How long somebody who was told to stop has to answer all the same. */
const LAST_WORD_MS = 100;

/** The time that one call has. Its signal aborts when that is over, and when the outer one does. */
export class TimeLimit {
  isOver = false;
  private readonly stop = new AbortController();
  private readonly outer: AbortSignal;
  private readonly passOn: () => void;
  private readonly givenUp: Promise<undefined>;
  private cancel: () => void = () => {};

  constructor(clock: Clock, ms: number, outer: AbortSignal) {
    this.outer = outer;
    this.passOn = () => this.stop.abort(outer.reason);
    outer.addEventListener("abort", this.passOn, { once: true });
    if (outer.aborted) this.passOn();
    this.givenUp = new Promise((resolve) => {
      this.cancel = clock.timer(ms, () => {
        this.isOver = true;
        this.stop.abort(errors.SEND_TIMEOUT({ ms }));
        this.cancel = clock.timer(LAST_WORD_MS, () => resolve(undefined));
      });
    });
  }

  get signal(): AbortSignal {
    return this.stop.signal;
  }

  /** What the promise gives; undefined when the time, and a moment more, are over before that. */
  within<T>(promise: Promise<T>): Promise<{ readonly value: T } | undefined> {
    return Promise.race([promise.then((value) => ({ value })), this.givenUp]);
  }

  /** Disarms the timer. */
  end(): void {
    this.cancel();
    this.outer.removeEventListener("abort", this.passOn);
  }
}
