const SQL = /^(?:postgres|postgresql|mysql|mariadb|sqlite):/i;

/**
 * The URL of a SQL store that shall keep positions, in this table unless it names one itself. Other URLs stay as they are.
 */
export function forPositions(url: string, table: string): string {
  if (!SQL.test(url)) return url;
  const named = splitTable(url);
  const { url: plain } = named;
  return `${plain}${plain.includes("?") ? "&" : "?"}table=${named.table ?? table}&layout=positions`;
}

/**
 * Takes the table off a store's URL: `?table=name`, or, where a database is named before it, a last part of the path:
 * `postgres://host/db/name`.
 */
export function splitTable(url: string): StoreTable {
  const table = tableIn(url);
  if (table === undefined) return { url, keepsPositions: false };
  const [head, query = ""] = splitOnce(url, "?");
  const params = query.split("&").filter((param) => param !== "");
  const others = params.filter((param) => !/^(?:table|layout)=/.test(param));
  const isInPath = !params.some((param) => param.startsWith("table="));
  const base = isInPath ? head.slice(0, head.lastIndexOf("/")) : head;
  const keepsPositions = params.includes("layout=positions");
  return { url: others.length > 0 ? `${base}?${others.join("&")}` : base, table, keepsPositions };
}

interface StoreTable {
  readonly url: string;
  readonly table?: string;
  /** Said by whoever keeps positions there: the table has the columns of those. */
  readonly keepsPositions: boolean;
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
