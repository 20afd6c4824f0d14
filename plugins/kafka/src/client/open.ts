import type { OpenContext } from "@mqb/core/plugin";
import { readTls, type TlsConfig } from "@mqb/tls";
import { loadDriver } from "../driver/driver.ts";
import type { ConnectionOptions } from "../options/connection.ts";
import type { KafkaConfig } from "../schema.ts";
import { KafkaClient } from "./client.ts";
import { type ConnectionSettings, parseBrokers } from "./settings.ts";

/** With a user name the login is always encrypted, unless somebody says otherwise in so many words. */
export function securityOf(
  config: KafkaConfig,
  options: ConnectionOptions,
): { readonly tls: boolean; readonly sasl: boolean } {
  const { protocol } = options;
  const sasl = protocol === undefined ? config.username != null : protocol.startsWith("sasl_");
  const tls =
    protocol === undefined ? config.username != null || config.tls?.required === true : protocol.endsWith("ssl");
  return { tls, sasl };
}

/** The `tls` block as connections use it. */
export function tlsOf(config: KafkaConfig, options: ConnectionOptions): TlsConfig | undefined {
  if (!securityOf(config, options).tls) return undefined;
  const { verifies } = options;
  return { ...config.tls, required: true, ...(verifies === undefined ? {} : { accept_invalid_certs: !verifies }) };
}

/** Makes a client; connects to nothing yet. Throws `config` errors for certificate files that cannot be used. */
export async function makeClient(
  config: KafkaConfig,
  options: ConnectionOptions,
  context: Pick<OpenContext, "baseDir" | "path" | "clock">,
): Promise<KafkaClient> {
  const tlsConfig = tlsOf(config, options);
  const place = { baseDir: context.baseDir, path: `${context.path}.kafka.tls`, role: "client" } as const;
  const [driver, material] = await Promise.all([loadDriver(), readTls(tlsConfig, place)]);
  const { sasl } = securityOf(config, options);
  const { ciphers, checksName, family } = options;
  const tls = material && {
    ...withoutContext(material, ciphers),
    ...(ciphers === undefined ? {} : { ciphers }),
    ...(checksName ? {} : { checkServerIdentity: () => undefined }),
  };
  const settings: ConnectionSettings = {
    brokers: parseBrokers(config.url)!,
    clientId: options.clientId,
    ...(tls ? { tls } : {}),
    ...(sasl
      ? { sasl: { mechanism: options.mechanism, username: config.username ?? "", password: config.password ?? "" } }
      : {}),
    connectTimeoutMs: options.connectTimeoutMs,
    requestTimeoutMs: options.requestTimeoutMs,
    socket: { keepAlive: options.keepAlive, noDelay: options.noDelay, family },
    metadataMaxAgeMs: options.metadataMaxAgeMs,
  };
  return new KafkaClient({ driver, settings, tlsConfig, clock: context.clock });
}

/** A ready secure context has its ciphers already. */
function withoutContext<T extends { readonly secureContext?: unknown }>(
  material: T,
  ciphers: string | undefined,
): object {
  if (ciphers === undefined) return material;
  const { secureContext: _, ...rest } = material;
  return rest;
}
