import type { Clock } from "../contract/clock.ts";
import type { Shared } from "../contract/context.ts";
import { within } from "../route/within.ts";

interface Entry {
  holders: number;
  readonly value: Promise<unknown>;
  /** Set while the last holder's release disposes of it. */
  disposing?: Promise<void>;
}

/** A client whose server is gone may never end; a port that is still taken is an error of whoever makes the next one. */
const DISPOSE_LIMIT_MS = 2000;

/** Resources that several holders use at once and that end with their last holder. */
export class SharedResources {
  private readonly entries = new Map<string, Entry>();
  private readonly clock: Clock;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  async acquire<T>(key: string, make: () => Promise<T>, dispose: (value: T) => Promise<void>): Promise<Shared<T>> {
    let entry = this.entries.get(key);
    // The next one waits until the last one is gone: a port or a file may not have two owners.
    for (; entry?.disposing; entry = this.entries.get(key)) {
      const gone = entry.disposing.catch(() => {});
      if (!(await within(this.clock, DISPOSE_LIMIT_MS, gone))) this.forget(key, entry);
    }
    const held: Entry = entry ?? { holders: 0, value: make() };
    this.entries.set(key, held);
    held.holders += 1;
    let value: T;
    try {
      value = (await held.value) as T;
    } catch (error) {
      // A failed attempt is not kept: the next one who asks tries again.
      this.forget(key, held);
      throw error;
    }
    let released: Promise<void> | undefined;
    const release = async (): Promise<void> => {
      if (--held.holders > 0) return;
      try {
        await (held.disposing = dispose(value));
      } finally {
        this.forget(key, held);
      }
    };
    return { value, release: () => (released ??= release()) };
  }

  /** Keys of what is held now, for leak checks. */
  keys(): string[] {
    return [...this.entries.keys()];
  }

  private forget(key: string, entry: Entry): void {
    if (this.entries.get(key) === entry) this.entries.delete(key);
  }
}
