import type { Metadata } from "@mqb/core/plugin";
import { errors } from "../errors.ts";
import { METHOD, PATH, QUERY } from "../wire/headers.ts";
import { maskLogin } from "../wire/shown.ts";

/** Where a sink sends to. Scheme, host and port are those of the configuration, whatever a message says. */
export interface Target {
  readonly origin: string;
  readonly secure: boolean;
  /** Path and query. */
  readonly path: string;
  /** User and password of the URL. */
  readonly login: readonly [string, string] | undefined;
  /** For messages: without credentials and query. */
  readonly shown: string;
}

/** Throws a `config` error. */
export function parseTarget(url: string): Target {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    // Not as its cause: that has the whole of it.
    throw errors.URL({ url: maskLogin(url).replace(/\?.*$/s, ""), reason: "it is no URL" });
  }
  const { protocol, username, password, host, pathname, search, hash, origin } = parsed;
  const isHidden = username !== "" || password !== "" || hash.includes("@");
  const shown = host === "" ? maskLogin(url) : `${protocol}//${isHidden ? "***@" : ""}${host}${pathname}`;
  if (protocol !== "http:" && protocol !== "https:") {
    throw errors.URL({ url: shown, reason: `the scheme is ${protocol}//, not http:// or https://` });
  }
  if (hash !== "") throw errors.URL({ url: shown, reason: "a fragment is not sent" });
  return {
    origin,
    secure: protocol === "https:",
    path: pathname + search,
    login: username === "" && password === "" ? undefined : [decoded(username, shown), decoded(password, shown)],
    shown: origin + pathname,
  };
}

function decoded(text: string, shown: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw errors.URL({ url: shown, reason: "its user or password has a % without two hex digits; write %25 for it" });
  }
}

const METHOD_FORM = /^[A-Za-z][A-Za-z-]{0,31}$/;
const NEEDS_ENCODING = /[^\u0021\u0024-\u005b\u005d\u005f\u0061-\u007a\u007e]/;

/** The method that a message asks for. Throws a `permanent` error for what is none, and for those that open a tunnel. */
export function methodOf(metadata: Metadata, configured: string, target: Target): string {
  const asked = metadata.get(METHOD);
  if (asked === undefined || asked === "") return configured;
  const method = asked.toUpperCase();
  if (!METHOD_FORM.test(method) || method === "CONNECT" || method === "TRACE") {
    const reason = `http_method ${JSON.stringify(asked.slice(0, 40))} is not sent`;
    throw errors.BAD_REQUEST({ target: target.shown, reason });
  }
  return method;
}

/**
 * Path and query that a message asks for, in a form that every server reads as those: nothing in it can name another
 * host. `http_path` replaces the path and query of the URL, `http_query` the query.
 */
export function pathOf(metadata: Metadata, { path: configured }: Target): string {
  const path = metadata.get(PATH);
  const query = metadata.get(QUERY);
  if (path === undefined && query === undefined) return configured;
  const given = path === undefined || path === "" ? configured.replace(/\?.*$/s, "") : `/${path.replace(/^\/+/, "")}`;
  const whole = query === undefined || query === "" ? given : `${given}${given.includes("?") ? "&" : "?"}${query}`;
  return NEEDS_ENCODING.test(whole) ? encode(whole) : whole;
}

/** Percent signs are left alone: they are taken as encoded already. */
function encode(text: string): string {
  let out = "";
  for (const byte of Buffer.from(text, "utf8")) {
    const char = String.fromCharCode(byte);
    const isPlain = char === "%" || (byte < 0x7f && !NEEDS_ENCODING.test(char));
    out += isPlain ? char : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return out;
}
