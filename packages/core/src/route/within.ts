import type { Clock } from "../contract/clock.ts";

/** Resolves `true` when the promise did within `ms`, `false` when it is still open then. Leaves no timer behind. */
export function within(clock: Clock, ms: number, promise: Promise<void>): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const cancel = clock.timer(ms, () => resolve(false));
    void promise.then(() => resolve(true), reject).finally(cancel);
  });
}

/** The promise's result, or the signal's reason as soon as it aborts. Leaves no listener behind. */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const aborted = (): void => reject(signal.reason as Error);
    void promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", aborted));
    if (signal.aborted) aborted();
    else signal.addEventListener("abort", aborted, { once: true });
  });
}
