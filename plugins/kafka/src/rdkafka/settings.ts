import { resolve } from "node:path";
import type { OpenContext } from "@mqb/core/plugin";
import { securityOf, tlsOf } from "../client/open.ts";
import { parseBrokers } from "../client/settings.ts";
import { kafkaErrors } from "../errors.ts";
import type { ConnectionOptions } from "../options/connection.ts";
import type { OptionList } from "../options/option.ts";
import type { KafkaConfig } from "../schema.ts";
import type { Rdkafka, RdkafkaError, RdkafkaSettings } from "./driver.ts";

/** Where brokers are and how to log in, in the names of librdkafka, with the pairs of a configuration on top. */
export function connectionSettings(
  config: KafkaConfig,
  options: ConnectionOptions,
  pairs: OptionList | null | undefined,
  context: Pick<OpenContext, "baseDir">,
): Record<string, unknown> {
  const { tls: isTls, sasl } = securityOf(config, options);
  const tls = tlsOf(config, options);
  const file = (name: string | null | undefined): string | undefined =>
    name == null ? undefined : resolve(context.baseDir, name);
  const made: Record<string, unknown> = {
    "bootstrap.servers": parseBrokers(config.url)!
      .map(({ host, port }) => `${host.includes(":") ? `[${host}]` : host}:${port}`)
      .join(","),
    "client.id": options.clientId,
    "security.protocol": `${sasl ? "sasl_" : ""}${isTls ? "ssl" : "plaintext"}`,
    "allow.auto.create.topics": false,
    // The route reconnects; until it knows, the library tries.
    "reconnect.backoff.ms": 50,
    "reconnect.backoff.max.ms": 500,
    "socket.connection.setup.timeout.ms": options.connectTimeoutMs,
    ...(sasl
      ? { "sasl.mechanisms": options.mechanism, "sasl.username": config.username, "sasl.password": config.password }
      : {}),
    ...(tls
      ? {
          "ssl.ca.location": file(tls.ca_file),
          "ssl.certificate.location": file(tls.cert_file),
          "ssl.key.location": file(tls.key_file),
          "ssl.key.password": tls.cert_password ?? undefined,
          "enable.ssl.certificate.verification": tls.accept_invalid_certs !== true,
        }
      : {}),
  };
  for (const [name, value] of pairs ?? []) made[name] = value;
  return Object.fromEntries(Object.entries(made).filter(([, value]) => value !== undefined));
}

/** Says by name what this build of the library cannot do. */
export function checkFeatures({ features }: Rdkafka, config: KafkaConfig, options: ConnectionOptions): void {
  const { tls, sasl } = securityOf(config, options);
  const login = options.mechanism === "PLAIN" ? "sasl_plain" : "sasl_scram";
  const missing = [...(tls ? ["ssl"] : []), ...(sasl ? [login] : [])].find((one) => !features.includes(one));
  if (missing !== undefined)
    throw kafkaErrors.ENGINE_BROKEN({
      reason: `it was built without "${missing}"; install OpenSSL's headers and build it again`,
    });
}

/** Makes a client of the library. Throws the `config` error of an option that it does not know. */
export function make<T>(
  Client: new (settings: RdkafkaSettings, topic: RdkafkaSettings) => T,
  settings: RdkafkaSettings,
): T {
  try {
    return new Client(settings, {});
  } catch (cause) {
    throw kafkaErrors.ENGINE_OPTION({ reason: (cause as RdkafkaError).message }, { cause });
  }
}
