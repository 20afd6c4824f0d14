import { createHash } from "node:crypto";
import type { StateEntry, StateStore, StateWrite, WriteResult } from "@mqb/core/plugin";
import type { SqlDatabase } from "../contract.ts";
import { errors } from "../errors.ts";
import { quoteIdentifier } from "../table-name.ts";
import { Closable } from "./closable.ts";

type Execute = SqlDatabase["execute"];

/** Positions in the table of the original: `cursor_id`, `last_value`. Values are texts; their version is their hash. */
export class CheckpointStore implements StateStore {
  private readonly database: Closable;
  private readonly table: string;

  constructor(database: SqlDatabase, table: string) {
    this.database = new Closable(database);
    this.table = quoteIdentifier(table);
  }

  create(): Promise<unknown> {
    const columns = `"cursor_id" VARCHAR(255) PRIMARY KEY, "last_value" TEXT`;
    return this.database.use((database) =>
      database.execute(`CREATE TABLE IF NOT EXISTS ${this.table} (${columns})`, []),
    );
  }

  getMany(keys: readonly string[]): Promise<readonly (StateEntry | undefined)[]> {
    return this.database.use(async (database) => {
      const found: (StateEntry | undefined)[] = [];
      for (const key of keys) found.push(await this.read((sql, values) => database.execute(sql, values), key));
      return found;
    });
  }

  putMany(writes: readonly StateWrite[]): Promise<readonly WriteResult[]> {
    return this.database.use((database) =>
      database.transaction(async (execute) => {
        const results: WriteResult[] = [];
        for (const write of writes) results.push(await this.put(execute, write));
        return results;
      }),
    );
  }

  deleteMany(keys: readonly string[]): Promise<void> {
    return this.database.use(async (database) => {
      for (const key of keys) await database.execute(`DELETE FROM ${this.table} WHERE "cursor_id" = ?`, [key]);
    });
  }

  close(): Promise<void> {
    return this.database.close();
  }

  private async put(execute: Execute, { key, value, expectedVersion, expiresAt }: StateWrite): Promise<WriteResult> {
    if (expiresAt !== undefined) throw errors.STORE_VALUE({ key, reason: "a table of positions knows no expiry" });
    const text = Buffer.from(value).toString("utf8");
    if (!Buffer.from(text).equals(value)) throw errors.STORE_VALUE({ key, reason: "a position is a text" });
    const current = await this.read(execute, key);
    if (expectedVersion !== undefined && expectedVersion !== (current?.version ?? null)) {
      return current ? { type: "conflict", current } : { type: "conflict" };
    }
    const upsert = `INSERT INTO ${this.table} ("cursor_id", "last_value") VALUES (?, ?) ON CONFLICT ("cursor_id") DO UPDATE SET "last_value" = excluded."last_value"`;
    await execute(upsert, [key, text]);
    return { type: "written", version: versionOf(value) };
  }

  private async read(execute: Execute, key: string): Promise<StateEntry | undefined> {
    const [row] = await execute(`SELECT "last_value" FROM ${this.table} WHERE "cursor_id" = ?`, [key]);
    if (typeof row?.[0] !== "string") return undefined;
    const value = Buffer.from(row[0]);
    return { key, value, version: versionOf(value) };
  }
}

function versionOf(value: Uint8Array): string {
  return createHash("sha256").update(value).digest("hex").slice(0, 32);
}
