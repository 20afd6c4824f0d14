import type { ColumnInfo, InsertPlan, PreparedInsert, TableInfo } from "@mqb/sql";
import { quoteIdentifier, sqlErrors } from "@mqb/sql";
import { parameterTypes } from "../catalog.ts";
import type { PostgresPool } from "../client/pool.ts";
import { numbered, raw } from "../raw.ts";
import { checked, columnEncoder, hexText, type PgType, tokenEncoder, withoutQuotes } from "../types.ts";
import { copyRows } from "./copy.ts";
import { arraysOf, statementName, unnested } from "./unnest.ts";

type TemplatePlan = Extract<InsertPlan, { readonly kind: "template" }>;
type ColumnsPlan = Extract<InsertPlan, { readonly kind: "columns" }>;

const binding: Pick<PreparedInsert, "text" | "bytes"> = {
  text: (_value, text) => checked(text, "a value"),
  bytes: (_value, bytes) => hexText(bytes),
};

export async function prepareTemplate(
  pool: PostgresPool,
  plan: TemplatePlan,
  copied: TableInfo | undefined,
): Promise<PreparedInsert> {
  const whole = numbered(plan.whole);
  const types = await pool.use(async (client) => {
    try {
      return await parameterTypes(client, whole);
    } catch (cause) {
      const { code, message } = cause as { readonly code?: unknown; readonly message: string };
      if (!/^(?:0A|22|42)/.test(String(code))) throw cause;
      throw sqlErrors.STATEMENT({ field: "insert_query", reason: message }, { cause });
    }
  });
  const encoders = types.map(tokenEncoder);
  if (plan.copy && copied) {
    const sql = copyInto(copied.sql, plan.copy.columns);
    return {
      ...binding,
      encoders,
      execute: (rows, signal) => pool.use((client) => copyRows(client, sql, rows), signal),
    };
  }
  const many = plan.repeated && repeatedStatement(plan.repeated, types);
  if (many !== undefined) return { ...binding, encoders, execute: executeMany(pool, many, types.length) };
  const name = statementName(whole);
  return {
    ...binding,
    encoders,
    execute: (rows, signal) =>
      rows.length === 1
        ? pool.use(async (client) => void (await raw(client, whole, rows[0], name)), signal)
        : pool.transaction(async (client) => {
            for (const row of rows) await raw(client, whole, row, name);
          }, signal),
  };
}

export function prepareColumns(pool: PostgresPool, { table, columns, key, copy }: ColumnsPlan): PreparedInsert {
  const types = columns.map(typeOf);
  const encoders = columns.map((column, i) => columnEncoder(types[i]!, column.name));
  const names = columns.map((column) => column.name);
  if (copy) {
    const sql = copyInto(table, names);
    return {
      ...binding,
      encoders,
      execute: (rows, signal) => pool.use((client) => copyRows(client, sql, rows), signal),
    };
  }
  const { from, names: values } = unnested(types);
  const tail = key.length > 0 ? ` ON CONFLICT (${list(key)}) ${updateOf(names, key)}` : "";
  const into = `INSERT INTO ${table} (${list(names)}) SELECT`;
  const sql = `${into} ${values.join(", ")} FROM ${from}${tail}`;
  const insert = { ...binding, encoders, execute: executeMany(pool, sql, types.length) };
  // There a text would be its own characters, and never hex.
  if (types.some(({ base }) => base.endsWith(".bytea"))) return insert;
  const whole = `${into} ${list(names)} FROM json_populate_recordset(NULL::${table}, $1)${tail}`;
  const name = statementName(whole);
  return {
    ...insert,
    executeJson: (records, signal) => pool.use(async (one) => void (await raw(one, whole, [records], name)), signal),
  };
}

function executeMany(pool: PostgresPool, sql: string, width: number): PreparedInsert["execute"] {
  const name = statementName(sql);
  return (rows, signal) =>
    pool.use(async (client) => void (await raw(client, sql, arraysOf(rows, width), name)), signal);
}

/** The group of VALUES as a SELECT from the rows; undefined where it says DEFAULT, which only VALUES can. */
function repeatedStatement(
  { head, row, tail }: NonNullable<TemplatePlan["repeated"]>,
  types: readonly PgType[],
): string | undefined {
  const { from, names } = unnested(types);
  const group = row
    .map((piece) => (typeof piece === "number" ? names[piece] : piece))
    .join("")
    .trim();
  const texts = row.filter((piece) => typeof piece === "string").join(" ");
  if (/\bdefault\b/i.test(texts) || !/\bvalues\s*$/i.test(head)) return undefined;
  return `${head.replace(/\bvalues\s*$/i, "")}SELECT ${group.slice(1, -1)} FROM ${from}${tail.replace(/;\s*$/, "")}`;
}

function copyInto(table: string, columns: readonly string[]): string {
  return `COPY ${table} (${list(columns)}) FROM STDIN`;
}

/** What the record has; other columns keep what they have. */
function updateOf(names: readonly string[], key: readonly string[]): string {
  const others = names.filter((name) => !key.includes(name)).map(quoteIdentifier);
  return others.length === 0
    ? "DO NOTHING"
    : `DO UPDATE SET ${others.map((name) => `${name} = EXCLUDED.${name}`).join(", ")}`;
}

function typeOf({ type, base }: ColumnInfo): PgType {
  return { sql: type, base: base ?? withoutQuotes(type) };
}

function list(names: readonly string[]): string {
  return names.map(quoteIdentifier).join(", ");
}
