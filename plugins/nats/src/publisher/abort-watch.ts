/**
 * Tells sends that their signal has aborted. A route passes the same signal to all of them, so each signal is listened to once,
 * however many sends wait.
 */
export class AbortWatch<T> {
  private readonly waiting = new Map<AbortSignal, { readonly items: Set<T>; readonly aborted: () => void }>();
  private readonly tell: (item: T) => void;

  constructor(tell: (item: T) => void) {
    this.tell = tell;
  }

  add(signal: AbortSignal, item: T): void {
    let entry = this.waiting.get(signal);
    if (!entry) {
      const items = new Set<T>();
      const aborted = (): void => {
        for (const one of [...items]) this.tell(one);
      };
      entry = { items, aborted };
      this.waiting.set(signal, entry);
      signal.addEventListener("abort", aborted);
    }
    entry.items.add(item);
  }

  remove(signal: AbortSignal, item: T): void {
    const entry = this.waiting.get(signal);
    if (!entry?.items.delete(item) || entry.items.size > 0) return;
    this.waiting.delete(signal);
    signal.removeEventListener("abort", entry.aborted);
  }
}
