import { isMqbError, MqbError } from "@mqb/core/plugin";
import { isSecretName } from "../redact/secret-names.ts";
import { secretText } from "../redact/secret-text.ts";
import { redactUri } from "../redact/uri.ts";
import { oddPasswords, userPasswords } from "../redact/user-passwords.ts";
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
  const parts: string[] = [];
  let at = 0;
  for (const { from, to } of oddPasswords(uri)) {
    parts.push(uri.slice(at, from), HIDDEN);
    at = to;
  }
  const whole = parts.join("") + uri.slice(at);
  // A user and a password without a scheme before them.
  return redactUri(whole.replace(/^(\/\/[^:@/?#]*|[a-z]):(?!\/\/)[^@]*@/i, `$1:${HIDDEN}@`));
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
    const whole = text;
    const passwords = userPasswords(whole).map(({ from, to }) => whole.slice(from, to));
    for (const secret of [...passwords, ...secretParams(text)]) {
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
  const text = secretText(value);
  if (text !== undefined) return isSecret ? [text] : [];
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
