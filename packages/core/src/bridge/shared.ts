import type { Shared } from "../contract/context.ts";

interface Entry {
  holders: number;
  readonly value: Promise<unknown>;
  readonly dispose: (value: never) => Promise<void>;
}

/** Resources that several holders use at once and that end with their last holder. */
export class SharedResources {
  private readonly entries = new Map<string, Entry>();

  async acquire<T>(key: string, make: () => Promise<T>, dispose: (value: T) => Promise<void>): Promise<Shared<T>> {
    let entry = this.entries.get(key);
    if (!entry) {
      entry = { holders: 0, value: make(), dispose };
      this.entries.set(key, entry);
    }
    const held = entry;
    held.holders += 1;
    try {
      const value = (await held.value) as T;
      let released = false;
      const release = async (): Promise<void> => {
        if (released) return;
        released = true;
        if (--held.holders > 0) return;
        if (this.entries.get(key) === held) this.entries.delete(key);
        await held.dispose(value as never);
      };
      return { value, release };
    } catch (error) {
      // A failed attempt is not kept: the next one who asks tries again.
      held.holders -= 1;
      if (this.entries.get(key) === held) this.entries.delete(key);
      throw error;
    }
  }

  /** Keys of what is held now, for leak checks. */
  keys(): string[] {
    return [...this.entries.keys()];
  }
}
