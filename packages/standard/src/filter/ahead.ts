import type { Clock, Consumer, Delivery } from "@mqb/core/plugin";

/**
 * Reads ahead from a source without waiting for long: a read that does not come in time stays open and is the answer to the
 * next call, so that nothing is lost and the source never sees two reads at once.
 */
export class Ahead {
  private readonly inner: Consumer;
  private readonly clock: Clock;
  /** A read whose answer nobody has taken yet. */
  private open: { readonly answer: Promise<Delivery>; readonly reading: AbortController } | undefined;

  constructor(inner: Consumer, clock: Clock) {
    this.inner = inner;
    this.clock = clock;
  }

  /** The answer of the open read, else a read of its own. `max` is never less than what an open read was asked for. */
  async receive(max: number, signal: AbortSignal): Promise<Delivery> {
    const { open } = this;
    if (!open) return this.inner.receive(max, signal);
    const stop = (): void => open.reading.abort(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    try {
      return await open.answer;
    } finally {
      signal.removeEventListener("abort", stop);
      this.open = undefined;
    }
  }

  /** What comes within `ms`; undefined when nothing does, when the read fails, or when the signal aborts. */
  within(ms: number, max: number, signal: AbortSignal): Promise<Delivery | undefined> {
    if (signal.aborted) return Promise.resolve(undefined);
    const reading = new AbortController();
    const answer = this.inner.receive(max, reading.signal);
    this.open = { answer, reading };
    return new Promise((resolve) => {
      let settled = false;
      const settle = (delivery: Delivery | undefined): void => {
        if (settled) return;
        settled = true;
        cancel();
        signal.removeEventListener("abort", stop);
        if (delivery) this.open = undefined;
        resolve(delivery);
      };
      const stop = (): void => settle(undefined);
      const cancel = this.clock.timer(ms, stop);
      signal.addEventListener("abort", stop, { once: true });
      // A failure is thrown by the next `receive`.
      answer.then(settle, stop);
    });
  }

  /** The next `receive` rejects with this error. */
  failNext(error: unknown): void {
    const answer = Promise.reject<Delivery>(error);
    answer.catch(() => {});
    this.open = { answer, reading: new AbortController() };
  }

  close(): void {
    this.open?.reading.abort();
  }
}
