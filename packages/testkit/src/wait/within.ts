import { AssertionError } from "node:assert";

/** How long a test waits for something that should happen at once. Long, since a loaded machine is no failure. */
export const DEFAULT_DEADLINE_MS = 10_000;

/**
 * Waits for a promise, at most `ms` milliseconds of real time. Rejects with an AssertionError that says `what` did not
 * happen. Leaves no timer behind.
 */
export function within<T>(promise: PromiseLike<T>, what: string, ms: number = DEFAULT_DEADLINE_MS): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = new AssertionError({ message: `${what}: did not happen within ${ms} ms`, stackStartFn: within });
    const timer = setTimeout(() => reject(late), ms);
    promise.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error as Error);
      },
    );
  });
}
