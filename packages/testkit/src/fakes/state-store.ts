import type { Clock, StateEntry, StateStore, StateWrite, WriteResult } from "@mqb/core/plugin";
import { errors } from "../errors.ts";

/** A state store in memory, for tests of what uses one. `view` opens it again: closing a view keeps the entries. */
export class FakeStateStore implements StateStore {
  /** How many calls were made, by method: to show that a batch costs one call. */
  readonly calls: { getMany: number; putMany: number; deleteMany: number } = { getMany: 0, putMany: 0, deleteMany: 0 };
  private readonly entries = new Map<string, StateEntry>();
  private readonly clock: Clock;
  private versions = 0;
  private failure: unknown;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** From now on every call rejects with `error`; `undefined` = it works again. */
  fail(error: unknown): void {
    this.failure = error;
  }

  async getMany(keys: readonly string[]): Promise<(StateEntry | undefined)[]> {
    this.calls.getMany++;
    this.check();
    return keys.map((key) => this.live(key));
  }

  async putMany(writes: readonly StateWrite[]): Promise<WriteResult[]> {
    this.calls.putMany++;
    this.check();
    return writes.map((write) => this.put(write));
  }

  async deleteMany(keys: readonly string[]): Promise<void> {
    this.calls.deleteMany++;
    this.check();
    for (const key of keys) this.entries.delete(key);
  }

  async close(): Promise<void> {}

  /** The same entries through a handle of its own, which refuses calls after its `close`. */
  view(): StateStore {
    let closed = false;
    const open =
      <A, R>(method: (argument: A) => Promise<R>) =>
      async (argument: A): Promise<R> => {
        if (closed) throw errors.STORE_CLOSED({});
        return method.call(this, argument);
      };
    return {
      getMany: open(this.getMany),
      putMany: open(this.putMany),
      deleteMany: open(this.deleteMany),
      close: async () => {
        closed = true;
      },
    };
  }

  private put(write: StateWrite): WriteResult {
    const current = this.live(write.key);
    if (write.expectedVersion !== undefined && write.expectedVersion !== (current?.version ?? null)) {
      return current ? { type: "conflict", current } : { type: "conflict" };
    }
    const version = String(++this.versions);
    const { key, expiresAt } = write;
    const value = Uint8Array.from(write.value);
    this.entries.set(key, expiresAt === undefined ? { key, value, version } : { key, value, version, expiresAt });
    return { type: "written", version };
  }

  private live(key: string): StateEntry | undefined {
    const entry = this.entries.get(key);
    return entry?.expiresAt !== undefined && entry.expiresAt <= this.clock.now() ? undefined : entry;
  }

  private check(): void {
    if (this.failure !== undefined) throw this.failure as Error;
  }
}
