import { API_VERSION, definePlugin } from "@mqb/core/plugin";
import { sqlScheme, sqlStateStore, sqlx } from "@mqb/sql";
import { connect, sqliteDriver, target } from "./driver.ts";

export type { SqlxOptions } from "@mqb/sql";
export { sqliteErrors } from "./errors.ts";

/** SQLite databases: tables as sources, sinks and lookups, and state stores. */
export default definePlugin({
  name: "@mqb/sqlite",
  apiVersion: API_VERSION,
  endpoints: { sqlx },
  stores: {
    sqlite: sqlStateStore({
      description: "Keeps entries in a table of a SQLite database",
      bytesType: "BLOB",
      target,
      connect: (url, { baseDir }) => connect(url, { baseDir, create: true, patienceMs: 30_000, writeAhead: true }),
    }),
  },
  schemes: { sqlite: sqlScheme("sqlite") },
  services: { "sql:sqlite": sqliteDriver },
});
