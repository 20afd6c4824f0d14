import { createHash } from "node:crypto";
import type { Clock, StateEntry, StateWrite, WriteResult } from "@mqb/core/plugin";
import type { SqlDatabase } from "../contract.ts";
import { errors } from "../errors.ts";
import { quoteIdentifier } from "../table-name.ts";
import { chunks, marks } from "./batches.ts";
import { deleteRows, type Execute, TableStore } from "./table-store.ts";

/** Positions in the table of the original: `cursor_id`, `last_value`. Values are texts; their version is their hash. */
export class CheckpointStore extends TableStore {
  private readonly table: string;

  constructor(database: SqlDatabase, table: string, clock: Clock) {
    super(database, clock);
    this.table = quoteIdentifier(table);
  }

  protected creation(): readonly string[] {
    const columns = `"cursor_id" VARCHAR(255) PRIMARY KEY, "last_value" TEXT`;
    return [`CREATE TABLE IF NOT EXISTS ${this.table} (${columns})`];
  }

  protected remove(execute: Execute, keys: readonly string[]): Promise<void> {
    return deleteRows(execute, { table: this.table, key: '"cursor_id"' }, keys);
  }

  protected async write(execute: Execute, writes: readonly StateWrite[]): Promise<WriteResult[]> {
    const results: WriteResult[] = [];
    for (const write of writes) results.push(await this.put(execute, write));
    return results;
  }

  private async put(execute: Execute, { key, value, expectedVersion, expiresAt }: StateWrite): Promise<WriteResult> {
    if (expiresAt !== undefined) throw errors.STORE_VALUE({ key, reason: "a table of positions knows no expiry" });
    const text = Buffer.from(value).toString("utf8");
    if (!Buffer.from(text).equals(value)) throw errors.STORE_VALUE({ key, reason: "a position is a text" });
    const current = (await this.read(execute, [key])).get(key);
    if (expectedVersion !== undefined && expectedVersion !== (current?.version ?? null)) {
      return current ? { type: "conflict", current } : { type: "conflict" };
    }
    const upsert = `INSERT INTO ${this.table} ("cursor_id", "last_value") VALUES (?, ?) ON CONFLICT ("cursor_id") DO UPDATE SET "last_value" = excluded."last_value"`;
    await execute(upsert, [key, text]);
    return { type: "written", version: versionOf(value) };
  }

  protected async read(execute: Execute, keys: readonly string[]): Promise<Map<string, StateEntry>> {
    const found = new Map<string, StateEntry>();
    for (const some of chunks([...new Set(keys)])) {
      const select = `SELECT "cursor_id", "last_value" FROM ${this.table} WHERE "cursor_id" IN (${marks(some)})`;
      for (const [key, text] of await execute(select, some)) {
        if (typeof text !== "string") continue;
        const value = Buffer.from(text);
        found.set(String(key), { key: String(key), value, version: versionOf(value) });
      }
    }
    return found;
  }
}

function versionOf(value: Uint8Array): string {
  return createHash("sha256").update(value).digest("hex").slice(0, 32);
}
