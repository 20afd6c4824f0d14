import { SASL_MECHANISMS, type SaslMechanism } from "../client/settings.ts";
import { choice, flag, number, type OptionTable } from "./option.ts";

/** What options say about connections. */
export interface ConnectionOptions {
  clientId: string;
  protocol?: "plaintext" | "ssl" | "sasl_plaintext" | "sasl_ssl";
  mechanism: SaslMechanism;
  verifies?: boolean;
  checksName: boolean;
  ciphers?: string;
  connectTimeoutMs: number;
  requestTimeoutMs: number;
  family: 0 | 4 | 6;
  keepAlive: boolean;
  noDelay: boolean;
  metadataMaxAgeMs: number;
}

export function connectionDefaults(): ConnectionOptions {
  return {
    clientId: "mqb",
    mechanism: "PLAIN",
    checksName: true,
    connectTimeoutMs: 30_000,
    requestTimeoutMs: 30_000,
    family: 0,
    keepAlive: true,
    noDelay: true,
    metadataMaxAgeMs: 300_000,
  };
}

const mechanism = choice<ConnectionOptions, SaslMechanism>(
  Object.fromEntries(SASL_MECHANISMS.map((name) => [name.toLowerCase(), name])),
  (into, value) => {
    into.mechanism = value;
  },
);
const field = (name: string) => ({ refused: `use the field \`${name}\`` });
const reconnects = { refused: "the route reconnects: `reconnect_interval_ms` says how" };
const RECONNECTS = Object.fromEntries(
  ["reconnect.backoff.ms", "reconnect.backoff.max.ms", "reconnect.backoff.jitter.ms"].map((name) => [name, reconnects]),
);
const FIELDS: OptionTable<ConnectionOptions> = {
  "metadata.broker.list": field("url"),
  "bootstrap.servers": field("url"),
  "sasl.username": field("username"),
  "sasl.password": field("password"),
  "ssl.ca.location": field("tls.ca_file"),
  "ssl.certificate.location": field("tls.cert_file"),
  "ssl.key.location": field("tls.key_file"),
  "ssl.key.password": field("tls.cert_password"),
};

export const CONNECTION_OPTIONS: OptionTable<ConnectionOptions> = {
  ...FIELDS,
  ...RECONNECTS,
  "client.id": {
    take(value, into) {
      into.clientId = value;
      return undefined;
    },
  },
  "security.protocol": choice(
    { plaintext: "plaintext", ssl: "ssl", sasl_plaintext: "sasl_plaintext", sasl_ssl: "sasl_ssl" } as const,
    (into, value) => {
      into.protocol = value;
    },
  ),
  "sasl.mechanism": mechanism,
  "sasl.mechanisms": mechanism,
  "enable.ssl.certificate.verification": flag((into, value) => {
    into.verifies = value;
  }),
  "ssl.endpoint.identification.algorithm": choice({ https: true, none: false }, (into, value) => {
    into.checksName = value;
  }),
  "ssl.cipher.suites": {
    take(value, into) {
      into.ciphers = value;
      return undefined;
    },
  },
  "socket.connection.setup.timeout.ms": number(1000, 2_147_483_647, (into, value) => {
    into.connectTimeoutMs = value;
  }),
  "socket.timeout.ms": number(10, 300_000, (into, value) => {
    into.requestTimeoutMs = value;
  }),
  "broker.address.family": choice({ any: 0, v4: 4, v6: 6 } as const, (into, value) => {
    into.family = value;
  }),
  "socket.keepalive.enable": flag((into, value) => {
    into.keepAlive = value;
  }),
  "socket.nagle.disable": flag((into, value) => {
    into.noDelay = value;
  }),
  "topic.metadata.refresh.interval.ms": number(1000, 3_600_000, (into, value) => {
    into.metadataMaxAgeMs = value;
  }),
  "allow.auto.create.topics": choice({ false: false }, () => {}),
  "statistics.interval.ms": { idle: "status and metrics have the figures" },
  "log.connection.close": { idle: "every lost connection is an error of the route" },
};
