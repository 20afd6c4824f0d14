import { kindOf, type MqbError, type OpenContext } from "@mqb/core/plugin";
import { readTls, type TlsConfig, tlsErrors } from "@mqb/tls";
import type { ConnectionOptions, NatsConnection } from "nats";
import type { NatsConfig } from "../schema.ts";
import { connectFailure, type Peer } from "./classify.ts";
import { Connection } from "./connection.ts";
import { readLogin } from "./login.ts";
import { identityOf } from "./server-identity.ts";
import { parseServers } from "./servers.ts";
import { wantsCertificate } from "./wants-certificate.ts";

/** A server that does not answer a connection in this time counts as out of reach. */
const CONNECT_MS = 4000;
/** A server that answers neither of two pings is gone: after three of these at most. */
const PING_MS = 3000;

export type ConnectContext = Pick<OpenContext, "route" | "path" | "baseDir" | "signal">;

/** Connects once, to the first server of the list that takes us. Rejects with `connection` or `config` errors. */
export async function connect(config: NatsConfig, context: ConnectContext): Promise<Connection> {
  const servers = parseServers(config.url);
  const tls = tlsOf(config, servers.tls);
  const material = await readTls(tls, { baseDir: context.baseDir, path: `${context.path}.nats.tls`, role: "client" });
  const nats = await import("nats");
  const login = await readLogin(nats, config, servers, context.baseDir);
  const options: ConnectionOptions = {
    servers: [...servers.list],
    name: `mqb ${context.route}`,
    // The routes reconnect: whoever uses the connection must know that it was cut.
    reconnect: false,
    // Else the driver forgets a second server for each that does not answer.
    maxReconnectAttempts: -1,
    timeout: CONNECT_MS,
    pingInterval: PING_MS,
    maxPingOut: 2,
    noAsyncTraces: true,
    ignoreClusterUpdates: true,
    ...(login.authenticator && { authenticator: login.authenticator }),
    ...(material && {
      tls: { ...material, checkServerIdentity: identityOf(servers.list) } as ConnectionOptions["tls"] & {},
    }),
  };
  const peer: Peer = { target: servers.target, how: login.how, tls };
  try {
    return new Connection(await reach(nats.connect(options), peer, context.signal), servers.target);
  } catch (error) {
    if (!material || tls?.cert_file || kindOf(error, "connection") !== "connection" || context.signal.aborted)
      throw error;
    const wanting = await Promise.all(servers.list.map(wantsCertificate));
    if (!wanting.includes(true)) throw error;
    throw tlsErrors.REFUSED(
      { target: servers.target, reason: "it wants a certificate", sent: false },
      { cause: error },
    );
  }
}

/** The block with what the url says about it. */
export function tlsOf(config: Pick<NatsConfig, "tls">, required: boolean): TlsConfig | null | undefined {
  return required ? { ...config.tls, required: true } : config.tls;
}

/** The driver cannot be told to give up: what connects after the end of the wait is closed at once. */
function reach(connecting: Promise<NatsConnection>, peer: Peer, signal: AbortSignal): Promise<NatsConnection> {
  return new Promise((resolve, reject) => {
    const failed = (cause: unknown): void => {
      signal.removeEventListener("abort", stop);
      reject(connectFailure(cause, peer) as MqbError);
    };
    const stop = (): void => {
      connecting.then((late) => late.close()).catch(() => {});
      failed(signal.reason);
    };
    connecting.then((connection) => {
      signal.removeEventListener("abort", stop);
      resolve(connection);
    }, failed);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}
