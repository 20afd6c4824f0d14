import type { Clock, StateEntry, StateStore, StateWrite, WriteResult } from "@mqb/core/plugin";
import type { SqlDatabase } from "../contract.ts";
import { chunks, marks, patiently, withCurrent } from "./batches.ts";
import { Closable } from "./closable.ts";

export type Execute = SqlDatabase["execute"];

/** Positions of writes. */
export type Groups = readonly (readonly number[])[];

const SWEEP_MS = 60_000;

/** Entries in a table, one row each: what all layouts of them have in common. How rows are read and written is the rest. */
export abstract class TableStore implements StateStore {
  protected readonly clock: Clock;
  /** How many writes of a group one statement writes, if it needs nothing else. */
  protected readonly oneStatement: number = 0;
  private readonly database: Closable;
  private swept: number;

  constructor(database: SqlDatabase, clock: Clock) {
    this.database = new Closable(database);
    this.clock = clock;
    this.swept = clock.monotonic();
  }

  /** Makes the table. */
  create(): Promise<unknown> {
    return this.database.use(async (database) => {
      for (const statement of this.creation()) await database.execute(statement, []);
    });
  }

  getMany(keys: readonly string[]): Promise<readonly (StateEntry | undefined)[]> {
    return this.use(async (execute) => {
      const found = await this.read(execute, keys);
      return keys.map((key) => found.get(key));
    });
  }

  /** All of them in one transaction; one that is refused takes no other back. */
  putMany(writes: readonly StateWrite[]): Promise<readonly WriteResult[]> {
    return this.use(async (execute, database) => {
      if (writes.length === 0) return [];
      const groups = this.groups(writes);
      const write = async (on: Execute): Promise<readonly WriteResult[]> =>
        withCurrent(await this.write(on, writes, groups), writes, (keys) => this.read(on, keys));
      // One statement needs no transaction around it.
      const isOne = groups.length === 1 && groups[0]!.length <= this.oneStatement;
      const results = await patiently(this.clock, () => (isOne ? write(execute) : database.transaction(write)));
      await this.sweepSometimes(execute);
      return results;
    });
  }

  deleteMany(keys: readonly string[]): Promise<void> {
    return this.use((execute) => patiently(this.clock, () => this.remove(execute, keys)));
  }

  close(): Promise<void> {
    return this.database.close();
  }

  /** The statements that make the table, unless it is there. */
  protected abstract creation(): readonly string[];
  /** What is there and has not expired, by key. */
  protected abstract read(execute: Execute, keys: readonly string[]): Promise<ReadonlyMap<string, StateEntry>>;
  /** At least one write. A conflict may leave out what is in the way: it is looked up then. */
  protected abstract write(
    execute: Execute,
    writes: readonly StateWrite[],
    groups: Groups,
  ): Promise<readonly WriteResult[]>;
  protected abstract remove(execute: Execute, keys: readonly string[]): Promise<void>;

  /** The writes that can be written together, for `write` [none]. */
  protected groups(_writes: readonly StateWrite[]): Groups {
    return [];
  }

  /** Deletes what has expired, where nobody asks for it again. Called now and then, behind a write. */
  protected async sweep(_execute: Execute): Promise<void> {}

  private use<T>(work: (execute: Execute, database: SqlDatabase) => Promise<T>): Promise<T> {
    return this.database.use((database) => work((sql, values) => database.execute(sql, values), database));
  }

  /** A table that is busy is left for the next time. */
  private async sweepSometimes(execute: Execute): Promise<void> {
    if (this.clock.monotonic() - this.swept < SWEEP_MS) return;
    this.swept = this.clock.monotonic();
    try {
      await this.sweep(execute);
    } catch {
      // What has expired is in nobody's way.
    }
  }
}

/** Deletes rows by their keys, in order, so that two who delete the same ones do not wait for each other. */
export async function deleteRows(
  execute: Execute,
  { table, key, atOnce }: { readonly table: string; readonly key: string; readonly atOnce?: number },
  keys: readonly string[],
): Promise<void> {
  for (const some of chunks([...new Set(keys)].sort(), atOnce))
    await execute(`DELETE FROM ${table} WHERE ${key} IN (${marks(some)})`, some);
}
