/** What a URL of PostgreSQL says. */
export interface Address {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly sslMode: SslMode | undefined;
  readonly applicationName: string;
  readonly options: string | undefined;
}

export type SslMode = (typeof SSL_MODES)[number];

const SSL_MODES = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"] as const;
const UNENCODED = "user and password hold signs that must be percent-encoded (/ ? # @): there is an @ behind the host";
const PARAMETERS = ["sslmode", "ssl-mode", "application_name", "options"];

/** Reads `postgres://user:password@host:port/database?sslmode=…`; gives words instead when something is wrong with it. */
export function readAddress(url: string): Address | string {
  let parsed: URL;
  try {
    parsed = new URL(url.replace(/^postgresql:/i, "postgres:"));
  } catch {
    return "it is no URL; write postgres://user@host:port/database";
  }
  if (isCutByPassword(parsed)) return UNENCODED;
  if (parsed.hostname === "") return "it names no host; write postgres://user@host:port/database";
  for (const name of parsed.searchParams.keys()) {
    if (!PARAMETERS.includes(name))
      return `PostgreSQL has no parameter "${name}" here; there are ${PARAMETERS.join(", ")}`;
  }
  const written = parsed.searchParams.get("sslmode") ?? parsed.searchParams.get("ssl-mode") ?? undefined;
  const sslMode = SSL_MODES.find((mode) => mode === written);
  if (written !== undefined && sslMode === undefined)
    return `sslmode is "${written}"; there are ${SSL_MODES.join(", ")}`;
  const path = decoded(parsed.pathname.slice(1));
  if (path.includes("/")) return `it names the database "${path}"; a name has no slash`;
  const username = parsed.username === "" ? undefined : decoded(parsed.username);
  return {
    host: parsed.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: parsed.port === "" ? 5432 : Number(parsed.port),
    database: path === "" ? (username ?? "postgres") : path,
    username,
    password: parsed.password === "" ? undefined : decoded(parsed.password),
    sslMode,
    applicationName: parsed.searchParams.get("application_name") ?? "mqb",
    options: parsed.searchParams.get("options") ?? undefined,
  };
}

/** Without credentials. */
export function target(url: string): string {
  const address = readAddress(url);
  if (typeof address === "string") return "postgres";
  return `postgres://${address.host}:${address.port}/${address.database}`;
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
