import { isMqbError, MqbError } from "@mqb/core/plugin";
import { isSecretName } from "../redact/secret-names.ts";
import { redactUri } from "../redact/uri.ts";
import { parseLiteral } from "./literal.ts";

const HIDDEN = "***";
/** Pieces of a password that are shorter stand in too many words. */
const SHORTEST = 3;
/** Each level of nesting is encoded once more. */
const MAX_LEVELS = 6;

/**
 * Runs what reads a URI. An error that quotes a part of a secret in it (a password with an `&` in it looks like two
 * parameters) has that part replaced by `***`.
 */
export function withoutSecretsOf<T>(uri: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw isMqbError(error) ? hiding(secretPieces(uri), error) : error;
  }
}

/** A URI as it may be shown, also with a password that holds a `|` or a space. */
export function shownUri(uri: string): string {
  // A user and a password without a scheme before them.
  const bare = uri.replace(/^(\/\/[^:@/?#]*|[a-z]):(?!\/\/)[^@]*@/i, `$1:${HIDDEN}@`);
  const whole = userPasswords(uri).filter((password) => /[|\s"]/.test(password));
  return redactUri(whole.reduce((text, password) => text.replaceAll(`:${password}@`, `:${HIDDEN}@`), bare));
}

function hiding(pieces: readonly string[], error: MqbError): MqbError {
  const hide = (text: string): string => pieces.reduce((shown, piece) => shown.replaceAll(piece, HIDDEN), text);
  const message = hide(error.message);
  const hint = error.hint === undefined ? undefined : hide(error.hint);
  const cause = isMqbError(error.cause) ? hiding(pieces, error.cause) : error.cause;
  if (message === error.message && hint === error.hint && cause === error.cause) return error;
  return new MqbError(error.code, error.kind, message, { ...(hint === undefined ? {} : { hint }), cause });
}

/** What must not be quoted, the longest first. */
function secretPieces(uri: string): string[] {
  const found = new Set<string>();
  let text = uri;
  for (let level = 0; level < MAX_LEVELS; level++) {
    for (const secret of [...userPasswords(text), ...secretParams(text)]) {
      for (const piece of [secret, ...secret.split(/[?&|=#/@:;,\s]+/)]) {
        if (piece.length < SHORTEST) continue;
        found.add(piece);
        found.add(decoded(piece));
        found.add(piece.toLowerCase());
        found.add(piece.replaceAll("-", "_"));
      }
    }
    const inner = decoded(text);
    if (inner === text) break;
    text = inner;
  }
  return [...found].sort((a, b) => b.length - a.length);
}

/** Everything between the user's colon and the last `@` that may belong to it: a password may hold any character. */
function userPasswords(text: string): string[] {
  return [...text.matchAll(/[a-z0-9+._-]:\/\/([^:@/?#|]*)(:?)/gi)].flatMap((match) => {
    const [start, user, colon] = match;
    const rest = text.slice(match.index + start.length);
    const next = rest.search(/[?&][\w.-]+=[a-z][a-z0-9+._-]{0,31}:/i);
    const own = next < 0 ? rest : rest.slice(0, next);
    const pipe = own.indexOf("|");
    // An `@` behind the first `|` belongs to a middleware, unless nothing before it looks like a host.
    const isHost = /^\d{1,5}(?:[/?|]|$)/.test(own);
    const until = pipe >= 0 && (own.slice(0, pipe).includes("@") || isHost) ? own.slice(0, pipe) : own;
    const at = until.lastIndexOf("@");
    if (at < 0) return [];
    if (colon === "") return rest.startsWith("@") && user !== "" ? [user!] : [];
    return isHost && /[?&][\w.-]+=[^&]*$/.test(until.slice(0, at)) ? [] : [until.slice(0, at)];
  });
}

/** Values of parameters with secret names, and such members of JSON literals. */
function secretParams(text: string): string[] {
  return [...text.matchAll(/[?&|]([^=&?|\s]{1,200})=([^&|]*)/g)].flatMap(([, name, value]) => {
    if (isSecretName(decoded(name!).split(".").at(-1)!) || /(?:^|\.)(?:key|decrypt_keys)$/.test(name!)) {
      return [value!, ...texts(parseLiteral(value!), true)];
    }
    return texts(parseLiteral(decoded(value!)) ?? parseLiteral(value!), false);
  });
}

function texts(value: unknown, isSecret: boolean): string[] {
  if (typeof value === "string") return isSecret ? [value] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    texts(member, isSecret || isSecretName(name) || name === "key"),
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
