/** Tables of the original in databases, by who keeps them. */
export type StoreLayout = "positions" | "dedup" | "aggregate";

const DATABASE = /^(?:postgres|postgresql|mysql|mariadb|sqlite):/i;

/** Whether the URL of a store is of a database, where each middleware has tables of its own. */
export function isDatabase(url: string): boolean {
  return DATABASE.test(url);
}

/**
 * The URL of a store that shall be a table of this layout: the one that the URL names, or else `table`. The URL of anything
 * but a database stays as it is.
 */
export function inLayout(url: string, layout: StoreLayout, table: string): string {
  if (!isDatabase(url)) return url;
  return `${url}${url.includes("?") ? "&" : "?"}layout=${layout}&default_table=${table}`;
}

/** `mqb_dedup_orders`: the table of a route, for whom the original names it so. */
export function tableOfRoute(prefix: string, route: string): string {
  return `${prefix}_${route.replace(/[^A-Za-z0-9_]/g, "_")}`;
}
