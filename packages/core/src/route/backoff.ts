const LONGEST_MS = 10_000;
const SHORTEST_GROWING_MS = 50;

/**
 * Pauses between reconnects: the interval first, then doubled up to 10 s (or the interval, if longer), each less up to a
 * fifth. So an end that is there again is found within 10 s, and many routes do not all come at once.
 */
export function createBackoff(intervalMs: number): { next(): number; reset(): void } {
  let attempts = 0;
  return {
    next() {
      const first = attempts === 0 ? intervalMs : Math.max(intervalMs, SHORTEST_GROWING_MS);
      const grown = first * 2 ** Math.min(attempts++, 16);
      return Math.min(grown, Math.max(LONGEST_MS, intervalMs)) * (1 - Math.random() * 0.2);
    },
    reset: () => void (attempts = 0),
  };
}
