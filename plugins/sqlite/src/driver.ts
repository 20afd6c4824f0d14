import { existsSync } from "node:fs";
import { type SqlDatabase, type SqlDriver, sqlErrors } from "@mqb/sql";
import { collectStatements } from "./client/collect.ts";
import { absolute, readLocation } from "./client/location.ts";
import { loadProvider } from "./client/provider.ts";
import { BLOCKING_MS, Session } from "./client/session.ts";
import { sqliteDatabase } from "./database.ts";
import { sqliteErrors } from "./errors.ts";

/** SQLite: a file, in this process. */
export const sqliteDriver: SqlDriver = {
  dialect: "sqlite",
  bulkCopy: false,
  tellsWriters: false,
  oneWriter: true,
  unused: [
    "username",
    "password",
    "tls",
    "max_connections",
    "min_connections",
    "idle_timeout_ms",
    "max_lifetime_ms",
    "test_before_acquire",
  ],
  urlFault(url) {
    const location = readLocation(url);
    return typeof location === "string" ? location : undefined;
  },
  target,
  connect: ({ url, create, acquireTimeoutMs }, { baseDir }) =>
    connect(url, { baseDir, create, patienceMs: acquireTimeoutMs }),
};

export function target(url: string): string {
  return url.replace(/\?.*$/s, "");
}

interface Options {
  readonly baseDir: string;
  readonly create: boolean;
  readonly patienceMs: number;
  /** Of a file that is made now: its writers do not wait for its readers, and less for the disk. */
  readonly writeAhead?: boolean;
}

/** Opens a database. Throws `config` errors for a file that is not there or is no database. */
export async function connect(url: string, options: Options): Promise<SqlDatabase> {
  const { baseDir, create, patienceMs, writeAhead = false } = options;
  const location = readLocation(url);
  if (typeof location === "string") throw sqlErrors.URL({ field: "url", reason: location });
  const { mode } = location;
  const path = absolute(location, baseDir);
  const mayCreate = mode === "rwc" || mode === "memory" || (mode === undefined && create);
  const isNew = path !== ":memory:" && !existsSync(path);
  if (!mayCreate && !existsSync(path)) throw sqliteErrors.NOT_THERE({ path });
  const { DatabaseSync, keepsStatements } = await loadProvider();
  try {
    const connection = new DatabaseSync(path, { readOnly: mode === "ro", timeout: BLOCKING_MS });
    connection.exec(`PRAGMA busy_timeout = ${BLOCKING_MS}`);
    const session = new Session(
      connection,
      target(url),
      patienceMs,
      keepsStatements ? collectStatements : async () => {},
    );
    if (writeAhead && isNew) await session.use(() => session.prepare("PRAGMA journal_mode = WAL").get());
    // Only a statement that reads finds out that a file is no database.
    await session.use(() => session.prepare("SELECT count(*) FROM sqlite_master").get());
    return sqliteDatabase(session);
  } catch (cause) {
    throw sqliteErrors.CANNOT_OPEN({ path, reason: (cause as Error).message }, { cause });
  }
}
