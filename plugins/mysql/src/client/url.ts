/** What a URL of MySQL or MariaDB says. */
export interface Address {
  readonly host: string;
  readonly port: number;
  /** The path of a socket of this machine, instead of host and port. */
  readonly socket: string | undefined;
  readonly database: string | undefined;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly sslMode: SslMode | undefined;
  readonly sslCa: string | undefined;
  readonly sslCert: string | undefined;
  readonly sslKey: string | undefined;
}

export type SslMode = (typeof SSL_MODES)[number];

const SSL_MODES = ["DISABLED", "PREFERRED", "REQUIRED", "VERIFY_CA", "VERIFY_IDENTITY"] as const;
const PARAMETERS = ["ssl-mode", "sslmode", "ssl-ca", "ssl-cert", "ssl-key", "socket"];
const UNENCODED = "user and password hold signs that must be percent-encoded (/ ? # @): there is an @ behind the host";
const EXAMPLE = "mysql://user@host:port/database";

/** Reads `mysql://user:password@host:port/database?ssl-mode=…`; gives words instead when something is wrong with it. */
export function readAddress(url: string): Address | string {
  let parsed: URL;
  try {
    parsed = new URL(url.replace(/^mariadb:/i, "mysql:"));
  } catch {
    return `it is no URL; write ${EXAMPLE}`;
  }
  if (isCutByPassword(parsed)) return UNENCODED;
  const params = parsed.searchParams;
  for (const name of params.keys()) {
    if (!PARAMETERS.includes(name)) return `MySQL has no parameter "${name}" here; there are ${PARAMETERS.join(", ")}`;
  }
  const socket = params.get("socket") ?? undefined;
  if (parsed.hostname === "" && socket === undefined) return `it names no host; write ${EXAMPLE}`;
  const written = params.get("ssl-mode") ?? params.get("sslmode") ?? undefined;
  const sslMode = SSL_MODES.find((mode) => mode === written?.toUpperCase());
  if (written !== undefined && sslMode === undefined)
    return `ssl-mode is "${written}"; there are ${SSL_MODES.join(", ")}`;
  const path = decoded(parsed.pathname.slice(1));
  if (path.includes("/")) return `it names the database "${path}"; a name has no slash`;
  const given = (name: string): string | undefined => params.get(name) || undefined;
  if (given("ssl-ca") && !sslMode?.startsWith("VERIFY"))
    return "ssl-ca checks nothing without ssl-mode=VERIFY_CA or ssl-mode=VERIFY_IDENTITY";
  if (!given("ssl-cert") !== !given("ssl-key")) return "ssl-cert and ssl-key go together: one of them is missing";
  return {
    host: parsed.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: parsed.port === "" ? 3306 : Number(parsed.port),
    socket,
    database: path === "" ? undefined : path,
    username: parsed.username === "" ? undefined : decoded(parsed.username),
    password: parsed.password === "" ? undefined : decoded(parsed.password),
    sslMode,
    sslCa: given("ssl-ca"),
    sslCert: given("ssl-cert"),
    sslKey: given("ssl-key"),
  };
}

/** Without credentials. */
export function target(url: string): string {
  const address = readAddress(url);
  if (typeof address === "string") return "mysql";
  const { socket, host, port, database } = address;
  return `mysql://${socket ?? `${host}:${port}`}/${database ?? ""}`;
}

/** An `@` behind the host: a sign of the password has ended what stands before it. Nothing of such a URL may be shown. */
function isCutByPassword({ pathname, search, hash }: URL): boolean {
  return `${pathname}${search}${hash}`.includes("@");
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
