/** Where something is served. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Reads `host:port`, `[::1]:port`, `:port` or a port alone (this machine only); undefined for anything else. */
export function parseAddress(text: string): Address | undefined {
  const [, bracketed, plain, digits] = /^(?:(?:\[([0-9a-f:.]+)\]|([^[\]:/\s]*)):)?(\d{1,5})$/i.exec(text.trim()) ?? [];
  const port = Number(digits);
  if (digits === undefined || port > 65_535) return undefined;
  return { host: bracketed ?? (plain || "127.0.0.1"), port };
}

export function formatAddress({ host, port }: Address): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

export function isLoopback({ host }: Address): boolean {
  return host === "localhost" || host === "::1" || /^127\./.test(host);
}
