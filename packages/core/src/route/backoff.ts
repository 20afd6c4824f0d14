const LONGEST_MS = 10_000;
const SHORTEST_GROWING_MS = 50;

/**
 * Pauses between reconnects: the interval first, then doubled up to 10 s (or the interval, if longer), each less up to a
 * fifth. So an end that is there again is found within 10 s, and many routes do not all come at once.
 */
export class Backoff {
  private readonly intervalMs: number;
  private attempts = 0;

  constructor(intervalMs: number) {
    this.intervalMs = intervalMs;
  }

  next(): number {
    const first = this.attempts === 0 ? this.intervalMs : Math.max(this.intervalMs, SHORTEST_GROWING_MS);
    const grown = first * 2 ** Math.min(this.attempts++, 16);
    return Math.min(grown, Math.max(LONGEST_MS, this.intervalMs)) * (1 - Math.random() * 0.2);
  }

  reset(): void {
    this.attempts = 0;
  }
}
