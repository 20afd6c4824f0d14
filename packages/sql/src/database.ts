import type { OpenContext, Shared, Side } from "@mqb/core/plugin";
import type { SqlxConfig } from "./config.ts";
import type { ConnectSettings, SqlDatabase, SqlDriver } from "./contract.ts";

export function settingsOf(config: SqlxConfig, side: Side): ConnectSettings {
  return {
    url: config.url,
    ...(config.username == null ? {} : { username: config.username }),
    ...(config.password == null ? {} : { password: config.password }),
    ...(config.tls == null ? {} : { tls: config.tls }),
    maxConnections: config.max_connections ?? 10,
    minConnections: config.min_connections ?? 0,
    acquireTimeoutMs: config.acquire_timeout_ms ?? 30_000,
    idleTimeoutMs: config.idle_timeout_ms ?? 600_000,
    maxLifetimeMs: config.max_lifetime_ms ?? 1_800_000,
    testBeforeAcquire: config.test_before_acquire ?? false,
    create: side === "output",
  };
}

type Context = Pick<OpenContext, "path" | "side" | "baseDir" | "log" | "signal" | "share">;

/** The database of an endpoint: one pool for all of the same settings, unless `shared: false`. */
export function openDatabase(driver: SqlDriver, config: SqlxConfig, context: Context): Promise<Shared<SqlDatabase>> {
  const settings = settingsOf(config, context.side);
  const connect = (): Promise<SqlDatabase> => driver.connect(settings, context);
  if (config.shared === false) return unshared(connect);
  const key = `@mqb/sql:${JSON.stringify([settings, context.baseDir])}`;
  return context.share(key, connect, (database) => database.close());
}

async function unshared(connect: () => Promise<SqlDatabase>): Promise<Shared<SqlDatabase>> {
  const value = await connect();
  let released: Promise<void> | undefined;
  return { value, release: () => (released ??= value.close()) };
}
