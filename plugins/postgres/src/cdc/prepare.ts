import type { Clock, Logger } from "@mqb/core/plugin";
import { quoteIdentifier } from "@mqb/sql";
import type pg from "pg";
import { classify, shown } from "../client/classify.ts";
import { errors } from "../errors.ts";
import { lastRows, rawRows } from "../raw.ts";
import { findPublication, findSlot, type Publication, type SlotState, tableSql } from "./catalog.ts";
import { type CdcConfig, consumeOf, slotOf } from "./config.ts";

const BUSY = "55006";
const EXISTS = "42710";
const LIMIT = "53400";
const NO_RIGHT = "42501";
const SLOW_MS = 1000;

/** Throws what is wrong with the server for this at once, with the remedy. */
export async function checkServer(client: pg.ClientBase, target: string): Promise<void> {
  const [row] = await rawRows(client, "SELECT current_setting('wal_level')");
  const level = row![0]!;
  if (level !== "logical") throw errors.WAL_LEVEL({ target, level });
}

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

/** Throws when a slot cannot be the one of this stream. */
export async function checkSlot(
  client: pg.ClientBase,
  slot: SlotState,
  config: CdcConfig,
  target: string,
): Promise<void> {
  const [row] = await rawRows(client, "SELECT current_database()");
  const name = { slot: slotOf(config), target };
  const other = (reason: string): Error => errors.SLOT_OTHER({ ...name, reason });
  if (!slot.isLogical) throw other("it is a physical one");
  if (slot.plugin !== "pgoutput") throw other(`its plugin is ${slot.plugin}, and changes come from pgoutput`);
  if (slot.database !== row![0]) throw other(`it is of the database ${slot.database}`);
  if (slot.isLost) throw errors.SLOT_LOST(name);
}

export interface MadeSlot {
  readonly consistentPoint: string;
  /** What the tables were like there; as long as the connection does nothing else. */
  readonly snapshot: string | undefined;
}

/** Makes the slot on a replication connection. Waits for the transactions that are open now. */
export async function createSlot(
  client: pg.Client,
  config: CdcConfig,
  exports: boolean,
  target: string,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
): Promise<MadeSlot | "exists"> {
  const slot = slotOf(config);
  const cancel = clock.timer(SLOW_MS, () =>
    log.warn(
      `the replication slot "${slot}" of ${target} is being made: that waits for the transactions that are open now (pg_stat_activity)`,
    ),
  );
  const command = `CREATE_REPLICATION_SLOT ${quoteIdentifier(slot)} LOGICAL pgoutput ${exports ? "EXPORT_SNAPSHOT" : "NOEXPORT_SNAPSHOT"}`;
  try {
    const { rows } = await client.query<Record<string, string | null>>(command);
    const { consistent_point: point, snapshot_name: snapshot } = rows[0]!;
    return { consistentPoint: point!, snapshot: snapshot ?? undefined };
  } catch (error) {
    const code = codeOf(error);
    if (code === EXISTS) return "exists";
    if (code === LIMIT) {
      const { reason, cause } = shown(error);
      throw errors.NO_SLOT_FREE({ slot, target, reason }, { cause });
    }
    throw refused(error, target);
  } finally {
    cancel();
  }
}

/** Which server this is, and which of its histories: one that took over, or goes on from a backup, has another one. */
export async function serverOf(replication: pg.Client, target: string): Promise<string> {
  try {
    const [row] = await lastRows(replication, "IDENTIFY_SYSTEM");
    const [system, timeline] = row!;
    return `${system}/${timeline}`;
  } catch (error) {
    throw refused(error, target);
  }
}

/** The slot, or `undefined` when it may be made. One that keeps nothing yet is neither. */
export async function existingSlot(
  client: pg.ClientBase,
  config: CdcConfig,
  target: string,
): Promise<SlotState | undefined> {
  const slot = slotOf(config);
  const found = await findSlot(client, slot);
  if (found) await checkSlot(client, found, config, target);
  else if (config.create_slot === false) throw errors.NO_SLOT({ slot, target });
  if (found?.confirmed === null) {
    const reason = "it is still being made, which waits for the transactions that were open then (pg_stat_activity)";
    throw errors.SLOT_IN_USE({ slot, target, reason });
  }
  return found;
}

/** The error for what the server says about a stream or slot. */
export function refused(error: unknown, target: string, slot = ""): Error {
  const { reason, cause } = shown(error);
  const options = { cause };
  switch (codeOf(error)) {
    case NO_RIGHT:
      return errors.NO_RIGHT({ target, reason }, options);
    case BUSY:
      return errors.SLOT_IN_USE({ slot, target, reason }, options);
    case "42704":
      if (/^replication slot /.test(reason)) return errors.SLOT_GONE({ slot, target }, options);
      return slot !== "" && /^publication /.test(reason)
        ? errors.PUBLICATION_LATE({ slot, target, reason }, options)
        : errors.STREAM({ target, reason }, options);
    case "55000":
      return /can no longer|invalidated|obsolete/.test(reason)
        ? errors.SLOT_LOST({ slot, target }, options)
        : errors.STREAM({ target, reason }, options);
    default:
      return classify(error, target);
  }
}

export function codeOf(error: unknown): string | undefined {
  const { code } = error as { readonly code?: unknown };
  return typeof code === "string" ? code : undefined;
}
