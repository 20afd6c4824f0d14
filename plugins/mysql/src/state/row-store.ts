import type { Clock, StateEntry, StateWrite, WriteResult } from "@mqb/core/plugin";
import { chunks, type SqlDatabase, sqlErrors, TableStore } from "@mqb/sql";
import type { Cell } from "../client/session.ts";
import { quoteName, textLiteral } from "../literal.ts";
import type { Layout, State } from "./layouts.ts";

type Execute = SqlDatabase["execute"];

/** What a write makes of a key: the literals of its row, or no row. */
type Change = readonly string[] | "removed";

/**
 * Entries in a table, one row each. MySQL cannot say which rows a statement has taken: the rows are locked, looked at, and
 * then written.
 */
export class RowStore extends TableStore {
  private readonly layout: Layout;
  private readonly name: string;
  private readonly table: string;

  constructor(database: SqlDatabase, layout: Layout, table: string, clock: Clock) {
    super(database, clock);
    this.layout = layout;
    this.name = table;
    this.table = quoteName(table);
  }

  protected creation(): readonly string[] {
    const { create, columns } = this.layout;
    const index = columns.includes("`expire_at`")
      ? `, KEY ${quoteName(`${this.name}_expire_idx`.slice(0, 64))} (\`expire_at\`)`
      : "";
    return [`CREATE TABLE IF NOT EXISTS ${this.table} (${create}${index})`];
  }

  protected async read(execute: Execute, keys: readonly string[]): Promise<Map<string, StateEntry>> {
    const states = await this.states(execute, keys, "");
    const entries = [...states].map(([key, state]) => [key, this.entryOf(key, state)] as const);
    return new Map(entries.filter((pair): pair is [string, StateEntry] => pair[1] !== undefined));
  }

  protected async write(execute: Execute, writes: readonly StateWrite[]): Promise<WriteResult[]> {
    const { layout } = this;
    const expects = (write: StateWrite): boolean => typeof write.expectedVersion === "string";
    await this.lock(execute, distinct(writes.filter((write) => !expects(write))));
    const states = await this.states(execute, distinct(writes), " FOR UPDATE");
    const changes = new Map<string, Change>();
    const now = this.clock.now();
    const results = writes.map((write): WriteResult => {
      const { key, expectedVersion } = write;
      const current = states.get(key);
      const live = this.entryOf(key, current);
      const version = layout.outlives ? current?.version : live?.version;
      const fits = expectedVersion === undefined || (expectedVersion === null ? !live : version === expectedVersion);
      if (!fits) return live ? { type: "conflict", current: live } : { type: "conflict" };
      const { literals, state } = layout.written(write);
      const isOver = layout.outlives && state.expiresAt !== undefined && state.expiresAt <= now;
      changes.set(key, isOver ? "removed" : literals);
      if (isOver) states.delete(key);
      else states.set(key, state);
      return { type: "written", version: state.version };
    });
    await this.change(execute, changes);
    return results;
  }

  /** Rows of keys that are not there yet are made for it, so that nobody else makes them meanwhile. */
  private async lock(execute: Execute, keys: readonly string[]): Promise<void> {
    const { key, columns, nothing } = this.layout;
    for (const some of chunks(keys, ROWS)) {
      const rows = some.map((one) => `(${[textLiteral(one), ...nothing].join(",")})`).join(",");
      const into = `INSERT INTO ${this.table} (${[key, ...columns].join(",")}) VALUES ${rows}`;
      await run(execute, `${into} ON DUPLICATE KEY UPDATE ${key} = ${key}`);
    }
  }

  private async change(execute: Execute, changes: ReadonlyMap<string, Change>): Promise<void> {
    const { key, columns } = this.layout;
    const updates = columns.map((column) => `${column} = VALUES(${column})`).join(", ");
    const written = [...changes].filter(([, change]) => change !== "removed");
    for (const some of chunks(written, ROWS)) {
      const rows = some.map(([one, literals]) => `(${[textLiteral(one), ...literals].join(",")})`).join(",");
      const into = `INSERT INTO ${this.table} (${[key, ...columns].join(",")}) VALUES ${rows}`;
      await run(execute, `${into} ON DUPLICATE KEY UPDATE ${updates}`);
    }
    const removed = [...changes].filter(([, change]) => change === "removed").map(([one]) => one);
    await this.remove(execute, removed);
  }

  protected async remove(execute: Execute, keys: readonly string[], condition = ""): Promise<void> {
    for (const some of chunks([...new Set(keys)].sort(), ROWS)) {
      const list = some.map(textLiteral).join(",");
      await run(execute, `DELETE FROM ${this.table} WHERE ${this.layout.key} IN (${list})${condition}`);
    }
  }

  protected override async sweep(execute: Execute): Promise<void> {
    const { key, columns, expired } = this.layout;
    if (!expired) return;
    const [at] = columns;
    const now = this.clock.now();
    // Looked up without a lock: nobody waits while the table is searched.
    const some = `SELECT ${key} FROM ${this.table} WHERE ${expired(at!, now)} LIMIT ${SWEPT_AT_ONCE}`;
    const keys = (await run(execute, some)).map(([one]) => String(one));
    // No bare column: by its index the gaps between rows would be locked too.
    await this.remove(execute, keys, ` AND ${expired(`${at} + 0`, now)}`);
  }

  private async states(execute: Execute, keys: readonly string[], behind: string): Promise<Map<string, State>> {
    const { key, columns, state } = this.layout;
    const states = new Map<string, State>();
    const asked = new Set(keys);
    for (const some of chunks([...asked], ROWS)) {
      const list = some.map(textLiteral).join(",");
      const select = `SELECT ${[key, ...columns].join(", ")} FROM ${this.table} WHERE ${key} IN (${list})${behind}`;
      for (const [stored, ...cells] of await run(execute, select)) {
        const name = String(stored);
        if (!asked.has(name)) throw this.almostTheSame(name);
        const found = state(cells as Cell[]);
        if (found) states.set(name, found);
      }
    }
    return states;
  }

  /** The collation of a table may take keys for the same that are not. */
  private almostTheSame(key: string): Error {
    return sqlErrors.STORE_VALUE({ key, reason: `the table ${this.name} takes another key for the same` });
  }

  private entryOf(key: string, state: State | undefined): StateEntry | undefined {
    if (!state || (state.expiresAt !== undefined && state.expiresAt <= this.clock.now())) return undefined;
    return {
      key,
      value: state.value,
      version: state.version,
      ...(state.expiresAt === undefined ? {} : { expiresAt: state.expiresAt }),
    };
  }
}

const ROWS = 1000;
const SWEPT_AT_ONCE = 10_000;

/** The values stand in the text: a question mark in one of them is no place for a value. */
function run(execute: Execute, sql: string): ReturnType<Execute> {
  return execute(sql, []);
}

/** In order, so that two writers of the same keys do not wait for each other. */
function distinct(writes: readonly StateWrite[]): string[] {
  return [...new Set(writes.map(({ key }) => key))].sort();
}
