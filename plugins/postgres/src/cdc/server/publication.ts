import type { Logger } from "@mqb/core/plugin";
import { quoteIdentifier } from "@mqb/sql";
import type pg from "pg";
import { errors } from "../../errors.ts";
import { rawRows } from "../../raw.ts";
import { type CdcConfig, consumeOf } from "../config.ts";
import { findPublication, type Publication, tableSql } from "./catalog.ts";
import { codeOf, EXISTS, refused } from "./refused.ts";

/** Of the tables of a publication, in a warning. */
const SHOWN = 5;

/** The publication as it is, made or filled up where the configuration says so. */
export async function preparePublication(
  client: pg.ClientBase,
  config: CdcConfig,
  target: string,
): Promise<Publication> {
  const { publication: name, create_publication: creates, publication_tables: tables } = config;
  const found = await findPublication(client, name);
  if (!found && !creates) throw errors.NO_PUBLICATION({ publication: name, target });
  if (!creates) return found!;
  const wanted = await namesOf(client, tables ?? [], target);
  const quoted = quoteIdentifier(name);
  const missing = wanted.filter((one) => !found?.tables.some((has) => tableSql(has) === tableSql(one)));
  const statements: string[] = [];
  if (!found && wanted.length === 0) statements.push(`CREATE PUBLICATION ${quoted} FOR ALL TABLES`);
  else if (!found) statements.push(`CREATE PUBLICATION ${quoted} FOR TABLE ${wanted.map(tableSql).join(", ")}`);
  // One by one: of a partitioned table only the partitions are listed, and a statement with one that is in adds none.
  else if (!found.forAll)
    for (const table of missing) statements.push(`ALTER PUBLICATION ${quoted} ADD TABLE ${tableSql(table)}`);
  if (found && statements.length === 0) return found;
  for (const statement of statements) {
    try {
      await client.query(statement);
    } catch (error) {
      // It is in, or another one has made it meanwhile.
      if (codeOf(error) !== EXISTS) throw refused(error, target);
    }
  }
  return (await findPublication(client, name)) ?? { forAll: false, tables: [] };
}

async function namesOf(
  client: pg.ClientBase,
  written: readonly string[],
  target: string,
): Promise<{ readonly schema: string; readonly table: string }[]> {
  const names: { readonly schema: string; readonly table: string }[] = [];
  for (const table of written) {
    const parts = table.split(".");
    const [row] = await rawRows(
      client,
      "SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = coalesce(to_regclass($1), to_regclass($2))",
      [parts.map(quoteIdentifier).join("."), parts.map((part) => quoteIdentifier(part.toLowerCase())).join(".")],
    );
    if (!row) throw errors.NO_TABLE({ table, target });
    names.push({ schema: row[0]!, table: row[1]! });
  }
  return names;
}

/** Tables of which the server refuses updates and deletes, as long as they are published. */
export function warnOfIdentity({ tables }: Publication, name: string, log: Logger): void {
  const lacking = tables.filter(({ lacksIdentity }) => lacksIdentity).map(({ schema, table }) => `${schema}.${table}`);
  if (lacking.length === 0) return;
  log.warn(
    `${lacking.join(", ")}: no primary key and no replica identity; PostgreSQL refuses UPDATE and DELETE of published tables without one (publication "${name}")`,
  );
}

/** The publication decides which changes come, and not the table that is named beside it. */
export function warnOfOthers({ tables }: Publication, name: string, table: string, log: Logger): void {
  const wanted = table.toLowerCase();
  const others = tables
    .map((one) => `${one.schema}.${one.table}`)
    .filter((one) => ![one, one.slice(one.indexOf(".") + 1)].some((written) => written.toLowerCase() === wanted));
  if (others.length === 0) return;
  const shown = [...others.slice(0, SHOWN), ...(others.length > SHOWN ? [`${others.length - SHOWN} more`] : [])];
  log.warn(`publication "${name}" has more than table "${table}", and their changes come, too: ${shown.join(", ")}`);
}

/** Throws where rows cannot be read first. */
export function checkTables({ tables }: Publication, config: CdcConfig): void {
  const consume = consumeOf(config);
  if (tables.length === 0) throw errors.NO_TABLES({ publication: config.publication, consume });
  for (const { schema, table, primaryKey, columns } of tables) {
    const [key, ...more] = primaryKey;
    const isRead = key !== undefined && more.length === 0 && columns.some(({ name }) => name === key);
    if (!isRead) throw errors.TABLE_KEY({ table: `${schema}.${table}`, columns: primaryKey, consume });
  }
}
