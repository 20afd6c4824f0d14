import { inLayout, tableOfRoute } from "@mqb/standard";

/** The stores that states can be kept in. One of MySQL is refused, as the original does. */
export const SCHEMES: readonly string[] = [
  "file",
  "memory",
  "postgres",
  "postgresql",
  "sqlite",
  "mongodb",
  "mongodb+srv",
];

/** The scheme of a store's URL; a bare path is a file. */
export function schemeOf(url: string): string {
  return /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase() ?? "file";
}

/** Whether a store is one place for everybody, where states need a name in front of their keys. A database has tables. */
export function isOnePlace(url: string): boolean {
  return ["file", "memory"].includes(schemeOf(url));
}

/** The store as it is opened: in a database a table of its own, named by the route unless the URL names one. */
export function placeOf(url: string, route: string): string {
  return inLayout(url, "aggregate", tableOfRoute("mqb_aggregate", route));
}

/** What stands before the keys of the states of an aggregate. */
export function prefixOf(url: string, table: string | undefined, route: string): string {
  if (!isOnePlace(url)) return "";
  return `${table ?? tableOfRoute("mqb_aggregate", route)}/`;
}
