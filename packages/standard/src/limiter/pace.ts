import type { Clock } from "@mqb/core/plugin";
import { MAX_TIMER_MS } from "../fields.ts";
import type { Pauses } from "../pause.ts";

/** How much may be made up for when something came late; a timer is never exact. */
const SLACK_MS = 50;

/** When the next messages may pass. Many of them take as long as one after another. */
export class Pace {
  private readonly msEach: number;
  private readonly clock: Clock;
  private next: number;

  constructor(perSecond: number, clock: Clock) {
    this.msEach = 1000 / perSecond;
    this.clock = clock;
    this.next = clock.monotonic();
  }

  /** Milliseconds until something may pass; 0 or less = now. */
  get wait(): number {
    return this.next - this.clock.monotonic();
  }

  /** These messages pass; returns how long they have to wait before. */
  take(count: number): number {
    const now = this.clock.monotonic();
    const at = Math.max(now - SLACK_MS, this.next);
    this.next = at + count * this.msEach;
    return at - now;
  }

  /** How many messages are asked for at most, so that they come in small groups: those of a quarter of a second. */
  get group(): number {
    return Math.max(1, Math.ceil(250 / this.msEach));
  }
}

/** Waits for as long as it takes; false = ended early. Less than a millisecond is not waited for. */
export async function rest(pauses: Pauses, ms: number, signal: AbortSignal): Promise<boolean> {
  for (let left = ms; left >= 1; left -= MAX_TIMER_MS) {
    if (!(await pauses.wait(Math.min(left, MAX_TIMER_MS), signal))) return false;
  }
  return true;
}
