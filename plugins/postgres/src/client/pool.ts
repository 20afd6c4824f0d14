import { setTimeout as pause } from "node:timers/promises";
import type { ConnectContext, ConnectSettings } from "@mqb/sql";
import { sqlErrors } from "@mqb/sql";
import { tlsFailure } from "@mqb/tls";
import type pg from "pg";
import { classify } from "./classify.ts";
import { type Way, waysTo } from "./tls.ts";
import { readAddress, target as targetOf } from "./url.ts";

/** How values are written as texts, whatever the database's own settings are. */
export const SESSION =
  "-c timezone=UTC -c datestyle=ISO,MDY -c bytea_output=hex -c extra_float_digits=1 -c standard_conforming_strings=on";
/** An unreachable server is said sooner than a full pool. */
const CONNECT_MS = 10_000;
/** Work that a server does not answer is ended when the pool is closed. */
const CLOSE_MS = 1000;
/** What is under way when its signal aborts may end by itself. */
const GRACE_MS = 300;

/** The connections to one database. */
export class PostgresPool {
  readonly target: string;
  private readonly pool: pg.Pool;
  private readonly testsFirst: boolean;
  private readonly used = new Set<pg.PoolClient>();
  private closing: Promise<void> | undefined;

  private constructor(pool: pg.Pool, target: string, testsFirst: boolean) {
    this.pool = pool;
    this.target = target;
    this.testsFirst = testsFirst;
  }

  /** Connects once, so that wrong settings are said now. */
  static async connect(settings: ConnectSettings, context: ConnectContext): Promise<PostgresPool> {
    const target = targetOf(settings.url);
    const address = readAddress(settings.url);
    if (typeof address === "string") throw sqlErrors.URL({ field: "url", reason: address });
    const ways = await waysTo(address, settings, context);
    const { default: driver } = await import("pg");
    for (const [n, way] of ways.entries()) {
      const pool = new driver.Pool(poolConfig(address, settings, way));
      // A connection that is lost while nobody uses it is taken out of the pool; whoever comes next gets another one.
      pool.on("error", () => {});
      const opened = new PostgresPool(pool, target, settings.testBeforeAcquire);
      try {
        await opened.first(context.signal);
        return opened;
      } catch (error) {
        await opened.close();
        if (n === ways.length - 1 || !isAboutTls(error))
          throw tlsFailure(error, target, settings.tls) ?? classify(error, target);
      }
    }
    throw sqlErrors.LOST({ target, reason: "there is no way to it" });
  }

  /** One connection for the work; it is thrown away when the work finds it broken. */
  async use<T>(work: (client: pg.PoolClient) => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.closing) throw sqlErrors.CLOSED({ target: this.target });
    const client = await this.acquire();
    this.used.add(client);
    let broken: Error | undefined;
    const onError = (error: Error): void => {
      broken = error;
    };
    client.on("error", onError);
    const stopWaiting = signal && cutAfter(client, signal);
    try {
      return await work(client);
    } catch (error) {
      const known = classify(error, this.target);
      if (known.kind === "connection") broken ??= known;
      throw known;
    } finally {
      stopWaiting?.();
      this.used.delete(client);
      client.off("error", onError);
      client.release(broken);
    }
  }

  /** All or nothing. */
  transaction<T>(work: (client: pg.PoolClient) => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.use(async (client) => {
      await client.query("BEGIN");
      try {
        const result = await work(client);
        await client.query("COMMIT");
        return result;
      } catch (error) {
        const known = classify(error, this.target);
        if (known.kind !== "connection") await client.query("ROLLBACK").catch(() => {});
        throw known;
      }
    }, signal);
  }

  close(): Promise<void> {
    return (this.closing ??= this.end());
  }

  private async acquire(): Promise<pg.PoolClient> {
    for (;;) {
      let client: pg.PoolClient;
      try {
        client = await this.pool.connect();
      } catch (error) {
        const isFull = /timeout exceeded when trying to connect/.test((error as Error).message) && this.used.size > 0;
        if (isFull)
          throw sqlErrors.BUSY(
            { target: this.target, reason: "no connection of the pool came free in time" },
            { cause: error },
          );
        throw classify(error, this.target);
      }
      if (!this.testsFirst) return client;
      try {
        await client.query("SELECT 1");
        return client;
      } catch (error) {
        client.release(error as Error);
        if (this.closing) throw classify(error, this.target);
      }
    }
  }

  private async first(signal: AbortSignal): Promise<void> {
    const given = new Promise<never>((_, reject) => {
      const stop = (): void => reject(signal.reason);
      if (signal.aborted) stop();
      else signal.addEventListener("abort", stop, { once: true });
    });
    given.catch(() => {});
    const connected = this.pool.connect();
    const client = await Promise.race([connected, given]).catch((error) => {
      connected.then((late) => late.release(true)).catch(() => {});
      throw error;
    });
    client.release();
  }

  private async end(): Promise<void> {
    const ended = this.pool.end();
    const late = new AbortController();
    const cut = pause(CLOSE_MS, undefined, { signal: late.signal }).then(
      () => {
        for (const client of this.used) streamOf(client)?.destroy();
      },
      () => {},
    );
    await ended;
    late.abort();
    await cut;
  }
}

/** Ends the connection when its answer does not come soon after nobody waits any more. Gives what takes that back. */
function cutAfter(client: pg.PoolClient, signal: AbortSignal): () => void {
  let timer: NodeJS.Timeout | undefined;
  const cut = (): void => {
    timer = setTimeout(() => streamOf(client)?.destroy(), GRACE_MS);
  };
  if (signal.aborted) cut();
  else signal.addEventListener("abort", cut, { once: true });
  return () => {
    signal.removeEventListener("abort", cut);
    clearTimeout(timer);
  };
}

function poolConfig(
  address: Exclude<ReturnType<typeof readAddress>, string>,
  settings: ConnectSettings,
  ssl: Way,
): pg.PoolConfig {
  const user = settings.username ?? address.username;
  const password = settings.password ?? address.password;
  return {
    host: address.host,
    port: address.port,
    database: address.database,
    ...(user === undefined ? {} : { user }),
    ...(password === undefined ? {} : { password }),
    ssl,
    application_name: address.applicationName,
    options: address.options === undefined ? SESSION : `${address.options} ${SESSION}`,
    max: settings.maxConnections,
    min: Math.min(settings.minConnections, settings.maxConnections),
    connectionTimeoutMillis: Math.min(settings.acquireTimeoutMs, CONNECT_MS),
    idleTimeoutMillis: settings.idleTimeoutMs,
    maxLifetimeSeconds: Math.ceil(settings.maxLifetimeMs / 1000),
    keepAlive: true,
  };
}

/** The server wants the other of plain text and TLS. */
export function isAboutTls(error: unknown): boolean {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  if (code === "28000") return /no encryption|SSL off|SSL on|SSL encryption/i.test(String(message));
  return /does not support SSL/i.test(String(message));
}

function streamOf(client: pg.PoolClient): { destroy(): void } | undefined {
  return (client as unknown as { readonly connection?: { readonly stream?: { destroy(): void } } }).connection?.stream;
}
