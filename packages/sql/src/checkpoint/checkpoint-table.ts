import type { SqlDatabase } from "../contract.ts";
import { quoteIdentifier } from "../table-name.ts";

/** Positions by name, wherever they are kept. */
export interface Positions {
  read(key: string): Promise<string | undefined>;
  write(key: string, value: string): Promise<void>;
  clear(key: string): Promise<void>;
  close(): Promise<void>;
}

/** A table of positions in the layout of the original: `cursor_id`, `last_value`. Made at the first write. */
export class CheckpointTable implements Positions {
  private readonly database: SqlDatabase;
  private readonly name: string;
  private readonly table: string;
  private isThere = false;

  constructor(database: SqlDatabase, table: string) {
    this.database = database;
    this.name = table;
    this.table = quoteIdentifier(table);
  }

  async read(key: string): Promise<string | undefined> {
    if (!(await this.exists())) return undefined;
    const select = `SELECT "last_value" FROM ${this.table} WHERE "cursor_id" = ?`;
    const [row] = await this.database.execute(select, [key]);
    const value = row?.[0];
    return typeof value === "string" ? value : undefined;
  }

  async write(key: string, value: string): Promise<void> {
    if (!(await this.exists())) await this.create();
    const upsert = `INSERT INTO ${this.table} ("cursor_id", "last_value") VALUES (?, ?) ON CONFLICT ("cursor_id") DO UPDATE SET "last_value" = excluded."last_value"`;
    await this.database.execute(upsert, [key, value]);
  }

  async clear(key: string): Promise<void> {
    if (await this.exists()) await this.database.execute(`DELETE FROM ${this.table} WHERE "cursor_id" = ?`, [key]);
  }

  async close(): Promise<void> {}

  private async exists(): Promise<boolean> {
    return (this.isThere ||= (await this.database.describe({ table: this.name, written: this.name })) !== undefined);
  }

  private async create(): Promise<void> {
    const columns = `("cursor_id" VARCHAR(255) PRIMARY KEY, "last_value" TEXT)`;
    await this.database.execute(`CREATE TABLE IF NOT EXISTS ${this.table} ${columns}`, []);
    this.isThere = true;
  }
}
