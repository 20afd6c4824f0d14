import type { OpenContext } from "@mqb/core/plugin";
import { sqlErrors } from "@mqb/sql";
import { type TlsConfig, tlsFailure } from "@mqb/tls";
import type pg from "pg";
import { classify, shown } from "../../client/classify.ts";
import { isAboutTls, SESSION } from "../../client/pool.ts";
import { waysTo } from "../../client/tls.ts";
import { readAddress, target as targetOf } from "../../client/url.ts";
import { errors } from "../../errors.ts";

const CONNECT_MS = 10_000;
/** The system would wait for hours. */
const KEEP_ALIVE_MS = 10_000;
/** Nobody ends what waits for a slow sink. Rows that a policy hides are an error: changes of them come all the same. */
const LASTING =
  "-c intervalstyle=postgres -c statement_timeout=0 -c idle_in_transaction_session_timeout=0 -c row_security=off";

export type ConnectContext = Pick<OpenContext, "path" | "baseDir" | "signal">;

export interface Place {
  readonly url: string;
  readonly tls?: TlsConfig | null | undefined;
}

/** One connection of its own, that writes values as texts in one way only. `replication`: for streams and slots. */
export async function connect(place: Place, context: ConnectContext, replication: boolean): Promise<pg.Client> {
  const target = targetOf(place.url);
  const address = readAddress(place.url);
  if (typeof address === "string") throw sqlErrors.URL({ field: "url", reason: address });
  const settings = place.tls == null ? {} : { tls: place.tls };
  const ways = await waysTo(address, settings, context);
  const { default: driver } = await import("pg");
  for (const [n, ssl] of ways.entries()) {
    const config = {
      host: address.host,
      port: address.port,
      database: address.database,
      ...(address.username === undefined ? {} : { user: address.username }),
      ...(address.password === undefined ? {} : { password: address.password }),
      ssl,
      application_name: address.applicationName,
      options: [address.options, SESSION, LASTING].filter((one) => one !== undefined).join(" "),
      connectionTimeoutMillis: CONNECT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      ...(replication ? { replication: "database" } : {}),
    };
    const client = new driver.Client(config as pg.ClientConfig);
    // Whoever uses it hears of a loss by what it asks, or by its socket.
    client.on("error", () => {});
    const give = (): void => cut(client);
    context.signal.addEventListener("abort", give, { once: true });
    try {
      context.signal.throwIfAborted();
      await client.connect();
      return client;
    } catch (error) {
      cut(client);
      context.signal.throwIfAborted();
      if (n === ways.length - 1 || !isAboutTls(error)) {
        const { code } = error as { readonly code?: unknown };
        const { reason, cause } = shown(error);
        if (replication && code === "42501") throw errors.NO_RIGHT({ target, reason }, { cause });
        if (replication && code === "53300") throw errors.NO_SENDER({ target, reason }, { cause });
        throw tlsFailure(error, target, place.tls ?? undefined) ?? classify(error, target);
      }
    } finally {
      context.signal.removeEventListener("abort", give);
    }
  }
  throw sqlErrors.LOST({ target, reason: "there is no way to it" });
}

/** Ends it in order, or after a moment without. */
export async function disconnect(client: pg.Client): Promise<void> {
  const late = setTimeout(() => cut(client), 500);
  await client.end().catch(() => {});
  clearTimeout(late);
}

/** Ends it at once. */
export function cut(client: pg.Client): void {
  socketOf(client)?.destroy();
}

export function socketOf(client: pg.Client): import("node:net").Socket | undefined {
  const { connection } = client as unknown as { readonly connection?: { readonly stream?: import("node:net").Socket } };
  return connection?.stream;
}
