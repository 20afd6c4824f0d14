import { API_VERSION, definePlugin, silentLogger } from "@mqb/core/plugin";
import { sqlScheme, sqlStateStore, sqlx } from "@mqb/sql";
import type { CdcOptions } from "./cdc/config.ts";
import { mysqlCdc } from "./cdc/endpoint.ts";
import { cdcScheme } from "./cdc/uri.ts";
import { target } from "./client/url.ts";
import { mysqlDriver } from "./driver.ts";

export type { SqlxOptions } from "@mqb/sql";
export type { CdcOptions } from "./cdc/config.ts";

declare module "@mqb/core/plugin" {
  interface EndpointConfigs {
    readonly mysql_cdc: CdcOptions;
  }
}

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

/** MySQL and MariaDB databases: tables as sources, sinks and lookups, their changes, and state stores. */
export default definePlugin({
  name: "@mqb/mysql",
  apiVersion: API_VERSION,
  endpoints: { sqlx, mysql_cdc: mysqlCdc },
  stores: { mysql: store, mariadb: store },
  schemes: {
    mysql: sqlScheme("mysql"),
    mariadb: sqlScheme("mariadb"),
    "mysql-cdc": cdcScheme("mysql-cdc"),
    "mariadb-cdc": cdcScheme("mariadb-cdc"),
  },
  services: { "sql:mysql": mysqlDriver },
});
