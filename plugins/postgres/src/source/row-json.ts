import type { ColumnInfo } from "@mqb/sql";
import { quoteIdentifier } from "@mqb/sql";
import { withoutQuotes } from "../types.ts";

/** The SQL of a text: one JSON object for a row, without line breaks. */
export function rowJson(columns: readonly ColumnInfo[], rfc3339: boolean): string {
  const members = columns.map(
    (column, i) =>
      `${literal(`${i === 0 ? "{" : ","}${JSON.stringify(column.name)}:`)} || ${valueJson(column, rfc3339)}`,
  );
  return `${members.join(" || ")} || '}'`;
}

/** A text between quotes; `standard_conforming_strings` is on. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function valueJson({ name, type }: ColumnInfo, rfc3339: boolean): string {
  const c = quoteIdentifier(name);
  const orNull = (sql: string): string => `coalesce(${sql}, 'null')`;
  const inQuotes = (sql: string): string => orNull(`'"' || ${sql} || '"'`);
  const plain = withoutQuotes(type);
  switch (plain) {
    case "pg_catalog.int2":
    case "pg_catalog.int4":
    case "pg_catalog.int8":
    case "pg_catalog.bool":
      return orNull(`${c}::text`);
    case "pg_catalog.float4":
    case "pg_catalog.float8":
      return floatJson(`${c}::float8`);
    case "pg_catalog.jsonb":
      return orNull(`${c}::text`);
    case "pg_catalog.json":
      // It keeps the blanks it was written with; line breaks stand only between values.
      return orNull(`translate(${c}::text, E'\\n\\r', '  ')`);
    case "pg_catalog.bytea":
      return inQuotes(`encode(${c}, 'hex')`);
    case "pg_catalog.timestamptz":
      return rfc3339 ? timeJson(c, `to_char(${c} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`) : textJson(c);
    case "pg_catalog.timestamp":
      return rfc3339 ? timeJson(c, `to_char(${c}, 'YYYY-MM-DD"T"HH24:MI:SS.US')`) : textJson(c);
    default:
      return /^pg_catalog\._/.test(plain) ? orNull(`to_jsonb(${c})::text`) : textJson(c);
  }
}

function textJson(c: string): string {
  return `coalesce(to_json(${c}::text)::text, 'null')`;
}

/** With a point or an exponent, so that it stays a real; what JSON does not have is null. */
function floatJson(c: string): string {
  return `CASE WHEN ${c} IS NULL OR ${c} IN ('NaN', 'Infinity', '-Infinity') THEN 'null' WHEN abs(${c}) < 1e15 AND ${c} = trunc(${c}) THEN ${c}::text || '.0' ELSE ${c}::text END`;
}

/** RFC 3339 knows no infinity and no year before 1: such a time is written as PostgreSQL does, which reads it back. */
function timeJson(c: string, written: string): string {
  return `CASE WHEN isfinite(${c}) AND ${c} >= '0001-01-01' THEN '"' || ${written} || '"' ELSE ${textJson(c)} END`;
}
