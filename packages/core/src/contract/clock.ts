/** Time, as far as mqb needs it. Tests give a fake one; everything that waits goes through it. */
export interface Clock {
  /** Unix milliseconds. */
  now(): number;
  /** Milliseconds that never go back, with fractions. */
  monotonic(): number;
  /** Calls `fn` once after `ms` milliseconds unless cancelled. Returns the cancel function. */
  timer(ms: number, fn: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  timer: (ms, fn) => {
    const handle = setTimeout(fn, ms);
    return () => clearTimeout(handle);
  },
};

/** Resolves `true` after `ms`, or `false` at once when the signal aborts. Never rejects, leaves no timer behind. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<boolean> {
  if (signal?.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const settle = (full: boolean): void => {
      cancel();
      signal?.removeEventListener("abort", aborted);
      resolve(full);
    };
    const aborted = (): void => settle(false);
    const cancel = clock.timer(ms, () => settle(true));
    signal?.addEventListener("abort", aborted, { once: true });
  });
}
