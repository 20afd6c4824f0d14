import type { ConnectionOptions } from "node:tls";
import type { ConnectContext, ConnectSettings } from "@mqb/sql";
import { readTls } from "@mqb/tls";
import type { Address } from "./url.ts";

/** How to speak to the server: with these TLS options, or in plain text. */
export type Way = ConnectionOptions | false;

/**
 * The ways to try, in their order. A `tls` block wins over `sslmode`; without both, TLS is taken where the server has it, except
 * on this machine, where it is tried last.
 */
export async function waysTo(
  address: Address,
  settings: Pick<ConnectSettings, "tls">,
  context: Pick<ConnectContext, "baseDir" | "path">,
): Promise<readonly Way[]> {
  const { host, sslMode } = address;
  const place = { baseDir: context.baseDir, path: `${context.path}.tls`, role: "client" } as const;
  const named = isAddress(host) ? {} : { servername: host };
  const material = await readTls(settings.tls, place);
  if (material) return [{ ...material, ...named }];
  const unchecked: Way = { rejectUnauthorized: false, ...named };
  switch (sslMode) {
    case "disable":
      return [false];
    case "allow":
      return [false, unchecked];
    case "require":
      return [unchecked];
    case "verify-ca":
    case "verify-full": {
      const checked = { ...(await readTls({ ...settings.tls, required: true }, place)), ...named };
      return [sslMode === "verify-full" ? checked : { ...checked, checkServerIdentity: () => undefined }];
    }
    default:
      return isLoopback(host) && sslMode === undefined ? [false, unchecked] : [unchecked, false];
  }
}

function isAddress(host: string): boolean {
  return /^[\d.]+$/.test(host) || host.includes(":");
}

function isLoopback(host: string): boolean {
  return host === "localhost" || /^127\./.test(host) || host === "::1";
}
