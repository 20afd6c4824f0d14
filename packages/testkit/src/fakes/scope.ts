import type { Shared } from "@mqb/core/plugin";

interface Resource {
  holders: number;
  readonly value: Promise<unknown>;
}

/** What the contexts of one bridge have in common: `local` and `share`. Give two contexts one scope and they meet. */
export class FakeScope {
  private readonly locals = new Map<string, unknown>();
  private readonly resources = new Map<string, Resource>();

  local<T>(key: string, make: () => T): T {
    if (!this.locals.has(key)) this.locals.set(key, make());
    return this.locals.get(key) as T;
  }

  async share<T>(key: string, make: () => Promise<T>, dispose: (value: T) => Promise<void>): Promise<Shared<T>> {
    let resource = this.resources.get(key);
    if (!resource) {
      resource = { holders: 0, value: make() };
      this.resources.set(key, resource);
    }
    const held = resource;
    held.holders++;
    const forget = (): void => {
      if (this.resources.get(key) === held) this.resources.delete(key);
    };
    try {
      const value = (await held.value) as T;
      let released: Promise<void> | undefined;
      const release = async (): Promise<void> => {
        if (--held.holders > 0) return;
        forget();
        await dispose(value);
      };
      return { value, release: () => (released ??= release()) };
    } catch (error) {
      forget();
      throw error;
    }
  }

  /** Keys of shared resources that somebody still holds; empty after everything is closed, or there is a leak. */
  get held(): readonly string[] {
    return [...this.resources.keys()];
  }
}
