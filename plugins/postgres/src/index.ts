import { API_VERSION, definePlugin, silentLogger } from "@mqb/core/plugin";
import { sqlScheme, sqlStateStore, sqlx } from "@mqb/sql";
import type { CdcOptions } from "./cdc/config.ts";
import { postgresCdc } from "./cdc/endpoint.ts";
import { cdcScheme } from "./cdc/uri.ts";
import { target } from "./client/url.ts";
import { postgresDriver } from "./driver.ts";

export type { SqlxOptions } from "@mqb/sql";
export type { CdcOptions } from "./cdc/config.ts";

declare module "@mqb/core/plugin" {
  interface EndpointConfigs {
    readonly postgres_cdc: CdcOptions;
  }
}

const store = sqlStateStore({
  description: "Keeps entries in a table of a PostgreSQL database",
  bytesType: "BYTEA",
  target,
  connect: (url, { baseDir }) =>
    postgresDriver.connect(
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

/** PostgreSQL databases: tables as sources, sinks and lookups, their changes, and state stores. */
export default definePlugin({
  name: "@mqb/postgres",
  apiVersion: API_VERSION,
  endpoints: { sqlx, postgres_cdc: postgresCdc },
  stores: { postgres: store, postgresql: store },
  schemes: {
    postgres: sqlScheme("postgres"),
    postgresql: sqlScheme("postgresql"),
    "postgres-cdc": cdcScheme("postgres-cdc"),
    pgcdc: cdcScheme("pgcdc"),
  },
  services: { "sql:postgres": postgresDriver },
});
