import { quoteIdentifier } from "@mqb/sql";
import type pg from "pg";
import { rawRows } from "../../raw.ts";

/** A published table, as far as reading its rows needs it. */
export interface PublishedTable {
  readonly schema: string;
  readonly table: string;
  readonly columns: readonly { readonly name: string; readonly type: number; readonly isKey: boolean }[];
  readonly primaryKey: readonly string[];
  /** The publication's condition on rows. */
  readonly filter: string | undefined;
  /** An update or delete of it is refused by the server: nothing would tell the row. */
  readonly lacksIdentity: boolean;
  readonly isFull: boolean;
  /** Its rows are those of its partitions. */
  readonly isPartitioned: boolean;
}

export interface Publication {
  readonly forAll: boolean;
  readonly tables: readonly PublishedTable[];
}

export function tableSql({ schema, table }: { readonly schema: string; readonly table: string }): string {
  return `${quoteIdentifier(schema)}.${quoteIdentifier(table)}`;
}

/** Undefined when there is none. */
export async function findPublication(client: pg.ClientBase, name: string): Promise<Publication | undefined> {
  const [found] = await rawRows(
    client,
    "SELECT puballtables, pubupdate OR pubdelete FROM pg_publication WHERE pubname = $1",
    [name],
  );
  if (!found) return undefined;
  const hasLists = (await versionOf(client)) >= 150_000;
  const [names, filter] = hasLists ? ["p.attnames", "p.rowfilter"] : ["NULL::name[]", "NULL::text"];
  const rows = await rawRows(
    client,
    `SELECT p.schemaname, p.tablename, ${filter}, c.relreplident, a.attname, a.atttypid,
       coalesce(i.is_primary, false), coalesce(i.is_identity, false), c.relkind
     FROM pg_publication_tables p
     JOIN pg_namespace n ON n.nspname = p.schemaname
     JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = p.tablename
     JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
     LEFT JOIN LATERAL (
       SELECT bool_or(x.indisprimary) AS is_primary,
         bool_or(CASE c.relreplident WHEN 'd' THEN x.indisprimary WHEN 'i' THEN x.indisreplident ELSE false END) AS is_identity
       FROM pg_index x
       WHERE x.indrelid = c.oid AND (x.indisprimary OR x.indisreplident)
         AND a.attnum = ANY ((x.indkey::int2[])[0:x.indnkeyatts - 1])
     ) i ON true
     WHERE p.pubname = $1 AND (${names} IS NULL OR a.attname = ANY (${names}))
     ORDER BY 1, 2, a.attnum`,
    [name],
  );
  const changes = found[1] === "t";
  const tables: PublishedTable[] = [];
  for (let at = 0; at < rows.length; ) {
    const [schema, table, rowFilter, identity, , , , , kind] = rows[at]!;
    const own: (typeof rows)[number][] = [];
    while (at < rows.length && rows[at]![0] === schema && rows[at]![1] === table) own.push(rows[at++]!);
    const isFull = identity === "f";
    const columns = own.map(([, , , , column, type, , isIdentity]) => ({
      name: column!,
      type: Number(type),
      isKey: isFull || isIdentity === "t",
    }));
    tables.push({
      schema: schema!,
      table: table!,
      columns,
      primaryKey: own.filter((row) => row[6] === "t").map((row) => row[4]!),
      filter: rowFilter ?? undefined,
      lacksIdentity: changes && !columns.some(({ isKey }) => isKey),
      isFull,
      isPartitioned: kind === "p",
    });
  }
  return { forAll: found[0] === "t", tables };
}

export async function versionOf(client: pg.ClientBase): Promise<number> {
  const [row] = await rawRows(client, "SELECT current_setting('server_version_num')");
  return Number(row![0]);
}

export interface SlotState {
  readonly plugin: string | null;
  readonly database: string | null;
  readonly isLogical: boolean;
  readonly activePid: number | undefined;
  readonly confirmed: string | null;
  readonly isLost: boolean;
}

/** Undefined when there is none. */
export async function findSlot(client: pg.ClientBase, name: string): Promise<SlotState | undefined> {
  const status = (await versionOf(client)) >= 130_000 ? "wal_status" : "NULL";
  const [row] = await rawRows(
    client,
    `SELECT plugin, database, slot_type, active_pid, confirmed_flush_lsn, ${status} FROM pg_replication_slots WHERE slot_name = $1`,
    [name],
  );
  if (!row) return undefined;
  const [plugin, database, type, pid, confirmed, wal] = row;
  return {
    plugin: plugin ?? null,
    database: database ?? null,
    isLogical: type === "logical",
    activePid: pid == null ? undefined : Number(pid),
    confirmed: confirmed ?? null,
    isLost: wal === "lost",
  };
}
