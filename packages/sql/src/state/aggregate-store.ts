import { createHash } from "node:crypto";
import type { Clock, StateEntry, StateWrite, WriteResult } from "@mqb/core/plugin";
import type { SqlDatabase } from "../contract.ts";
import { errors } from "../errors.ts";
import { chunks, groupsOf, inKeyOrder, marks } from "./batches.ts";
import { deleteRows, type Execute, type Groups, TableStore } from "./table-store.ts";

/** States of an aggregate in the table of the original: `agg_key`, `state` as JSON, and `version`, which counts the writes. */
export class AggregateStore extends TableStore {
  private readonly table: string;

  /** `sql`: as statements name the table. */
  constructor(database: SqlDatabase, sql: string, clock: Clock) {
    super(database, clock);
    this.table = sql;
  }

  protected creation(): readonly string[] {
    const columns = "agg_key VARCHAR(512) PRIMARY KEY, state TEXT NOT NULL, version BIGINT NOT NULL";
    return [`CREATE TABLE IF NOT EXISTS ${this.table} (${columns})`];
  }

  protected remove(execute: Execute, keys: readonly string[]): Promise<void> {
    return deleteRows(execute, { table: this.table, key: "agg_key" }, keys.map(storedKey));
  }

  protected async read(execute: Execute, keys: readonly string[]): Promise<Map<string, StateEntry>> {
    const found = new Map<string, StateEntry>();
    const written = new Map(keys.map((key) => [storedKey(key), key]));
    for (const some of chunks([...written.keys()])) {
      const select = `SELECT agg_key, state, version FROM ${this.table} WHERE agg_key IN (${marks(some)})`;
      for (const [stored, state, version] of await execute(select, some)) {
        const key = written.get(String(stored))!;
        found.set(key, { key, value: Buffer.from(String(state)), version: String(version) });
      }
    }
    return found;
  }

  protected override groups(writes: readonly StateWrite[]): Groups {
    return groupsOf(writes, isAlike);
  }

  protected async write(execute: Execute, writes: readonly StateWrite[], groups: Groups): Promise<WriteResult[]> {
    const results = new Array<WriteResult>(writes.length);
    for (const group of groups) {
      for (const some of chunks(inKeyOrder(group, writes))) {
        const rows = some.map((i) => [storedKey(writes[i]!.key), textOf(writes[i]!)] as const);
        const versions = await this.put(execute, rows, some, writes);
        for (const [n, i] of some.entries()) {
          const version = versions.get(rows[n]![0]);
          results[i] = version === undefined ? { type: "conflict" } : { type: "written", version };
        }
      }
    }
    return results;
  }

  /** The versions of those that were taken, by key. */
  private async put(
    execute: Execute,
    rows: readonly (readonly [key: string, state: string])[],
    some: readonly number[],
    writes: readonly StateWrite[],
  ): Promise<ReadonlyMap<string, string>> {
    const { table } = this;
    const { expectedVersion } = writes[some[0]!]!;
    let sql: string;
    let values: (string | bigint)[] = rows.flat();
    if (typeof expectedVersion === "string") {
      const row = "(CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS BIGINT))";
      values = rows.flatMap((pair, n) => [...pair, versionNumber(writes[some[n]!]!)]);
      sql = `UPDATE ${table} SET state = mqb_new.column2, version = mqb_new.column3 + 1 FROM (VALUES ${marks(rows, row)}) AS mqb_new WHERE agg_key = mqb_new.column1 AND version = mqb_new.column3 RETURNING agg_key, version`;
    } else {
      const insert = `INSERT INTO ${table} (agg_key, state, version) VALUES ${marks(rows, "(?, ?, 1)")} ON CONFLICT (agg_key)`;
      const always = `DO UPDATE SET state = excluded.state, version = ${table}.version + 1`;
      sql = `${insert} ${expectedVersion === null ? "DO NOTHING" : always} RETURNING agg_key, version`;
    }
    return new Map((await execute(sql, values)).map(([key, version]) => [String(key), String(version)]));
  }
}

/** Those that expect a version, each its own, and those that expect none, or nothing. */
function isAlike(a: StateWrite, b: StateWrite): boolean {
  if (typeof a.expectedVersion === "string") return typeof b.expectedVersion === "string";
  return a.expectedVersion === b.expectedVersion;
}

function versionNumber({ expectedVersion }: StateWrite): bigint {
  return /^\d{1,18}$/.test(expectedVersion!) ? BigInt(expectedVersion!) : -1n;
}

function textOf({ key, value, expiresAt }: StateWrite): string {
  if (expiresAt !== undefined) throw errors.STORE_VALUE({ key, reason: "a table of states knows no expiry" });
  return Buffer.from(value).toString("utf8");
}

/** As it is, so that the original finds it. No database keeps a NUL character in a text. */
function storedKey(key: string): string {
  return key.includes("\u0000") ? `nul:${createHash("sha256").update(key).digest("hex")}` : key;
}
