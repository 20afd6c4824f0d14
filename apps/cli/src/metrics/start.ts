import { type Address, formatAddress, isLoopback, parseAddress } from "@mqb/config/uri";
import type { Bridge } from "@mqb/core";
import { type Logger, systemClock } from "@mqb/core/plugin";
import { METRICS, MetricsRegistry } from "@mqb/standard";
import type { ParsedArgs } from "../args/parse.ts";
import { cliErrors } from "../errors.ts";
import { version } from "../version.ts";
import { type MetricsServer, serveMetrics } from "./server.ts";

const DEFAULT_ADDRESS = "127.0.0.1:9090";

/**
 * Serves the metrics of a bridge where the flag, else the configuration says, else on 127.0.0.1:9090. Undefined when
 * nothing is to be served, and when the address that nobody asked for is taken. Throws a `config` error when one that
 * was asked for cannot be had.
 */
export async function startMetrics(
  args: ParsedArgs,
  configured: string | undefined,
  bridge: Bridge,
  log: Logger,
): Promise<MetricsServer | undefined> {
  if (args.has("no-metrics")) return undefined;
  const asked = args.text("metrics-addr") ?? configured;
  const address = parse(asked ?? DEFAULT_ADDRESS);
  const registry = bridge.local(METRICS, () => new MetricsRegistry());
  try {
    const server = await serveMetrics(address, () => ({
      version: version(),
      routes: bridge.status(),
      sides: registry.list(),
      retries: (route) => registry.retries(route),
      now: systemClock.monotonic(),
    }));
    log.info(`metrics at http://${formatAddress(server.address)}/metrics`);
    if (!isLoopback(server.address)) log.warn("the metrics can be read from other machines, without a login");
    return server;
  } catch (error) {
    const reason = reasonOf(error);
    if (asked !== undefined) throw cliErrors.METRICS_ADDRESS({ address: asked, reason });
    log.warn(`no metrics are served: ${DEFAULT_ADDRESS} ${reason}`, { hint: "--metrics-addr or --no-metrics" });
    return undefined;
  }
}

/** What the configuration says was checked with it. */
function parse(text: string): Address {
  const address = parseAddress(text);
  if (address) return address;
  throw cliErrors.METRICS_ADDRESS({ address: text, reason: "is no address; --metrics-addr takes host:port" });
}

function reasonOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "EADDRINUSE") return "is taken by another process";
  if (code === "EADDRNOTAVAIL") return "is no address of this machine";
  if (code === "EACCES") return "is not allowed for this user";
  return `cannot be bound: ${(error as Error).message}`;
}
