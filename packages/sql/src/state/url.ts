import type { StoreLayout } from "@mqb/standard";

export interface StoreTable {
  /** The database's own URL. */
  readonly url: string;
  /** As the URL names it. */
  readonly table?: string;
  /** Where the URL names none. */
  readonly defaultTable?: string;
  /** What whoever opens it keeps there. */
  readonly layout?: StoreLayout;
}

const OWN = /^(?:table|layout|default_table)=/;

/**
 * Takes the table off a store's URL: `?table=name`, or, where a database is named before it, a last part of the path:
 * `postgres://host/db/name`; and what `inLayout` of @mqb/standard has put there.
 */
export function splitTable(written: string): StoreTable {
  const [head, query = ""] = splitOnce(written, "?");
  const params = query.split("&").filter((param) => param !== "");
  const parameter = (name: string): string | undefined => {
    const given = params.find((one) => one.startsWith(`${name}=`));
    return given === undefined ? undefined : decodeURIComponent(given.slice(name.length + 1));
  };
  const named = parameter("table");
  const inPath = named === undefined ? tableInPath(head) : undefined;
  const base = inPath === undefined ? head : head.slice(0, head.lastIndexOf("/"));
  const others = params.filter((param) => !OWN.test(param));
  const table = named ?? inPath;
  const [layout, defaultTable] = [parameter("layout"), parameter("default_table")];
  return {
    url: others.length > 0 ? `${base}?${others.join("&")}` : base,
    ...(table === undefined ? {} : { table }),
    ...(defaultTable === undefined ? {} : { defaultTable }),
    ...(layout === undefined ? {} : { layout: layout as StoreLayout }),
  };
}

function tableInPath(head: string): string | undefined {
  // With an @ it may be a part of a password, which is not to be shown.
  // A path of SQLite is a file's: whatever its last part is named.
  if (/^sqlite:/i.test(head)) return undefined;
  return /^[a-z]+:\/\/[^/]*\/[^/]+\/([^/@]+)$/i.exec(head)?.[1];
}

function splitOnce(text: string, at: string): [string, string?] {
  const index = text.indexOf(at);
  return index < 0 ? [text] : [text.slice(0, index), text.slice(index + 1)];
}
