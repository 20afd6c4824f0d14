import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Bound } from "@mqb/sql";
import type pg from "pg";

const SPECIAL = /[\\\t\n\r]/;
const ESCAPES: Readonly<Record<string, string>> = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" };

/** Writes the rows by one COPY: all or none. `sql` is `COPY table (columns) FROM STDIN`. */
export async function copyRows(client: pg.PoolClient, sql: string, rows: readonly (readonly Bound[])[]): Promise<void> {
  const { from: copyFrom } = await import("pg-copy-streams");
  let text = "";
  for (const row of rows) {
    for (let i = 0; i < row.length; i++)
      text += `${i === 0 ? "" : "\t"}${fieldText(row[i] as string | null | undefined)}`;
    text += "\n";
  }
  try {
    await pipeline(Readable.from([Buffer.from(text)]), client.query(copyFrom(sql)));
  } catch (error) {
    // Of a COPY the server does not say where in the statement the name stands that it does not know.
    throw Object.assign(error as Error, { statement: sql });
  }
}

function fieldText(value: string | null | undefined): string {
  if (value == null) return "\\N";
  return SPECIAL.test(value) ? value.replace(/[\\\t\n\r]/g, (char) => ESCAPES[char]!) : value;
}
