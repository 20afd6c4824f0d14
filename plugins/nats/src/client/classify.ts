import { isMqbError, type MqbError } from "@mqb/core/plugin";
import { type TlsConfig, tlsFailure } from "@mqb/tls";
import type { Status } from "nats";
import { errors } from "../errors.ts";

/** Codes of the driver, which are texts; the package is not imported for them. */
const LOGIN = new Set(["AUTHORIZATION_VIOLATION", "BAD_AUTHENTICATION", "BAD_CREDS", "ACCOUNT_EXPIRED"]);
/** A server that is too busy to check a login in time, or has too many connections, may take it later. */
const REFUSALS = /authorization violation|authentication(?! timeout)/i;

export const NO_ANSWER = "the server does not answer";

export interface Peer {
  readonly target: string;
  /** How we log in, for messages. */
  readonly how: string;
  readonly tls: TlsConfig | null | undefined;
}

/** What a failed connection means: a wrong login or TLS that cannot work is `config`, everything else may pass. */
export function connectFailure(cause: unknown, { target, how, tls }: Peer): MqbError {
  if (isMqbError(cause)) return cause;
  const tlsError = tlsFailure(chained(cause), target, tls);
  if (tlsError) return tlsError;
  const { code, message = "" } = (cause ?? {}) as { code?: string; message?: string };
  if (code !== undefined && LOGIN.has(code)) return errors.LOGIN({ target, how });
  if (code === "AUTHENTICATION_EXPIRED") return errors.LOGIN({ target, how: `${how}, which has expired` });
  if (code === "SERVER_OPTION_NOT_AVAILABLE" || (code === "SERVER_OPT_NA" && /tls/.test(message))) {
    return errors.NO_TLS({ target });
  }
  if (REFUSALS.test(message)) return errors.LOGIN({ target, how });
  return errors.UNREACHABLE({ target }, cause === undefined ? {} : { cause: readable(cause) });
}

/** Why a connection that had worked has ended. */
export function lostBy(cause: unknown, target: string): MqbError {
  if (isMqbError(cause)) return cause;
  const { code, message } = (cause ?? {}) as { code?: string; message?: string };
  const reason = code === "STALE_CONNECTION" ? NO_ANSWER : message || code || "it was ended";
  return errors.LOST({ target, reason }, cause === undefined ? {} : { cause });
}

/** What the server does not permit, by a status of the driver; undefined for every other status. */
export function deniedSubject(status: Status): { readonly subject: string; readonly what: string } | undefined {
  const context = (status as { permissionContext?: { operation?: string; subject?: string } }).permissionContext;
  if (context?.subject === undefined) return undefined;
  const verb = context.operation === "publish" ? "publish to" : "subscribe to";
  return { subject: context.subject, what: `${verb} ${context.subject}` };
}

/** The driver keeps what it wraps in `chainedError`. */
function chained(error: unknown): unknown {
  const { chainedError } = (error ?? {}) as { chainedError?: unknown };
  return chainedError ?? error;
}

/** The driver's own texts are codes. */
function readable(cause: unknown): unknown {
  const inner = chained(cause);
  const { code } = (cause ?? {}) as { code?: string };
  if (inner !== cause) return inner;
  if (code === "TIMEOUT" || code === "CONNECTION_TIMEOUT") return new Error("it does not answer");
  if (code === "CONNECTION_REFUSED") return new Error("nobody listens there");
  return cause;
}
