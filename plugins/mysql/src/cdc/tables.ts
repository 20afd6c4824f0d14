import type { Session } from "../client/session.ts";
import { readAddress } from "../client/url.ts";
import { errors } from "../errors.ts";
import { textLiteral } from "../literal.ts";
import type { CdcConfig } from "./config.ts";

export interface NamedTable {
  readonly schema: string;
  readonly table: string;
}

/** The tables that somebody wants. */
export interface Wanted {
  has(schema: string, table: string): boolean;
  /** Those that are there now, in the order of their names. */
  readonly now: readonly NamedTable[];
}

/** State of ours: whoever captures it captures what capturing writes. */
const OWN = /^mqb_/i;

/** Finds the tables of the configuration. Throws for one that is not there. */
export async function findTables(session: Session, config: CdcConfig, folds: boolean, target: string): Promise<Wanted> {
  const database = databaseOf(config.url);
  const fold = (name: string): string => (folds ? name.toLowerCase() : name);
  const { tables } = config;
  if (tables == null) {
    const schema = fold(database!);
    return {
      has: (one, table) => fold(one) === schema && !OWN.test(table),
      now: (await tablesOf(session, database!, fold)).filter(({ table }) => !OWN.test(table)).sort(byName),
    };
  }
  const now: NamedTable[] = [];
  for (const written of tables) {
    const dot = written.indexOf(".");
    const schema = dot < 0 ? database! : written.slice(0, dot);
    const name = written.slice(dot + 1);
    const there = await tablesOf(session, schema, fold, name);
    if (!there[0]) throw errors.NO_TABLE({ table: written, target });
    now.push(there[0]);
  }
  const keys = new Set(now.map(({ schema, table }) => `${fold(schema)}\0${fold(table)}`));
  return { has: (schema, table) => keys.has(`${fold(schema)}\0${fold(table)}`), now: now.sort(byName) };
}

/** Undefined where the URL names none, and each table says its own. */
function databaseOf(url: string): string | undefined {
  const address = readAddress(url);
  return typeof address === "string" ? undefined : address.database;
}

async function tablesOf(
  session: Session,
  schema: string,
  fold: (name: string) => string,
  table?: string,
): Promise<NamedTable[]> {
  const only = table === undefined ? "" : ` AND TABLE_NAME = ${textLiteral(table)}`;
  const { rows } = await session.query(
    `SELECT TABLE_SCHEMA, TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = ${textLiteral(schema)}${only} AND TABLE_TYPE IN ('BASE TABLE', 'SYSTEM VERSIONED')`,
  );
  return rows
    .map(([one, name]) => ({ schema: String(one), table: String(name) }))
    .filter((one) => fold(one.schema) === fold(schema) && (table === undefined || fold(one.table) === fold(table)));
}

function byName(a: NamedTable, b: NamedTable): number {
  return compareNames(a, b);
}

/** In the order of the bytes of their names. */
export function compareNames(a: NamedTable, b: NamedTable): number {
  return (
    Buffer.compare(Buffer.from(a.schema), Buffer.from(b.schema)) ||
    Buffer.compare(Buffer.from(a.table), Buffer.from(b.table))
  );
}
