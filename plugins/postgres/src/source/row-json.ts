import type { ColumnInfo } from "@mqb/sql";
import { quoteIdentifier } from "@mqb/sql";
import { withoutQuotes } from "../types.ts";
import type { UserType } from "../user-types.ts";
import type { PageColumn } from "./page-rows.ts";

/** Elements that JSON has a form for: truth values, numbers, JSON itself. */
const OF_JSON = new Set([16, 20, 21, 23, 700, 701, 1700, 114, 3802]);

/** What is selected of each column, and how its text becomes JSON. `userTypes`: by column, of types that are not built in. */
export function pageColumns(
  columns: readonly ColumnInfo[],
  rfc3339: boolean,
  userTypes: ReadonlyMap<string, UserType>,
): PageColumn[] {
  return columns.map(({ name, type }) => {
    const c = quoteIdentifier(name);
    const column = (how: PageColumn["how"], sql: string): PageColumn => ({ name, sql, how });
    const plain = withoutQuotes(type);
    const user = userTypes.get(name);
    // `to_jsonb` alone would make objects of composite elements, which no array takes back.
    if (user?.kind === "array")
      return column("json", `to_jsonb(${c}${OF_JSON.has(user.element) ? "" : "::text[]"})::text`);
    if (user?.kind === "json") return column("json", `translate(${c}::text, E'\\n\\r', '  ')`);
    switch (plain) {
      case "pg_catalog.int2":
      case "pg_catalog.int4":
      case "pg_catalog.int8":
      case "pg_catalog.jsonb":
        return column("json", c);
      case "pg_catalog.bool":
        return column("bool", c);
      case "pg_catalog.float4":
        return column("float", `${c}::float8`);
      case "pg_catalog.float8":
        return column("float", c);
      case "pg_catalog.json":
        // It keeps the blanks it was written with; line breaks stand only between values.
        return column("json", `translate(${c}::text, E'\\n\\r', '  ')`);
      case "pg_catalog.bytea":
        return column("hex", c);
      case "pg_catalog.timestamptz":
        return rfc3339
          ? column("json", timeJson(c, `to_char(${c} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`))
          : column("text", c);
      case "pg_catalog.timestamp":
        return rfc3339 ? column("json", timeJson(c, `to_char(${c}, 'YYYY-MM-DD"T"HH24:MI:SS.US')`)) : column("text", c);
      case "pg_catalog.text":
      case "pg_catalog.varchar":
      case "pg_catalog.numeric":
      case "pg_catalog.date":
      case "pg_catalog.uuid":
        return column("text", c);
      default:
        // As a text it may be another one than COPY writes: without the padding of char(n).
        return /^pg_catalog\._/.test(plain) ? column("json", `to_jsonb(${c})::text`) : column("text", `${c}::text`);
    }
  });
}

/** A text between quotes; `standard_conforming_strings` is on. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** RFC 3339 knows no infinity and no year before 1: such a time is written as PostgreSQL does, which reads it back. */
function timeJson(c: string, written: string): string {
  return `CASE WHEN ${c} IS NULL THEN NULL WHEN isfinite(${c}) AND ${c} >= '0001-01-01' THEN '"' || ${written} || '"' ELSE to_json(${c}::text)::text END`;
}
