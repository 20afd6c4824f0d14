import type { OpenContext, Shared } from "@mqb/core/plugin";
import { readTls, type TlsConfig } from "@mqb/tls";
import { errors } from "../errors.ts";
import { formatAddress, parseListenAddress } from "./address.ts";
import { Listener } from "./listener.ts";
import type { ServerProtocol } from "./protocol.ts";

export interface ListenOptions {
  /** `host:port`. */
  readonly url: string;
  /** Where the configuration stands, for messages: `input.http`. */
  readonly path: string;
  readonly tls: TlsConfig | null | undefined;
  readonly protocol: ServerProtocol;
  /** How long a client may take to send a head [60000]. */
  readonly headTimeoutMs?: number | undefined;
  /** Environment variable that lets several processes share the port. */
  readonly reusePortVariable: string;
}

const HEAD_TIMEOUT_MS = 60_000;

/**
 * The listener of an address: the one that another endpoint of the bridge has opened there, or a new one. Throws a `config`
 * error when both want different things of it.
 */
export async function openListener(options: ListenOptions, context: OpenContext): Promise<Shared<Listener>> {
  const address = parseListenAddress(options.url);
  const headTimeoutMs = options.headTimeoutMs ?? HEAD_TIMEOUT_MS;
  const agreed = {
    tls: options.tls?.required ? options.tls : undefined,
    server_protocol: options.protocol,
    header_read_timeout_ms: headTimeoutMs,
  };
  const make = async (): Promise<Listener> => {
    const tls = await readTls(options.tls, { baseDir: context.baseDir, path: `${options.path}.tls`, role: "listener" });
    const reusePort = sharesPort(options.reusePortVariable);
    const { protocol } = options;
    return Listener.open({ address, agreed, tls, protocol, headTimeoutMs, reusePort }, context.route, context);
  };
  const shared = await context.share(keyOf(formatAddress(address), address.port, context), make, (one) => one.close());
  const { settings, route: other } = shared.value;
  for (const [field, value] of Object.entries(agreed)) {
    if (JSON.stringify(value) === JSON.stringify(settings.agreed[field])) continue;
    await shared.release();
    throw errors.OTHER_SETTINGS({ address: formatAddress(address), route: context.route, other, field });
  }
  return shared;
}

/** Any free port is another one each time. */
function keyOf(address: string, port: number, { local }: OpenContext): string {
  if (port !== 0) return `http listener ${address}`;
  const count = local("http listeners of any port", () => ({ next: 0 }));
  return `http listener ${address} ${count.next++}`;
}

function sharesPort(variable: string): boolean {
  if (!["1", "true", "yes", "on"].includes((process.env[variable] ?? "").toLowerCase())) return false;
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > 23 || (major === 23 && minor >= 1) || (major === 22 && minor >= 12)) return true;
  throw errors.REUSE_PORT({ variable, version: process.versions.node });
}
