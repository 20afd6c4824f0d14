import type { ConnectContext, ConnectSettings } from "@mqb/sql";
import { readTls } from "@mqb/tls";
import type { SslOptions } from "mysql2";
import type { Address } from "./url.ts";

/** How to speak to the server: with these TLS options, or in plain text. */
export type Way = SslOptions | undefined;

/**
 * The ways to try, in their order. A `tls` block wins over `ssl-mode`; without both, TLS is taken where the server has it,
 * except on this machine, where it is tried last.
 */
export async function waysTo(
  address: Address,
  settings: ConnectSettings,
  context: ConnectContext,
): Promise<readonly Way[]> {
  const { host, socket, sslMode } = address;
  const place = { baseDir: context.baseDir, path: `${context.path}.tls`, role: "client" } as const;
  const material = await readTls(settings.tls, place);
  if (material) {
    const { rejectUnauthorized = true } = material as { readonly rejectUnauthorized?: boolean };
    return [{ ...material, verifyIdentity: rejectUnauthorized } as SslOptions];
  }
  const files = {
    ...settings.tls,
    required: true,
    ...(address.sslCa === undefined ? {} : { ca_file: address.sslCa }),
    ...(address.sslCert === undefined ? {} : { cert_file: address.sslCert }),
    ...(address.sslKey === undefined ? {} : { key_file: address.sslKey }),
  };
  const withFiles = async (verify: { rejectUnauthorized: boolean; verifyIdentity: boolean }): Promise<SslOptions> =>
    ({ ...(await readTls(files, place)), ...verify }) as SslOptions;
  const unchecked = { rejectUnauthorized: false, verifyIdentity: false };
  switch (sslMode) {
    case "DISABLED":
      return [undefined];
    case "REQUIRED":
      return [await withFiles(unchecked)];
    case "VERIFY_CA":
      return [await withFiles({ rejectUnauthorized: true, verifyIdentity: false })];
    case "VERIFY_IDENTITY":
      return [await withFiles({ rejectUnauthorized: true, verifyIdentity: true })];
    default: {
      const encrypted = await withFiles(unchecked);
      const plainFirst = sslMode === undefined && (socket !== undefined || isLoopback(host));
      return plainFirst ? [undefined, encrypted] : [encrypted, undefined];
    }
  }
}

function isLoopback(host: string): boolean {
  return host === "localhost" || /^127\./.test(host) || host === "::1";
}
