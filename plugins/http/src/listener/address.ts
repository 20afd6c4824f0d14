import { isIPv6 } from "node:net";
import { errors } from "../errors.ts";
import { maskLogin } from "../wire/shown.ts";

/** Where a server listens. Port 0 = any free one. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Reads `host:port`, `[::1]:port`, `:port`, also behind `http://` and the like. Throws a `config` error. */
export function parseListenAddress(url: string): ListenAddress {
  const match = /^(?:[a-z][a-z0-9+.-]*:\/\/)?(\[[^\]]*\]|[^:/?#\s@]*):(\d{1,5})\/?$/i.exec(url.trim());
  if (!match) throw errors.ADDRESS({ url: maskLogin(url), reason: "it is not host:port" });
  const port = Number(match[2]);
  if (port > 65_535) throw errors.ADDRESS({ url, reason: "a port is at most 65535" });
  const host = match[1]!.replace(/^\[|\]$/g, "");
  if (match[1]!.startsWith("[") && !isIPv6(host)) throw errors.ADDRESS({ url, reason: `${host} is no IPv6 address` });
  return { host: host === "" || host === "*" ? "0.0.0.0" : host, port };
}

export function formatAddress({ host, port }: ListenAddress): string {
  return `${isIPv6(host) ? `[${host}]` : host}:${port}`;
}
