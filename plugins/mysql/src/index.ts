import { API_VERSION, definePlugin, silentLogger } from "@mqb/core/plugin";
import { sqlScheme, sqlStateStore, sqlx } from "@mqb/sql";
import { target } from "./client/url.ts";
import { mysqlDriver } from "./driver.ts";

export type { SqlxOptions } from "@mqb/sql";

const store = sqlStateStore({
  description: "Keeps entries in a table of a MySQL or MariaDB database",
  bytesType: "LONGBLOB",
  target,
  connect: (url, { baseDir }) =>
    mysqlDriver.connect(
      {
        url,
        maxConnections: 4,
        minConnections: 0,
        acquireTimeoutMs: 30_000,
        idleTimeoutMs: 600_000,
        maxLifetimeMs: 1_800_000,
        testBeforeAcquire: false,
        create: true,
      },
      { path: "store", baseDir, log: silentLogger, signal: new AbortController().signal },
    ),
});

/** MySQL and MariaDB databases: tables as sources, sinks and lookups, and state stores. */
export default definePlugin({
  name: "@mqb/mysql",
  apiVersion: API_VERSION,
  endpoints: { sqlx },
  stores: { mysql: store, mariadb: store },
  schemes: { mysql: sqlScheme("mysql"), mariadb: sqlScheme("mariadb") },
  services: { "sql:mysql": mysqlDriver },
});
