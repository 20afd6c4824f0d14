import { errors } from "../errors.ts";

/** A `url` taken apart. */
export interface Servers {
  /** `host:port`, for the driver. */
  readonly list: readonly string[];
  readonly tls: boolean;
  readonly user?: string;
  readonly password?: string;
  readonly token?: string;
  /** The list as text, without credentials. */
  readonly target: string;
}

const DEFAULT_PORT = 4222;

/**
 * Reads the comma list of a `url`. The driver would take the digits of a password for the port, and log the rest, so
 * nothing but hosts is given to it. Throws a `config` error.
 */
export function parseServers(url: string): Servers {
  let tls = false;
  let login: Pick<Servers, "user" | "password" | "token"> = {};
  const list: string[] = [];
  for (const part of split(url)) {
    const server = part.trim();
    if (server === "") continue;
    const [, scheme = "nats", rest = ""] = /^(?:([a-z][a-z0-9+.-]*):\/\/)?(.*)$/is.exec(server)!;
    if (!/^(nats|tls)$/i.test(scheme)) throw errors.URL({ reason: `${scheme}:// is not a scheme of NATS` });
    if (scheme.toLowerCase() === "tls") tls = true;
    const at = rest.lastIndexOf("@");
    if (at >= 0) login = readLogin(rest.slice(0, at));
    list.push(readHost(rest.slice(at + 1)));
  }
  if (list.length === 0) throw errors.URL({ reason: "it names no server" });
  return { list, tls, ...login, target: list.join(",") };
}

/** At the commas between servers; one in a password is none. */
function split(url: string): string[] {
  return url.split(/,(?=\s*[a-z][a-z0-9+.-]*:\/\/)/i).flatMap((part) => {
    const at = part.lastIndexOf("@");
    if (at < 0 || part.indexOf("@") !== at) return part.split(",");
    const [first = "", ...more] = part.slice(at).split(",");
    return [part.slice(0, at) + first, ...more];
  });
}

function readLogin(text: string): Pick<Servers, "user" | "password" | "token"> {
  const colon = text.indexOf(":");
  if (colon < 0) return { token: decode(text) };
  return { user: decode(text.slice(0, colon)), password: decode(text.slice(colon + 1)) };
}

function readHost(text: string): string {
  const [, host = "", port = `${DEFAULT_PORT}`, rest = ""] =
    /^(\[[0-9a-f:.%]+\]|[^:/?#\s]*)(?::(\d+))?(.*)$/is.exec(text) ?? [];
  if (rest.replace(/^\/$/, "") !== "") {
    throw errors.URL({ reason: `behind the host ${host} stands something that is not a port; the subject is a field` });
  }
  if (host === "") throw errors.URL({ reason: "a server has no host" });
  if (Number(port) < 1 || Number(port) > 65_535) throw errors.URL({ reason: `${port} is no port` });
  return `${host}:${port}`;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
