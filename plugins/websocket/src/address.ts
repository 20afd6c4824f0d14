import { websocketErrors } from "./errors.ts";

/** Where an input listens. */
export interface ListenAddress {
  /** Empty = every interface. */
  readonly host: string;
  readonly port: number;
  /** Written as `wss://`. */
  readonly secure: boolean;
  /** Written as `ws://`. */
  readonly plain: boolean;
  /** A path behind the port, if one is written. */
  readonly path: string | undefined;
}

const LISTEN = /^(?:(wss?):\/\/)?(\[[0-9a-f:.%]*\]|[^:/?#@[\]]*):(\d{1,5})(\/[^?#]*)?$/i;
const ANY_HOST = new Set(["", "*", "[]"]);

/** Throws a `config` error for what is no address to listen on. */
export function listenAddress(url: string): ListenAddress {
  const [, scheme, host, digits, path] = LISTEN.exec(url) ?? [];
  const port = Number(digits);
  if (host === undefined || port > 65_535) throw websocketErrors.ADDRESS({ url: withoutLogin(url), reason: why(url) });
  return {
    host: ANY_HOST.has(host) ? "" : host.replace(/^\[(.*)\]$/, "$1"),
    port,
    secure: scheme?.toLowerCase() === "wss",
    plain: scheme?.toLowerCase() === "ws",
    path: path === "/" ? undefined : path,
  };
}

function why(url: string): string {
  if (/@/.test(url)) return "it holds a user; clients log in by `basic_auth`";
  if (/[?#]/.test(url)) return "an address has no query and no fragment";
  if (/^https?:/i.test(url)) return "it is an HTTP URL";
  if (/:\d+(\/|$)/.test(url)) return "it is no host and port";
  return "it has no port";
}

/** As messages and `details.bound_addr` show it. */
export function addressText({ host, port }: { readonly host: string; readonly port: number }): string {
  return `${host.includes(":") ? `[${host}]` : host || "*"}:${port}`;
}

/** The server that an output connects to. */
export interface Target {
  readonly url: string;
  readonly secure: boolean;
  /** Without user, password and query. */
  readonly text: string;
  /** Host and port, for TLS errors. */
  readonly host: string;
}

/** Throws a `config` error for what is no URL of a WebSocket server. */
export function targetOf(url: string): Target {
  const refuse = (reason: string): Error => websocketErrors.URL({ url: withoutLogin(url), reason });
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(url)) throw refuse("it does not begin with ws:// or wss://");
  if (!URL.canParse(url)) throw refuse("it is no URL");
  const { protocol, host, port, hostname, pathname, hash } = new URL(url);
  if (protocol !== "ws:" && protocol !== "wss:") throw refuse(`"${protocol}//" is no scheme of WebSockets`);
  if (hash !== "") throw refuse("a fragment (#…) is not sent to servers");
  const secure = protocol === "wss:";
  return {
    url,
    secure,
    text: `${protocol}//${host}${pathname}`,
    host: port === "" ? `${hostname}:${secure ? 443 : 80}` : host,
  };
}

/** A URL of somebody else, for messages: without login, query and fragment. */
export function shownUrl(url: string): string {
  return withoutLogin(url.replace(/[\u0000-\u001f\u007f]/g, "?")).slice(0, 200);
}

function withoutLogin(url: string): string {
  // What cannot be parsed may hold a password with any character, also with a slash or a question mark.
  const at = url.lastIndexOf("@");
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(url)?.[0] ?? "";
  const shown = at < 0 ? url : `${scheme}…${url.slice(at)}`;
  return shown.replace(/[?#].*$/s, (rest) => `${rest[0]}…`);
}
