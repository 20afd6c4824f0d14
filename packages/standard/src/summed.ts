import type { Clock } from "@mqb/core/plugin";

const EVERY_MS = 10_000;

/**
 * Something that happens to messages and is worth a line in the log: told at once, and then at most every ten seconds with
 * the sum of what has come since, so that a flood of it does not hide everything else.
 */
export class Summed<T> {
  private readonly clock: Clock;
  private readonly tell: (count: number, first: T) => void;
  private waiting: { count: number; readonly first: T } | undefined;
  private quietUntil = Number.NEGATIVE_INFINITY;

  /** `tell` gets how many messages it were, and what the first of them met. */
  constructor(clock: Clock, tell: (count: number, first: T) => void) {
    this.clock = clock;
    this.tell = tell;
  }

  /** Called at most once a batch. */
  add(count: number, first: T): void {
    this.waiting ??= { count: 0, first };
    this.waiting.count += count;
    if (this.clock.monotonic() >= this.quietUntil) this.flush();
  }

  /** Tells what has not been told. */
  flush(): void {
    if (!this.waiting) return;
    const { count, first } = this.waiting;
    this.waiting = undefined;
    this.quietUntil = this.clock.monotonic() + EVERY_MS;
    this.tell(count, first);
  }
}
