import { setMaxListeners } from "node:events";

/** Signals for what is under way: each aborts with one of its own, and all of them, now and later, by `end`. */
export class Stops {
  private readonly open = new Set<AbortController>();
  private ended = false;

  /** `end` must be called when it is done: the given signal may live much longer. */
  begin(signal?: AbortSignal): { readonly signal: AbortSignal; end(): void } {
    const stop = new AbortController();
    // Every request that is under way listens to it.
    setMaxListeners(0, stop.signal);
    const abort = (): void => stop.abort(signal?.reason);
    if (this.ended || signal?.aborted) abort();
    signal?.addEventListener("abort", abort, { once: true });
    this.open.add(stop);
    return {
      signal: stop.signal,
      end: () => {
        signal?.removeEventListener("abort", abort);
        this.open.delete(stop);
      },
    };
  }

  /** Idempotent. */
  end(): void {
    this.ended = true;
    for (const stop of this.open) stop.abort();
  }
}
