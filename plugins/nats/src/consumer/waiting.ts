import { type Clock, sleep } from "@mqb/core/plugin";

/** Undefined when the signal aborts first. */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const stop = (): void => resolve(undefined);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

/** False when it took longer, or failed. */
export async function within(promise: Promise<unknown>, ms: number, clock: Clock): Promise<boolean> {
  const done = new AbortController();
  const finished = promise.then(
    () => true,
    () => false,
  );
  const ok = await Promise.race([finished, sleep(clock, ms, done.signal).then(() => false)]);
  done.abort();
  return ok;
}
