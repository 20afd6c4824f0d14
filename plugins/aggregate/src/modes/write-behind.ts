import type { MessageBatch, StateStore } from "@mqb/core/plugin";
import { errors } from "../errors.ts";
import type { Folder } from "../folder.ts";
import { storedKey } from "../key.ts";
import type { Writer } from "../result.ts";
import { type Held, hold } from "../states/held.ts";
import { loadStates } from "../states/load.ts";
import type { States } from "../states/states.ts";
import { Table } from "../states/table.ts";
import { type Deferred, deferred } from "./deferred.ts";
import type { Lease } from "./lease.ts";
import type { Mode, Ran } from "./mode.ts";
import { Turns } from "./turns.ts";

/**
 * States that live in memory and are written behind. A write covers everything that has changed until it begins, and the
 * next one begins as soon as it has returned. When one fails, the states in memory are dropped, and what is not stored is
 * not acked.
 */
export class WriteBehind implements Mode, States {
  private readonly folder: Folder;
  private readonly writer: Writer;
  private readonly store: StateStore;
  private readonly prefix: string;
  private readonly lease: Lease;
  private readonly tables: readonly Table[];
  private readonly turns = new Turns();
  /** Changed since the last write began, with the number of its entry. */
  private changed = new Map<Held, number>();
  /** Settled by the write that covers them. */
  private waiting: Deferred | undefined;
  private writing: Promise<void> | undefined;
  /** Raised when the states in memory are dropped. */
  private generation = 0;
  private closed = false;

  /** Gives `lease` back when it is closed, as it closes the store. */
  constructor(folder: Folder, writer: Writer, store: StateStore, lease: Lease, prefix: string, maxKeys: number) {
    this.folder = folder;
    this.writer = writer;
    this.store = store;
    this.lease = lease;
    this.prefix = prefix;
    this.tables = folder.entries.map(() => new Table(maxKeys));
  }

  run(batch: MessageBatch): Promise<Ran> {
    return this.turns.take(async () => {
      if (this.closed) throw errors.CLOSED({});
      this.lease.check();
      const keys = this.folder.keys(batch);
      // Dropped while they were being read: begin again with the stored ones.
      for (let from = -1; from !== this.generation; ) {
        from = this.generation;
        await this.load(keys);
      }
      const ran = this.writer.run(this.folder.fold(batch, this, keys));
      // What is being written belongs to older batches.
      const stored = this.changed.size > 0 ? this.covered() : undefined;
      for (const table of this.tables) table.shrink();
      return { ...ran, stored };
    });
  }

  find(entry: number, key: string): Held | undefined {
    return this.tables[entry]!.find(key);
  }

  set(entry: number, _key: string, held: Held | undefined, state: unknown): void {
    held!.state = state;
    if (this.changed.has(held!)) return;
    this.changed.set(held!, entry);
    held!.unsaved += 1;
  }

  async close(): Promise<void> {
    if (!this.closed) {
      this.closed = true;
      this.drop(errors.CLOSED({}));
    }
    await this.writing;
    await this.turns.take(async () => {
      await this.lease.release();
      await this.store.close();
    });
  }

  private async load(keys: readonly (string | undefined)[]): Promise<void> {
    const { entries } = this.folder;
    const wanted = entries.map(() => new Map<string, Held>());
    for (let at = 0; at < keys.length; at++) {
      const key = keys[at];
      const e = at % entries.length;
      if (key === undefined || this.tables[e]!.find(key) || wanted[e]!.has(key)) continue;
      wanted[e]!.set(key, hold(storedKey(this.prefix, entries[e]!.into, key), undefined, null));
    }
    const { generation } = this;
    const list = wanted.flatMap((some, entry) => [...some.values()].map((held) => ({ entry, held })));
    await loadStates(this.store, entries, list);
    if (generation !== this.generation) return;
    for (const [e, some] of wanted.entries()) for (const [key, held] of some) this.tables[e]!.add(key, held);
  }

  /** Resolves when everything that has changed until now is stored. */
  private covered(): Promise<void> {
    this.waiting ??= deferred();
    const { promise } = this.waiting;
    this.writing ??= this.write().finally(() => {
      this.writing = undefined;
    });
    return promise;
  }

  private async write(): Promise<void> {
    while (this.waiting) {
      const { waiting, changed } = this;
      this.waiting = undefined;
      this.changed = new Map();
      try {
        await this.put(changed);
        waiting.resolve();
      } catch (error) {
        waiting.reject(error);
        this.drop(error);
      }
    }
  }

  private async put(changed: ReadonlyMap<Held, number>): Promise<void> {
    const { entries } = this.folder;
    const writes = Array.from(changed, ([held, entry]) => ({
      key: held.stored,
      value: Buffer.from(entries[entry]!.kind.save(held.state)),
      expectedVersion: held.version,
    }));
    this.lease.check();
    let results: Awaited<ReturnType<StateStore["putMany"]>>;
    try {
      results = await this.store.putMany(writes);
    } catch (cause) {
      throw errors.STORE_WRITE({}, { cause });
    }
    let refused = 0;
    for (const [i, held] of [...changed.keys()].entries()) {
      const result = results[i]!;
      held.unsaved -= 1;
      if (result.type === "written") held.version = result.version;
      else refused++;
    }
    if (refused > 0) throw errors.REFUSED({ keys: refused, writes: writes.length });
  }

  /** The states in memory are not those of the store: they are read again. Whoever waits is told why. */
  private drop(error: unknown): void {
    this.generation += 1;
    for (const table of this.tables) table.clear();
    this.changed = new Map();
    this.waiting?.reject(error);
    this.waiting = undefined;
  }
}
