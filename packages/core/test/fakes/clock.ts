import type { Clock } from "../../src/contract/clock.ts";
import { settled } from "./until.ts";

interface Timer {
  readonly at: number;
  readonly fn: () => void;
}

/** A clock that stands still until a test moves it. */
export class FakeClock implements Clock {
  time = 0;
  private timers: Timer[] = [];

  now(): number {
    return 1_700_000_000_000 + Math.floor(this.time);
  }

  monotonic(): number {
    return this.time;
  }

  timer(ms: number, fn: () => void): () => void {
    const timer = { at: this.time + ms, fn };
    this.timers.push(timer);
    return () => {
      this.timers = this.timers.filter((other) => other !== timer);
    };
  }

  /** Timers that are armed. */
  get pending(): number {
    return this.timers.length;
  }

  /** Milliseconds until the next timer is due. */
  get nextIn(): number | undefined {
    const next = this.next(Number.POSITIVE_INFINITY);
    return next && next.at - this.time;
  }

  /** Moves on by `ms`; each timer that falls due runs at its time, with what follows from it. */
  async advance(ms: number): Promise<void> {
    const end = this.time + ms;
    await settled();
    for (let next = this.next(end); next; next = this.next(end)) {
      this.timers = this.timers.filter((timer) => timer !== next);
      this.time = next.at;
      next.fn();
      await settled();
    }
    this.time = end;
  }

  /** Jumps from timer to timer until the promise settles, and gives its value. */
  async run<T>(promise: Promise<T>, limitMs = 3_600_000): Promise<T> {
    let open = true;
    const done = (): void => {
      open = false;
    };
    promise.then(done, done);
    const end = this.time + limitMs;
    for (let idle = 0; open && idle < 1000; idle++) {
      await settled();
      const next = open ? this.next(end) : undefined;
      if (!next) continue;
      idle = 0;
      await this.advance(next.at - this.time);
    }
    if (open) throw new Error(`still open at ${this.time} ms, ${this.pending} timers armed`);
    return promise;
  }

  private next(end: number): Timer | undefined {
    const due = this.timers.filter((timer) => timer.at <= end);
    return due.reduce<Timer | undefined>((first, timer) => (first && first.at <= timer.at ? first : timer), undefined);
  }
}
