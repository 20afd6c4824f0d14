/** How brokers are reached. Made from a configuration by `connectionSettings`. */
export interface ConnectionSettings {
  readonly brokers: readonly BrokerAddress[];
  readonly clientId: string;
  /** What `tls.connect` takes. */
  readonly tls?: object;
  readonly sasl?: { readonly mechanism: SaslMechanism; readonly username: string; readonly password: string };
  readonly connectTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly socket: { readonly keepAlive: boolean; readonly noDelay: boolean; readonly family: 0 | 4 | 6 };
  readonly metadataMaxAgeMs: number;
}

export interface BrokerAddress {
  readonly host: string;
  readonly port: number;
}

export const SASL_MECHANISMS = ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"] as const;
export type SaslMechanism = (typeof SASL_MECHANISMS)[number];

const DEFAULT_PORT = 9092;

/** `a:9092, b` → addresses. Undefined for a text that is no such list. */
export function parseBrokers(text: string): BrokerAddress[] | undefined {
  const parts = text.split(",").map((part) => part.trim().replace(/^kafka:\/\//i, ""));
  const addresses: BrokerAddress[] = [];
  for (const part of parts) {
    const found = /^(?:\[([0-9a-f:.%]+)\]|([^\s:/@[\]]+))(?::(\d{1,5}))?$/i.exec(part);
    const port = Number(found?.[3] ?? DEFAULT_PORT);
    if (!found || port < 1 || port > 65_535) return undefined;
    addresses.push({ host: (found[1] ?? found[2])!, port });
  }
  return addresses;
}

export function describeBroker({ host, port }: BrokerAddress): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}
