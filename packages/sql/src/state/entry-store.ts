import { randomUUID } from "node:crypto";
import type { Clock, StateEntry, StateWrite, WriteResult } from "@mqb/core/plugin";
import type { OwnValue, SqlDatabase } from "../contract.ts";
import { quoteIdentifier } from "../table-name.ts";
import { chunks, groupsOf, inKeyOrder, marks } from "./batches.ts";
import { decodeKey, encodeKey } from "./keys.ts";
import { deleteRows, type Execute, type Groups, TableStore } from "./table-store.ts";

interface Setup {
  readonly table: string;
  readonly bytesType: string;
  readonly clock: Clock;
}

/** Entries with versions and expiry, one row each. A version is never given twice. */
export class EntryStore extends TableStore {
  private readonly bytesType: string;
  private readonly table: string;

  constructor(database: SqlDatabase, { table, bytesType, clock }: Setup) {
    super(database, clock);
    this.bytesType = bytesType;
    this.table = quoteIdentifier(table);
  }

  protected creation(): readonly string[] {
    const columns = `"state_key" TEXT PRIMARY KEY, "value" ${this.bytesType} NOT NULL, "version" TEXT NOT NULL, "expires_at" BIGINT`;
    return [`CREATE TABLE IF NOT EXISTS ${this.table} (${columns})`];
  }

  protected remove(execute: Execute, keys: readonly string[]): Promise<void> {
    return deleteRows(execute, { table: this.table, key: '"state_key"' }, keys.map(encodeKey));
  }

  protected async read(execute: Execute, keys: readonly string[]): Promise<Map<string, StateEntry>> {
    const found = new Map<string, StateEntry>();
    const now = this.clock.now();
    for (const some of chunks([...new Set(keys.map(encodeKey))])) {
      const select = `SELECT "state_key", "value", "version", "expires_at" FROM ${this.table} WHERE "state_key" IN (${marks(some)})`;
      for (const [written, value, version, expires] of await execute(select, some)) {
        const key = decodeKey(String(written));
        const entry = { key, value: value as Uint8Array, version: String(version) };
        const expiresAt = expires === null || expires === undefined ? undefined : Number(expires);
        if (expiresAt === undefined) found.set(key, entry);
        else if (expiresAt > now) found.set(key, { ...entry, expiresAt });
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
      const [first] = group;
      if (typeof writes[first!]!.expectedVersion === "string") await this.replace(execute, writes, first!, results);
      else await this.insert(execute, writes, group, results);
    }
    return results;
  }

  /** Writes that expect nothing, or that nothing is there: all alike, and each of another key. */
  private async insert(
    execute: Execute,
    writes: readonly StateWrite[],
    group: readonly number[],
    results: WriteResult[],
  ): Promise<void> {
    const isConditional = writes[group[0]!]!.expectedVersion === null;
    const guard = isConditional ? ` WHERE ${this.table}."expires_at" <= ?` : "";
    const set = `"value" = excluded."value", "version" = excluded."version", "expires_at" = excluded."expires_at"`;
    for (const some of chunks(inKeyOrder(group, writes))) {
      const versions = new Map<string, string>();
      const values: OwnValue[] = [];
      for (const i of some) {
        const { key, value, expiresAt } = writes[i]!;
        const written = encodeKey(key);
        versions.set(written, randomUUID());
        values.push(
          written,
          value,
          versions.get(written)!,
          expiresAt === undefined ? null : BigInt(Math.floor(expiresAt)),
        );
      }
      if (isConditional) values.push(BigInt(this.clock.now()));
      const rows = some.map(() => "(?, ?, ?, ?)").join(", ");
      const insert = `INSERT INTO ${this.table} ("state_key", "value", "version", "expires_at") VALUES ${rows} ON CONFLICT ("state_key") DO UPDATE SET ${set}${guard} RETURNING "state_key"`;
      const taken = new Set((await execute(insert, values)).map(([key]) => String(key)));
      for (const i of some) {
        const key = encodeKey(writes[i]!.key);
        results[i] = taken.has(key) ? { type: "written", version: versions.get(key)! } : { type: "conflict" };
      }
    }
  }

  private async replace(
    execute: Execute,
    writes: readonly StateWrite[],
    at: number,
    results: WriteResult[],
  ): Promise<void> {
    const { key, value, expectedVersion, expiresAt } = writes[at]!;
    const version = randomUUID();
    const update = `UPDATE ${this.table} SET "value" = ?, "version" = ?, "expires_at" = ? WHERE "state_key" = ? AND "version" = ? AND ("expires_at" IS NULL OR "expires_at" > ?) RETURNING "state_key"`;
    const expires = expiresAt === undefined ? null : BigInt(Math.floor(expiresAt));
    const values = [value, version, expires, encodeKey(key), expectedVersion!, BigInt(this.clock.now())];
    const rows = await execute(update, values);
    results[at] = rows.length > 0 ? { type: "written", version } : { type: "conflict" };
  }
}

function isAlike(a: StateWrite, b: StateWrite): boolean {
  return typeof b.expectedVersion !== "string" && a.expectedVersion === b.expectedVersion;
}
