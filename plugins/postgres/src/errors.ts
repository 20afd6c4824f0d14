import { defineErrors, errorRow } from "@mqb/core/plugin";

interface OfSlot {
  readonly slot: string;
  /** Server and database, without credentials. */
  readonly target: string;
}

/** What change capture meets beyond the errors that every SQL database has. None shows credentials or a value of a row. */
export const errors = defineErrors("MQB_POSTGRES", {
  CONFIG: errorRow<{ field: string; reason: string }>({
    kind: "config",
    message: (p) => `${p.field}: ${p.reason}`,
  }),
  TEMPORARY: errorRow<{ place: string }>({
    kind: "config",
    message: (p) =>
      `temporary_slot: true cannot be used ${p.place}: a restart would find no slot, and miss what changed meanwhile`,
    hint: "set temporary_slot: false",
  }),
  WAL_LEVEL: errorRow<{ target: string; level: string }>({
    kind: "config",
    message: (p) => `${p.target} has wal_level ${p.level}, and changes are captured from wal_level logical only`,
    hint: "ALTER SYSTEM SET wal_level = logical, and restart the server",
  }),
  NO_RIGHT: errorRow<{ target: string; reason: string }>({
    kind: "config",
    message: (p) => `the user may not do this on ${p.target}: ${p.reason}`,
    hint: "capturing changes needs ALTER ROLE … REPLICATION; create_publication needs the tables' owner, or a superuser for all tables; rows of tables with row-level security need BYPASSRLS",
  }),
  NO_PUBLICATION: errorRow<{ publication: string; target: string }>({
    kind: "config",
    message: (p) => `there is no publication "${p.publication}" in ${p.target}`,
    hint: "create it, or set create_publication: true",
  }),
  NO_TABLE: errorRow<{ table: string; target: string }>({
    kind: "config",
    message: (p) => `${p.target} has no table "${p.table}" that could be published`,
  }),
  NO_TABLES: errorRow<{ publication: string; consume: string }>({
    kind: "config",
    message: (p) => `the publication "${p.publication}" has no table, and consume: ${p.consume} would read them first`,
    hint: "add tables to it, or use consume: capture_new",
  }),
  TABLE_KEY: errorRow<{ table: string; columns: readonly string[]; consume: string }>({
    kind: "config",
    message: (p) =>
      p.columns.length === 0
        ? `table ${p.table} has no primary key, and consume: ${p.consume} pages by one of one column`
        : `the primary key of table ${p.table} has the columns ${p.columns.join(", ")}, and consume: ${p.consume} pages by one of one column`,
    hint: "write a sequence: an sqlx input with a cursor_column of its own, and then this one with consume: capture_new",
  }),
  NO_SLOT: errorRow<OfSlot>({
    kind: "config",
    message: (p) => `there is no replication slot for slot_name "${p.slot}" at ${p.target}, and create_slot is false`,
    hint: "create it, or set create_slot: true",
  }),
  SLOT_GONE: errorRow<OfSlot>({
    kind: "permanent",
    message: (p) =>
      `the replication slot "${p.slot}" of ${p.target} is gone: somebody has dropped it while it was read`,
    hint: "changes since then are missed; start again with consume: capture_all",
  }),
  SLOT_LOST: errorRow<OfSlot>({
    kind: "permanent",
    message: (p) =>
      `the replication slot "${p.slot}" of ${p.target} was invalidated: the server has removed changes that were not read`,
    hint: "raise max_slot_wal_keep_size, drop the slot, and start again with consume: capture_all",
  }),
  PUBLICATION_LATE: errorRow<OfSlot & { readonly reason: string }>({
    kind: "config",
    message: (p) =>
      `the changes behind the replication slot "${p.slot}" of ${p.target} are older than what reads them: ${p.reason}`,
    hint: "make the publication before the slot: take another slot_name, or move the slot forward with mqb checkpoint set",
  }),
  SLOT_OTHER: errorRow<OfSlot & { readonly reason: string }>({
    kind: "config",
    message: (p) => `the replication slot "${p.slot}" of ${p.target} cannot be used: ${p.reason}`,
    hint: "take another slot_name",
  }),
  SLOT_IN_USE: errorRow<OfSlot & { readonly reason: string }>({
    kind: "connection",
    message: (p) => `the replication slot "${p.slot}" of ${p.target} is in use: ${p.reason}`,
    hint: "only one route can read a slot at a time",
  }),
  NO_SLOT_FREE: errorRow<OfSlot & { readonly reason: string }>({
    kind: "config",
    message: (p) => `${p.target} cannot make the replication slot "${p.slot}": ${p.reason}`,
    hint: "raise max_replication_slots and max_wal_senders, or drop slots that nobody reads",
  }),
  NO_SENDER: errorRow<{ target: string; reason: string }>({
    kind: "connection",
    message: (p) => `${p.target} takes no further stream of changes: ${p.reason}`,
    hint: "raise max_wal_senders or max_connections, or end connections that nobody needs",
  }),
  STREAM: errorRow<{ target: string; reason: string }>({
    kind: "connection",
    message: (p) => `the change stream of ${p.target} cannot be read: ${p.reason}`,
  }),
  SILENT: errorRow<{ target: string; ms: number }>({
    kind: "connection",
    message: (p) => `${p.target} has said nothing for ${p.ms} ms, also when it was asked`,
  }),
  STOPPING: errorRow<{ target: string }>({
    kind: "connection",
    message: (p) => `${p.target} waits for changes to be confirmed that are still on their way: it wants to stop`,
  }),
  SPOOL: errorRow<{ folder: string; reason: string }>({
    kind: "connection",
    message: (p) => `a large transaction cannot be kept in ${p.folder}: ${p.reason}`,
    hint: "make room there, or point TMPDIR to a larger disk",
  }),
  CHECKPOINT: errorRow<{ id: string; reason: string }>({
    kind: "config",
    message: (p) => `the checkpoint "${p.id}" cannot be used: ${p.reason}`,
    hint: "take another cursor_id, or forget the position with mqb checkpoint reset",
  }),
  SNAPSHOT_END: errorRow<{ publication: string }>({
    kind: "end",
    message: (p) => `the tables of "${p.publication}" are read, and consume: snapshot ends there`,
  }),
  RESUME: errorRow<{ reason: string }>({
    kind: "config",
    message: (p) => `this input cannot resume: ${p.reason}`,
  }),
  CLOSED: errorRow<{ target: string }>({
    kind: "connection",
    message: (p) => `the change stream of ${p.target} was closed`,
  }),
});
