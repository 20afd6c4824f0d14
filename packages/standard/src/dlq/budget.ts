/** How many messages may be dead-lettered; infinite and undefined limit nothing. */
export interface BudgetLimits {
  /** Since the start of the route. */
  readonly after: number;
  /** More than `threshold` of the last `window` messages. */
  readonly window?: number;
  readonly threshold?: number;
}

/** Counts the messages that were delivered and those that are in the dead letters. */
export class Budget {
  private readonly limits: BudgetLimits;
  private letters = 0;
  private seen = 0;
  /** Numbers of the dead-lettered messages within the window. */
  private recent: number[] = [];

  constructor(limits: BudgetLimits) {
    this.limits = limits;
  }

  /** Another one that has counted as much: for what is not certain yet. */
  copy(): Budget {
    const copy = new Budget(this.limits);
    copy.letters = this.letters;
    copy.seen = this.seen;
    copy.recent = this.recent.slice();
    return copy;
  }

  delivered(count: number): void {
    this.seen += count;
  }

  deadLettered(): void {
    const { window } = this.limits;
    this.letters += 1;
    if (window === undefined) return;
    this.recent.push(++this.seen);
    while (this.recent[0]! <= this.seen - window) this.recent.shift();
  }

  /** The limit that the last letter went beyond. */
  exceeded(): "threshold" | "after" | undefined {
    const { threshold, after } = this.limits;
    if (threshold !== undefined && this.recent.length > threshold) return "threshold";
    return this.letters > after ? "after" : undefined;
  }
}
