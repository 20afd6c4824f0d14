import type { Message } from "@mqb/core/plugin";

/** A message in a topic. */
export interface Entry {
  readonly message: Message;
  reply?: (answer: Message) => void;
}

/** What the reference connectors of the tests store messages in: a queue that hands out and takes back. */
export class Topic {
  readonly waiting: Entry[] = [];
  private readonly capacity: number;
  private readonly waiters = new Set<() => void>();

  constructor(capacity = Number.POSITIVE_INFINITY) {
    this.capacity = capacity;
  }

  get hasRoom(): boolean {
    return this.waiting.length < this.capacity;
  }

  put(entry: Entry): void {
    this.waiting.push(entry);
    this.wake();
  }

  take(max: number): Entry[] {
    const taken = this.waiting.splice(0, max);
    this.wake();
    return taken;
  }

  back(entries: readonly Entry[]): void {
    this.waiting.unshift(...entries);
    this.wake();
  }

  /** Resolves at the next change, or when the signal aborts. */
  changed(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.waiters.delete(done);
        signal.removeEventListener("abort", done);
        resolve();
      };
      if (signal.aborted) return done();
      this.waiters.add(done);
      signal.addEventListener("abort", done, { once: true });
    });
  }

  private wake(): void {
    for (const waiter of [...this.waiters]) waiter();
  }
}
