import type { SqlDriver } from "@mqb/sql";
import { changeCapture } from "./cdc/handed-over.ts";
import { PostgresPool } from "./client/pool.ts";
import { readAddress, target } from "./client/url.ts";
import { postgresDatabase } from "./database.ts";

/** PostgreSQL: a server. */
export const postgresDriver: SqlDriver = {
  dialect: "postgres",
  bulkCopy: true,
  tellsWriters: true,
  oneWriter: false,
  unused: [],
  urlFault(url) {
    const address = readAddress(url);
    return typeof address === "string" ? address : undefined;
  },
  target,
  changes: changeCapture,
  connect: async (settings, context) => postgresDatabase(await PostgresPool.connect(settings, context)),
};
