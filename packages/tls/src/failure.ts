import type { MqbError } from "@mqb/core/plugin";
import type { TlsConfig } from "./config.ts";
import { errors } from "./errors.ts";

const NAME = new Set(["ERR_TLS_CERT_ALTNAME_INVALID", "HOSTNAME_MISMATCH"]);
const TIME = new Set(["CERT_HAS_EXPIRED", "CERT_NOT_YET_VALID"]);
const TRUST = new Set([
  "CERT_CHAIN_TOO_LONG",
  "CERT_REJECTED",
  "CERT_REVOKED",
  "CERT_SIGNATURE_FAILURE",
  "CERT_UNTRUSTED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "INVALID_CA",
  "INVALID_PURPOSE",
  "PATH_LENGTH_EXCEEDED",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);
/** What OpenSSL makes of an answer in another protocol. */
const PLAIN = new Set(["ERR_SSL_WRONG_VERSION_NUMBER", "ERR_SSL_PACKET_LENGTH_TOO_LONG", "ERR_SSL_HTTP_REQUEST"]);
/** The other side ended the handshake for good. Alerts of a connection that worked (a bad record) are not among them. */
const ALERT =
  /^ERR_SSL_\w*ALERT_(\w*CERTIFICATE\w*|UNKNOWN_CA|HANDSHAKE_FAILURE|PROTOCOL_VERSION|ACCESS_DENIED|NO_APPLICATION_PROTOCOL|INSUFFICIENT_SECURITY|UNRECOGNIZED_NAME)$|^ERR_SSL_(UNSUPPORTED_PROTOCOL|NO_SHARED_CIPHER|SSLV3_ALERT_HANDSHAKE_FAILURE)$/;

/**
 * The coded `config` error of a handshake that no retry mends: an unknown authority, another name, a certificate out of
 * its time, a refused client certificate, a port that does not speak TLS. Found through causes and aggregates, as
 * drivers wrap them. Undefined for anything else. `target` is host and port, without credentials.
 */
export function tlsFailure(error: unknown, target: string, tls?: TlsConfig | null): MqbError | undefined {
  for (const link of links(error)) {
    const code = codeOf(link);
    if (code === undefined) continue;
    const reason = reasonOf(link, code);
    if (NAME.has(code)) return errors.WRONG_NAME({ target, reason: namesIn(link) ?? reason }, { cause: error });
    if (TIME.has(code)) return errors.NOT_VALID_NOW({ target, reason }, { cause: error });
    if (TRUST.has(code)) return errors.UNTRUSTED({ target, reason, ca: tls?.ca_file ?? undefined }, { cause: error });
    if (PLAIN.has(code)) return errors.NOT_TLS({ target, reason }, { cause: error });
    if (ALERT.test(code)) return errors.REFUSED({ target, reason, sent: Boolean(tls?.cert_file) }, { cause: error });
  }
  return undefined;
}

/** OpenSSL's texts carry addresses and source lines of it; its `reason` says the same in words. */
function reasonOf(link: object, code: string): string {
  const { reason, message } = link as { reason?: unknown; message?: unknown };
  if (typeof reason === "string" && reason !== "") return reason.replace(/\.$/, "");
  const written = inWrite(link);
  if (written !== undefined) return written;
  return typeof message === "string" && !message.includes(":error:") ? message : code;
}

/** For which names the certificate is: what the reader has to compare. */
function namesIn(link: object): string | undefined {
  const { cert } = link as { cert?: { subjectaltname?: unknown } };
  return typeof cert?.subjectaltname === "string" ? `it holds ${cert.subjectaltname}` : undefined;
}

function codeOf(link: object): string | undefined {
  const written = inWrite(link);
  if (written !== undefined) return `ERR_SSL_${written.toUpperCase().replaceAll(" ", "_")}`;
  const { code } = link as { code?: unknown };
  return typeof code === "string" ? code : undefined;
}

/** A handshake that fails while something is written has the system's code EPROTO, and OpenSSL's reason in its text. */
function inWrite(link: object): string | undefined {
  const { code, message } = link as { code?: unknown; message?: unknown };
  if (code !== "EPROTO" || typeof message !== "string") return undefined;
  return /:SSL routines:[^:]*:([^:]+):/.exec(message)?.[1];
}

function* links(error: unknown, seen = new Set<unknown>()): Generator<object> {
  if (typeof error !== "object" || error === null || seen.has(error)) return;
  seen.add(error);
  yield error;
  const {
    cause,
    errors: many,
    originalError,
  } = error as { cause?: unknown; errors?: unknown; originalError?: unknown };
  for (const one of Array.isArray(many) ? many : []) yield* links(one, seen);
  yield* links(cause, seen);
  yield* links(originalError, seen);
}
