import type { StateStore } from "@mqb/core/plugin";
import type { Positions } from "./checkpoint-table.ts";

/** Positions in a state store. */
export class StorePositions implements Positions {
  private readonly store: StateStore;

  constructor(store: StateStore) {
    this.store = store;
  }

  async read(key: string): Promise<string | undefined> {
    const [entry] = await this.store.getMany([key]);
    return entry && Buffer.from(entry.value).toString("utf8");
  }

  async write(key: string, value: string): Promise<void> {
    await this.store.putMany([{ key, value: Buffer.from(value) }]);
  }

  async clear(key: string): Promise<void> {
    await this.store.deleteMany([key]);
  }

  close(): Promise<void> {
    return this.store.close();
  }
}
