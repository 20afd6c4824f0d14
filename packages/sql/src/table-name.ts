import { errors } from "./errors.ts";

/** The name of a table, perhaps with its schema, as the user wrote it. */
export interface TableName {
  readonly schema?: string;
  readonly table: string;
  readonly written: string;
}

/** Reads `table` or `schema.table`. Throws a `config` error for anything but letters, digits, underscores and the dot. */
export function parseTableName(written: string, field: string): TableName {
  const parts = written.split(".");
  const fits = parts.length <= 2 && parts.every((part) => /^[A-Za-z0-9_]+$/.test(part));
  if (!fits) throw errors.NAME({ field, name: written });
  const [first, second] = parts;
  return second === undefined ? { table: first!, written } : { schema: first!, table: second, written };
}

/** An identifier between double quotes, whatever it holds; as PostgreSQL and SQLite read it. */
export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
