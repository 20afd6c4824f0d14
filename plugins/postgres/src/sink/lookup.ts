import { type PreparedLookup, type StatementPieces, sqlErrors } from "@mqb/sql";
import type pg from "pg";
import { parameterTypes } from "../catalog.ts";
import type { PostgresPool } from "../client/pool.ts";
import { numbered, raw } from "../raw.ts";
import { checked, tokenEncoder } from "../types.ts";
import { ResultJson } from "./result-json.ts";
import { arraysOf, statementName, unnested } from "./unnest.ts";

type Rows = Parameters<PreparedLookup["ask"]>[0];

/** A query that only reads answers a batch at once; one that writes does it row by row, in one transaction. */
export async function prepareLookup(pool: PostgresPool, query: StatementPieces): Promise<PreparedLookup> {
  const whole = numbered(query).replace(/;\s*$/, "");
  const { types, together } = await pool.use(async (client) => {
    const found = await understood(parameterTypes(client, whole));
    if (/\b(?:insert|update|delete|merge)\b/i.test(whole)) return { types: found, together: undefined };
    const { from, names } = unnested(found, { ordinal: true });
    const inner = query
      .map((piece) => (typeof piece === "number" ? names[piece] : piece))
      .join("")
      .replace(/;\s*$/, "");
    const sql = `SELECT mqb_values.n, mqb_answer.* FROM ${from} CROSS JOIN LATERAL (SELECT * FROM (${inner}) AS mqb_rows LIMIT 1) AS mqb_answer`;
    // A query of the user's that cannot stand inside another one is asked for each message.
    const fits = found.length > 0 && (await isUnderstood(client, sql));
    return { types: found, together: fits ? sql : undefined };
  });
  return {
    encoders: types.map(tokenEncoder),
    text: (_value, text) => checked(text, "a value"),
    ask: (rows, signal) =>
      together === undefined
        ? pool.transaction((client) => askEach(client, whole, rows), signal)
        : pool.use((client) => askTogether(client, together, rows, types.length), signal),
  };
}

async function askTogether(
  client: pg.PoolClient,
  sql: string,
  rows: Rows,
  width: number,
): Promise<(Buffer | undefined)[]> {
  const answers = new Array<Buffer | undefined>(rows.length);
  const { rows: found, fields } = await raw(client, sql, arraysOf(rows, width), statementName(sql));
  const json = new ResultJson(fields.slice(1));
  for (const [n, ...row] of found) answers[Number(n) - 1] = Buffer.from(json.text(row));
  return answers;
}

async function askEach(client: pg.PoolClient, sql: string, rows: Rows): Promise<(Buffer | undefined)[]> {
  const answers: (Buffer | undefined)[] = [];
  const name = statementName(sql);
  for (const row of rows) {
    const { rows: found, fields } = await raw(client, sql, row, name);
    const [first] = found;
    answers.push(first && Buffer.from(new ResultJson(fields).text(first)));
  }
  return answers;
}

async function understood<T>(prepared: Promise<T>): Promise<T> {
  try {
    return await prepared;
  } catch (cause) {
    const { code, message } = cause as { readonly code?: unknown; readonly message: string };
    if (!/^(?:0A|22|42)/.test(String(code))) throw cause;
    throw sqlErrors.STATEMENT({ field: "lookup_query", reason: message }, { cause });
  }
}

async function isUnderstood(client: pg.PoolClient, sql: string): Promise<boolean> {
  try {
    await parameterTypes(client, sql);
    return true;
  } catch {
    return false;
  }
}
