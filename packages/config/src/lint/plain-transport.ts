import type { Problem } from "@mqb/core";
import { isMap } from "@mqb/core/plugin";
import { credentialsOf } from "./credentials.ts";
import { problem } from "./lint.ts";
import { type Part, type Subject, settingOf } from "./subject.ts";

/** URL schemes that are not encrypted by themselves, with what encrypts them. */
const PLAIN: Readonly<Record<string, string>> = {
  amqp: "amqps:// or tls.required",
  mqtt: "mqtts:// or tls.required",
  nats: "tls:// or tls.required",
  redis: "rediss:// or tls.required",
  http: "https://",
  ws: "wss://",
  grpc: "grpcs:// or tls.required",
  mongodb: "tls=true in the URL or tls.required",
  postgres: "sslmode=require or stricter in the URL",
  postgresql: "sslmode=require or stricter in the URL",
  mysql: "ssl-mode=REQUIRED or stricter in the URL",
  mariadb: "ssl-mode=REQUIRED or stricter in the URL",
};
const ENCRYPTED =
  /[?&](?:sslmode=(?:require|verify-ca|verify-full)|ssl-mode=(?:required|verify_ca|verify_identity)|(?:tls|ssl)=true)(?:&|$)/i;
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/i;
/** What does not go to the server; of a seed, only signatures do. */
const LOCAL = ["tls", "encryption", "nkey_seed"];

/** A password or token that whoever sits on the way can read. */
export function plainTransport({ parts }: Subject): Problem[] {
  return parts.flatMap((part) => {
    const url = plainUrl(part);
    if (!url) return [];
    const sent = credentialsOf(part).find(({ path }) => !LOCAL.includes(String(path[0])));
    if (!sent) return [];
    const message = `"${part.name}" sends a password or token to ${url.host} unencrypted`;
    const path = [...part.path, "url"];
    return [problem("warning", "MQB_LINT_PLAIN_TRANSPORT", path, message, `use ${PLAIN[url.scheme]}`)];
  });
}

/** The scheme of the URL of a configuration, without the colon. */
export function schemeOf(config: unknown): string | undefined {
  const url = isMap(config) ? config["url"] : undefined;
  return typeof url === "string" ? /^([a-z][a-z0-9+.-]*):\/\//i.exec(url)?.[1]?.toLowerCase() : undefined;
}

/** Whether a scheme is known to be unencrypted by itself. */
export function isPlainScheme(scheme: string): boolean {
  return Object.hasOwn(PLAIN, scheme);
}

/** The scheme and host of a URL that leaves the machine unencrypted. */
function plainUrl(part: Part): { readonly scheme: string; readonly host: string } | undefined {
  const block = settingOf(part, "tls");
  const scheme = schemeOf(part.config);
  if (scheme === undefined || !isPlainScheme(scheme) || (isMap(block) && block["required"] === true)) return undefined;
  const url = String(settingOf(part, "url"));
  if (ENCRYPTED.test(url)) return undefined;
  const authority = /^[^:]*:\/\/([^/?#]*)/.exec(url)![1]!;
  const host = /^(\[[^\]]*\]|[^:]*)/.exec(authority.slice(authority.lastIndexOf("@") + 1))![0];
  return LOOPBACK.test(host) || host === "" ? undefined : { scheme, host };
}
