import type { SqlDriver } from "@mqb/sql";
import { MysqlPool } from "./client/pool.ts";
import { readAddress, target } from "./client/url.ts";
import { mysqlDatabase } from "./database.ts";

/** MySQL and MariaDB: a server. */
export const mysqlDriver: SqlDriver = {
  dialect: "mysql",
  bulkCopy: false,
  tellsWriters: false,
  oneWriter: false,
  unused: [],
  urlFault(url) {
    const address = readAddress(url);
    return typeof address === "string" ? address : undefined;
  },
  target,
  connect: async (settings, context) => mysqlDatabase(await MysqlPool.connect(settings, context)),
};
