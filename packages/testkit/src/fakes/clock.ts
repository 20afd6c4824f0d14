import { AssertionError } from "node:assert";
import type { Clock } from "@mqb/core/plugin";
import { turns } from "../wait/eventually.ts";

interface Timer {
  readonly at: number;
  readonly fn: () => void;
}

const START = Date.UTC(2026, 0, 1);
const AN_HOUR = 3_600_000;
const PATIENCE_MS = 5_000;

/** A clock that stands still until a test moves it. `monotonic` starts at 0. */
export class FakeClock implements Clock {
  /** How many timers were ever armed; to show that none is armed per message. */
  armed = 0;
  private readonly start: number;
  private time: number;
  /** In the order in which they are due; equal times in the order in which they were armed. */
  private readonly timers: Timer[] = [];
  private readonly waiters: { readonly count: number; readonly resolve: () => void }[] = [];

  /** `start` in Unix milliseconds; the default is 2026-01-01T00:00:00Z. */
  constructor(start: number = START) {
    this.start = start;
    this.time = start;
  }

  now(): number {
    return Math.floor(this.time);
  }

  monotonic(): number {
    return this.time - this.start;
  }

  timer(ms: number, fn: () => void): () => void {
    const timer: Timer = { at: this.time + Math.max(0, ms), fn };
    const later = this.timers.findIndex((other) => other.at > timer.at);
    this.timers.splice(later < 0 ? this.timers.length : later, 0, timer);
    this.armed++;
    this.wake();
    return () => {
      const index = this.timers.indexOf(timer);
      if (index >= 0) this.timers.splice(index, 1);
    };
  }

  /** Timers that are armed now. */
  get pending(): number {
    return this.timers.length;
  }

  /** Milliseconds until the next timer is due, or undefined when none is armed. */
  get nextIn(): number | undefined {
    const next = this.timers[0];
    return next && next.at - this.time;
  }

  /** Resolves when at least `count` timers are armed: what is tested has begun to wait. */
  waiting(count = 1): Promise<void> {
    if (this.timers.length >= count) return Promise.resolve();
    return new Promise((resolve) => this.waiters.push({ count, resolve }));
  }

  /**
   * Moves the time on by `ms` and runs the timers that fall due, one after another, each at its own time; what a timer
   * sets off has run, as far as it needs nothing from outside, before the next one is looked at.
   */
  async advance(ms: number): Promise<void> {
    const until = this.time + ms;
    await turns();
    for (let next = this.timers[0]; next && next.at <= until; next = this.timers[0]) {
      this.timers.shift();
      this.time = Math.max(this.time, next.at);
      next.fn();
      await turns();
    }
    this.time = until;
  }

  /**
   * Jumps from timer to timer until the promise settles, over at most `limitMs` of this clock's time. For code whose
   * pauses do not matter to the test. Rejects when the promise is open and no timer within the limit is
   * left; work outside of the process gets `patienceMs` of real time.
   */
  async runUntil<T>(promise: PromiseLike<T>, limitMs: number = AN_HOUR, patienceMs: number = PATIENCE_MS): Promise<T> {
    let settled = false;
    const mark = (): void => {
      settled = true;
    };
    promise.then(mark, mark);
    const until = this.time + limitMs;
    let giveUp = performance.now() + patienceMs;
    for (;;) {
      await turns();
      if (settled) return promise;
      const next = this.timers[0];
      if (next && next.at <= until) {
        await this.advance(next.at - this.time);
        giveUp = performance.now() + patienceMs;
      } else if (performance.now() > giveUp) {
        const left = next ? "the next timer is beyond the limit" : "no timer is armed";
        throw new AssertionError({ message: `still waiting after ${this.monotonic()} ms of fake time, and ${left}` });
      }
    }
  }

  private wake(): void {
    for (let i = this.waiters.length - 1; i >= 0; i--) {
      const waiter = this.waiters[i]!;
      if (this.timers.length < waiter.count) continue;
      this.waiters.splice(i, 1);
      waiter.resolve();
    }
  }
}
