import type { MessageBatch, StateStore } from "@mqb/core/plugin";
import { errors } from "../errors.ts";
import type { Folded, Folder } from "../folder.ts";
import { storedKey } from "../key.ts";
import type { Writer } from "../result.ts";
import { type Held, hold } from "../states/held.ts";
import { loadStates } from "../states/load.ts";
import type { States } from "../states/states.ts";
import type { Mode, Ran } from "./mode.ts";
import { Turns } from "./turns.ts";

/** How often states that others have changed meanwhile are read and computed again. */
const MOST_TIMES = 32;

/** States that live in the store: each batch loads those of its keys and writes them back before it goes on. */
export class Shared implements Mode {
  private readonly folder: Folder;
  private readonly writer: Writer;
  private readonly store: StateStore;
  private readonly prefix: string;
  private readonly readOnly: boolean;
  private readonly turns = new Turns();

  /** `readOnly`: nothing is written, and each message sees what is stored. */
  constructor(folder: Folder, writer: Writer, store: StateStore, prefix: string, readOnly: boolean) {
    this.folder = folder;
    this.writer = writer;
    this.store = store;
    this.prefix = prefix;
    this.readOnly = readOnly;
  }

  /** One batch after another: two of them would only refuse each other's states. */
  run(batch: MessageBatch): Promise<Ran> {
    return this.turns.take(async () => {
      const { folder, store } = this;
      const keys = folder.keys(batch);
      const loaded = this.placesOf(keys);
      await loadStates(
        store,
        folder.entries,
        loaded.flatMap((table, entry) => [...table.values()].map((held) => ({ entry, held }))),
      );
      const states = new BatchStates(loaded);
      const folded = folder.fold(batch, states, keys);
      if (!this.readOnly) await this.write(folded, states, keys);
      return this.writer.run(folded);
    });
  }

  async close(): Promise<void> {
    await this.turns.take(() => this.store.close());
  }

  /** By entry, a place for the state of each key. */
  private placesOf(keys: readonly (string | undefined)[]): Map<string, Held>[] {
    const { entries } = this.folder;
    const loaded = entries.map(() => new Map<string, Held>());
    for (let at = 0; at < keys.length; at++) {
      const key = keys[at];
      if (key === undefined) continue;
      const e = at % entries.length;
      if (!loaded[e]!.has(key))
        loaded[e]!.set(key, hold(storedKey(this.prefix, entries[e]!.into, key), undefined, null));
    }
    return loaded;
  }

  private async write(folded: Folded, states: BatchStates, keys: readonly (string | undefined)[]): Promise<void> {
    const { entries } = this.folder;
    for (let times = 0; ; times++) {
      const changed = states.takeChanged();
      if (changed.length === 0) return;
      const writes = changed.map(({ entry, held }) => ({
        key: held.stored,
        value: Buffer.from(entries[entry]!.kind.save(held.state)),
        expectedVersion: held.version,
      }));
      let results: Awaited<ReturnType<StateStore["putMany"]>>;
      try {
        results = await this.store.putMany(writes);
      } catch (cause) {
        throw errors.STORE_WRITE({}, { cause });
      }
      const again = entries.map(() => new Set<string>());
      for (const [i, { entry, key, held }] of changed.entries()) {
        const result = results[i]!;
        if (result.type === "written") held.version = result.version;
        else {
          const { current } = result;
          held.version = current?.version ?? null;
          held.state = current && entries[entry]!.kind.load(current.value);
          again[entry]!.add(key);
        }
      }
      const refused = again.reduce((sum, some) => sum + some.size, 0);
      if (refused === 0) return;
      if (times + 1 >= MOST_TIMES) throw errors.CONTENDED({ keys: refused, times: MOST_TIMES });
      for (const [e, some] of again.entries()) {
        if (some.size > 0) this.folder.refold(folded, e, some, states, keys);
      }
    }
  }
}

interface Changed {
  readonly entry: number;
  readonly key: string;
  readonly held: Held;
}

/** The states of the keys of one batch. */
class BatchStates implements States {
  private readonly loaded: readonly Map<string, Held>[];
  private changed = new Map<Held, Changed>();

  constructor(loaded: readonly Map<string, Held>[]) {
    this.loaded = loaded;
  }

  find(entry: number, key: string): Held | undefined {
    return this.loaded[entry]!.get(key);
  }

  set(entry: number, key: string, held: Held | undefined, state: unknown): void {
    held!.state = state;
    this.changed.set(held!, { entry, key, held: held! });
  }

  /** What has changed since the last call. */
  takeChanged(): Changed[] {
    const changed = [...this.changed.values()];
    this.changed = new Map();
    return changed;
  }
}
