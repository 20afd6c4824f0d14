const SQL = /^(?:postgres|postgresql|mysql|mariadb|sqlite):/i;

/** The URL of a SQL store with the table that it shall use, unless it names one. Other URLs stay as they are. */
export function withTable(url: string, table: string): string {
  if (!SQL.test(url) || tableIn(url) !== undefined) return url;
  return `${url}${url.includes("?") ? "&" : "?"}table=${table}`;
}

/**
 * Takes the table off a store's URL: `?table=name`, or, where a database is named before it, a last part of the path:
 * `postgres://host/db/name`.
 */
export function splitTable(url: string): { readonly url: string; readonly table?: string } {
  const table = tableIn(url);
  if (table === undefined) return { url };
  const [head, query = ""] = splitOnce(url, "?");
  const params = query.split("&").filter((param) => param !== "" && !param.startsWith("table="));
  const isInPath = params.length === query.split("&").filter((param) => param !== "").length;
  const base = isInPath ? head.slice(0, head.lastIndexOf("/")) : head;
  return { url: params.length > 0 ? `${base}?${params.join("&")}` : base, table };
}

function tableIn(url: string): string | undefined {
  const [head, query = ""] = splitOnce(url, "?");
  const param = query.split("&").find((one) => one.startsWith("table="));
  if (param !== undefined) return decodeURIComponent(param.slice("table=".length));
  // A path of SQLite is a file's: whatever its last part is named.
  if (/^sqlite:/i.test(url)) return undefined;
  return /^[a-z]+:\/\/[^/]*\/[^/]+\/([^/]+)$/i.exec(head)?.[1];
}

function splitOnce(text: string, at: string): [string, string?] {
  const index = text.indexOf(at);
  return index < 0 ? [text] : [text.slice(0, index), text.slice(index + 1)];
}
