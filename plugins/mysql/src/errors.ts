import { defineErrors, errorRow } from "@mqb/core/plugin";

/** What change capture meets beyond the errors that every SQL database has. None shows credentials or a value of a row. */
export const errors = defineErrors("MQB_MYSQL", {
  CONFIG: errorRow<{ field: string; reason: string }>({
    kind: "config",
    message: (p) => `${p.field}: ${p.reason}`,
  }),
  NEEDS_STORE: errorRow<{ field: string }>({
    kind: "config",
    message: (p) => `changes are captured with a position, and ${p.field} is missing: the server keeps none`,
    hint: "set cursor_id, and checkpoint_store to a file or state store; memory:// forgets it with the process, and misses what changes meanwhile",
  }),
  SETTING: errorRow<{ target: string; setting: string; value: string; wanted: string }>({
    kind: "config",
    message: (p) => `${p.target} has ${p.setting} ${p.value}, and changes are captured with ${p.wanted} only`,
    hint: "set it in the server's configuration (SET GLOBAL where it can be changed at once; sessions that are open keep their own)",
  }),
  NO_RIGHT: errorRow<{ target: string; reason: string }>({
    kind: "config",
    message: (p) => `the user may not do this on ${p.target}: ${p.reason}`,
    hint: "GRANT REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO the user, and SELECT on the tables",
  }),
  NO_TABLE: errorRow<{ table: string; target: string }>({
    kind: "config",
    message: (p) => `tables names "${p.table}", and ${p.target} has no such table, or the user may not see it`,
  }),
  NO_TABLES: errorRow<{ target: string; consume: string }>({
    kind: "config",
    message: (p) => `${p.target} has no table that the user may see, and consume: ${p.consume} would read them first`,
    hint: "name them in tables, grant SELECT, or use consume: capture_new",
  }),
  TABLE_KEY: errorRow<{ table: string; columns: readonly string[]; consume: string }>({
    kind: "config",
    message: (p) =>
      p.columns.length === 0
        ? `table ${p.table} has no primary key, and consume: ${p.consume} pages by one of one column`
        : `the primary key of table ${p.table} has the columns ${p.columns.join(", ")}, and consume: ${p.consume} pages by one of one column`,
    hint: "write a sequence: an sqlx input with a cursor_column of its own, and then this one with consume: capture_new",
  }),
  COLUMN: errorRow<{ table: string; column: string; reason: string }>({
    kind: "config",
    message: (p) => `column ${p.column} of table ${p.table} cannot be read from the binary log: it is ${p.reason}`,
    hint: "leave the table out of tables, or change the column",
  }),
  NO_NAMES: errorRow<{ table: string; position: string }>({
    kind: "config",
    message: (p) =>
      `the change of table ${p.table} at ${p.position} was written without the names of its columns: binlog_row_metadata was not FULL then`,
    hint: "move the position behind it with mqb checkpoint set, or begin anew with mqb checkpoint reset and consume: capture_all",
  }),
  UNSEEN: errorRow<{ position: string; reason: string }>({
    kind: "config",
    message: (p) => `the binary log says at ${p.position} that rows have changed, and not how: ${p.reason}`,
    hint: "move the position behind it with mqb checkpoint set, or begin anew with mqb checkpoint reset and consume: capture_all",
  }),
  PURGED: errorRow<{ target: string; position: string; reason: string }>({
    kind: "config",
    message: (p) => `${p.target} cannot go on at ${p.position}: ${p.reason}`,
    hint: "what has changed since then cannot be read any more: begin anew with mqb checkpoint reset and consume: capture_all, and keep the logs longer (binlog_expire_logs_seconds)",
  }),
  FOREIGN: errorRow<{ target: string; position: string; reason: string }>({
    kind: "config",
    message: (p) => `the position ${p.position} is not one of ${p.target}: ${p.reason}`,
    hint: "find its place in the log of this server and use mqb checkpoint set, or begin anew with mqb checkpoint reset and consume: capture_all",
  }),
  SERVER_ID: errorRow<{ target: string; reason: string }>({
    kind: "connection",
    message: (p) => `${p.target} has ended the stream, since another reader has come with the same number: ${p.reason}`,
    hint: "give each reader a server_id of its own, or none",
  }),
  STREAM: errorRow<{ target: string; reason: string }>({
    kind: "connection",
    message: (p) => `the binary log of ${p.target} cannot be read: ${p.reason}`,
  }),
  SILENT: errorRow<{ target: string; ms: number }>({
    kind: "connection",
    message: (p) => `${p.target} has said nothing for ${p.ms} ms`,
  }),
  CHECKPOINT: errorRow<{ id: string; reason: string }>({
    kind: "config",
    message: (p) => `the checkpoint "${p.id}" cannot be used: ${p.reason}`,
    hint: "take another cursor_id, or forget the position with mqb checkpoint reset",
  }),
  SNAPSHOT_END: errorRow<{ target: string }>({
    kind: "end",
    message: (p) => `the tables of ${p.target} are read, and consume: snapshot ends there`,
  }),
  CLOSED: errorRow<{ target: string }>({
    kind: "connection",
    message: (p) => `the change stream of ${p.target} was closed`,
  }),
});
