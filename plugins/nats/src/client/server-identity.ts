import { isIP } from "node:net";
import { checkServerIdentity, type PeerCertificate } from "node:tls";

/**
 * Compares the certificate with the name that we connect to. The driver gives no name for an address, and Node takes that for
 * `localhost`: then the certificate must hold one of the addresses of the list.
 */
export function identityOf(list: readonly string[]): (name: string, certificate: PeerCertificate) => Error | undefined {
  const hosts = list.map((server) => server.slice(0, server.lastIndexOf(":")).replace(/^\[|\]$/g, ""));
  const addresses = hosts.filter((host) => isIP(host) !== 0);
  return (name, certificate) => {
    const isNameless = name === "localhost" && addresses.length > 0;
    const candidates = isNameless ? [...addresses, ...hosts.filter((host) => host === name)] : [name];
    const faults = candidates.map((host) => checkServerIdentity(host, certificate));
    return faults.some((fault) => fault === undefined) ? undefined : faults[0];
  };
}
