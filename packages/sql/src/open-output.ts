import type { OpenContext, Publisher } from "@mqb/core/plugin";
import type { SqlxConfig } from "./config.ts";
import type { ColumnInfo, PreparedInsert, SqlDatabase, TableInfo } from "./contract.ts";
import { openDatabase } from "./database.ts";
import { driverFor } from "./driver.ts";
import { errors } from "./errors.ts";
import { keyNames } from "./key.ts";
import { ColumnMap } from "./sink/column-map.ts";
import { ColumnRows } from "./sink/column-rows.ts";
import { LookupPublisher } from "./sink/lookup.ts";
import { PayloadRows } from "./sink/payload-rows.ts";
import { SqlPublisher } from "./sink/publisher.ts";
import type { RowMaker } from "./sink/rows.ts";
import { TemplateRows } from "./sink/template-rows.ts";
import { plainColumns, planInsert } from "./statement/insert.ts";
import { parseStatement } from "./statement/parse.ts";
import { parseTableName, type TableName } from "./table-name.ts";

interface Opening {
  readonly config: SqlxConfig;
  readonly context: OpenContext;
  readonly database: SqlDatabase;
  readonly table: TableName;
  /** Database and table, for messages. */
  readonly target: string;
}

export async function openOutput(config: SqlxConfig, context: OpenContext): Promise<Publisher> {
  const driver = driverFor(config.url, context.service);
  const table = parseTableName(config.table, "table");
  const target = `${driver.target(config.url)} ${table.written}`;
  const shared = await openDatabase(driver, config, context);
  try {
    const opening = { config, context, database: shared.value, table, target };
    const end = { target, details: { driver: driver.dialect }, release: () => shared.release() };
    if (config.lookup_query != null) {
      const { pieces, sources } = parseStatement(config.lookup_query, "lookup_query");
      return new LookupPublisher(await shared.value.prepareLookup(pieces), sources, end);
    }
    return new SqlPublisher({ ...end, rows: await rowMaker(opening) });
  } catch (error) {
    await shared.release();
    throw error;
  }
}

async function rowMaker(opening: Opening): Promise<RowMaker> {
  const { config, database, table } = opening;
  if (config.auto_create_table) await database.createQueueTable(table);
  if (config.columns === "auto") return columnRows(opening);
  if (config.insert_query != null) return templateRows(opening, config.insert_query);
  const { sql } = await existing(opening);
  const head = `INSERT INTO ${sql} (payload) VALUES `;
  const repeated = { head, row: ["(", 0, ")"], tail: "" };
  return new PayloadRows(
    await database.prepareInsert({ kind: "template", values: 1, whole: [`${head}(`, 0, ")"], repeated }),
  );
}

async function templateRows({ config, database }: Opening, query: string): Promise<RowMaker> {
  const statement = parseStatement(query, "insert_query");
  const plan = planInsert(statement);
  const plain = config.bulk_copy ? plainColumns(statement) : undefined;
  const copy = plain && { table: parseTableName(plain.table, "insert_query"), columns: plain.columns };
  return new TemplateRows(await database.prepareInsert(copy ? { ...plan, copy } : plan), statement.sources);
}

async function columnRows(opening: Opening): Promise<RowMaker> {
  const { config, context, database, target } = opening;
  const { sql, columns, uniqueKeys } = await existing(opening);
  const map = new ColumnMap(columns, undefined);
  const named = (field: string, name: string): string => {
    const column = map.find(name);
    if (!column) throw errors.NO_COLUMN({ field, column: name, target, columns: columns.map((one) => one.name) });
    return column.name;
  };
  const key = keyNames(config.key).map((name) => named("key", name));
  if (key.length > 0 && !uniqueKeys.some((unique) => sameNames(unique, key)))
    throw errors.NO_UNIQUE_KEY({ key, target });
  const extra = config.extra_column == null ? undefined : named("extra_column", config.extra_column);
  const prepare = (used: readonly ColumnInfo[]): Promise<PreparedInsert> =>
    database.prepareInsert({ kind: "columns", table: sql, columns: used, key, copy: config.bulk_copy ?? false });
  return new ColumnRows({ columns, key, extra, prepare, target, log: context.log });
}

async function existing({ database, table, target }: Opening): Promise<TableInfo> {
  const info = await database.describe(table);
  if (!info) throw errors.NO_TABLE({ target });
  return info;
}

function sameNames(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name) => b.includes(name));
}
