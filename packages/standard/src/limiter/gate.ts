import type { Clock } from "@mqb/core/plugin";
import { MAX_TIMER_MS } from "../fields.ts";
import type { Pace } from "./pace.ts";

interface Waiting {
  readonly count: number;
  readonly settle: (passes: boolean) => void;
}

/**
 * Lets callers pass in the order in which they came, each when those before it have had their time. One that gives up leaves
 * no gap: its time goes to the next.
 */
export class Gate {
  private readonly pace: Pace;
  private readonly clock: Clock;
  private readonly line: Waiting[] = [];
  private disarm: (() => void) | undefined;

  constructor(pace: Pace, clock: Clock) {
    this.pace = pace;
    this.clock = clock;
  }

  /** Resolves `true` when so many messages may pass, `false` when the signal aborts or the gate is closed before that. */
  pass(count: number, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const settle = (passes: boolean): void => {
        signal.removeEventListener("abort", giveUp);
        resolve(passes);
      };
      const waiting = { count, settle };
      const giveUp = (): void => {
        this.line.splice(this.line.indexOf(waiting), 1);
        if (this.line.length === 0) this.noTimer();
        settle(false);
      };
      signal.addEventListener("abort", giveUp, { once: true });
      this.line.push(waiting);
      this.consider();
    });
  }

  close(): void {
    this.noTimer();
    for (const { settle } of this.line.splice(0)) settle(false);
  }

  private consider(): void {
    while (this.line.length > 0 && this.pace.wait < 1) {
      const { count, settle } = this.line.shift()!;
      this.pace.take(count);
      settle(true);
    }
    if (this.line.length === 0) return;
    this.disarm ??= this.clock.timer(Math.min(this.pace.wait, MAX_TIMER_MS), () => {
      this.disarm = undefined;
      this.consider();
    });
  }

  private noTimer(): void {
    this.disarm?.();
    this.disarm = undefined;
  }
}
