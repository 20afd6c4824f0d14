import type { Clock, Consumer, Delivery, InputCapabilities } from "@mqb/core/plugin";

/**
 * Reads from a source without waiting for long. A read that does not come in time stays open and is the answer to the next
 * call, where the source delivers again what nobody has committed; elsewhere it is ended, since what an open one brings
 * would be lost at a stop or a reconnect. The source never sees two reads at once. Calls are made one after another.
 */
export class Ahead {
  private readonly inner: Consumer;
  private readonly clock: Clock;
  private readonly keepsReads: boolean;
  /** A read whose answer nobody has taken yet. */
  private open: { readonly answer: Promise<Delivery>; readonly reading: AbortController } | undefined;

  constructor(inner: Consumer, clock: Clock, below: Pick<InputCapabilities, "acknowledges">) {
    this.inner = inner;
    this.clock = clock;
    this.keepsReads = below.acknowledges;
  }

  /** The answer of the open read, else a read of its own. An open read may bring as much as it was asked for. */
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

  /** What comes within `ms`, or with the end of the read after that; undefined when nothing does, or the signal aborts. */
  async within(ms: number, max: number, signal: AbortSignal): Promise<Delivery | undefined> {
    const delivery = await this.inTime(ms, max, signal);
    if (delivery || this.keepsReads) return delivery;
    const last = await this.endRead();
    if (!last || last.batch.length > 0 || signal.aborted) return last;
    // It says nothing about the source that a read was empty which was ended before its time.
    return { batch: last.batch, emptied: last.emptied || "held", commit: (dispositions) => last.commit(dispositions) };
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

  /** Undefined = the read is open. */
  private inTime(ms: number, max: number, signal: AbortSignal): Promise<Delivery | undefined> {
    if (signal.aborted) return Promise.resolve(undefined);
    const { answer } = (this.open ??= this.start(max));
    return new Promise((resolve, reject) => {
      let settled = false;
      const settle = (): boolean => {
        if (settled) return false;
        settled = true;
        cancel();
        signal.removeEventListener("abort", late);
        return true;
      };
      const late = (): void => {
        if (settle()) resolve(undefined);
      };
      const cancel = this.clock.timer(ms, late);
      signal.addEventListener("abort", late, { once: true });
      const came = (then: () => void): void => {
        if (!settle()) return;
        this.open = undefined;
        then();
      };
      answer.then(
        (delivery) => came(() => resolve(delivery)),
        (error: unknown) => came(() => reject(error as Error)),
      );
    });
  }

  /** What came of the open read. */
  private async endRead(): Promise<Delivery | undefined> {
    const { open } = this;
    if (!open) return undefined;
    open.reading.abort();
    try {
      return await open.answer;
    } catch (error) {
      if ((error as { name?: unknown } | null | undefined)?.name !== "AbortError") this.failNext(error);
      return undefined;
    } finally {
      if (this.open === open) this.open = undefined;
    }
  }

  private start(max: number): { readonly answer: Promise<Delivery>; readonly reading: AbortController } {
    const reading = new AbortController();
    const answer = this.inner.receive(max, reading.signal);
    // Nobody may be waiting when it fails; whoever takes the answer sees it.
    answer.catch(() => {});
    return { answer, reading };
  }
}
