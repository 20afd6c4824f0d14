import { type Positions, sqlErrors } from "@mqb/sql";
import { describe } from "../catalog.ts";
import type { MysqlPool } from "../client/pool.ts";
import { quoteName, textLiteral } from "../literal.ts";

/** Of the original. Its column of keys compares without regard to case where the database does. */
export const POSITION_COLUMNS = "`cursor_id` VARCHAR(255) PRIMARY KEY, `last_value` TEXT";

/** A row that is meant by exactly this key. */
export function isPosition(key: string): string {
  return `\`cursor_id\` = ${textLiteral(key)} AND BINARY \`cursor_id\` = ${textLiteral(key)}`;
}

/** Writes a position. Fails with error 1242 where the row is of a key that only the collation takes for the same. */
export function upsertPosition(table: string, key: string, value: string): string {
  const own = "BINARY `cursor_id` = BINARY VALUES(`cursor_id`)";
  const taken = `IF(${own}, VALUES(\`last_value\`), (SELECT 'a' UNION ALL SELECT 'b'))`;
  return `INSERT INTO ${table} (\`cursor_id\`, \`last_value\`) VALUES (${textLiteral(key)}, ${textLiteral(value)}) ON DUPLICATE KEY UPDATE \`last_value\` = ${taken}`;
}

/** A table of positions in the layout of the original. Made at the first write. */
export class PositionTable implements Positions {
  private readonly pool: MysqlPool;
  private readonly name: string;
  private readonly table: string;
  private isThere = false;

  constructor(pool: MysqlPool, name: string) {
    this.pool = pool;
    this.name = name;
    this.table = quoteName(name);
  }

  async read(key: string): Promise<string | undefined> {
    if (!(await this.exists())) return undefined;
    const value = await this.ask(`SELECT \`last_value\` FROM ${this.table} WHERE ${isPosition(key)}`);
    return typeof value === "string" ? value : undefined;
  }

  async write(key: string, value: string): Promise<void> {
    if (!(await this.exists())) {
      await this.ask(`CREATE TABLE IF NOT EXISTS ${this.table} (${POSITION_COLUMNS})`);
      this.isThere = true;
    }
    try {
      await this.ask(upsertPosition(this.table, key, value));
    } catch (error) {
      throw ofAnotherKey(error, key);
    }
  }

  async clear(key: string): Promise<void> {
    if (await this.exists()) await this.ask(`DELETE FROM ${this.table} WHERE ${isPosition(key)}`);
  }

  async close(): Promise<void> {}

  private async exists(): Promise<boolean> {
    const { name } = this;
    const look = (): Promise<unknown> => this.pool.use((session) => describe(session, { table: name, written: name }));
    return (this.isThere ||= (await look()) !== undefined);
  }

  private async ask(sql: string): Promise<unknown> {
    const { rows } = await this.pool.use((session) => session.query(sql));
    return rows[0]?.[0];
  }
}

const SEVERAL_ROWS = 1242;

export function ofAnotherKey(error: unknown, key: string): unknown {
  const cause = (error as { readonly cause?: { readonly errno?: unknown } }).cause;
  if (cause?.errno !== SEVERAL_ROWS) return error;
  return sqlErrors.STORE_VALUE({ key, reason: "the table has a key that differs from it only by case" }, { cause });
}
