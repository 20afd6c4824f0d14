import { createHash } from "node:crypto";
import type { Bound } from "@mqb/sql";
import { isElement, type PgType, quoteElement } from "../types.ts";

/** Rows as columns: one array of texts for each value, which the server turns into rows again. */
export interface Unnested {
  /** `unnest($1::…, $2::…) AS mqb_values(c0, c1)` */
  readonly from: string;
  /** How an expression names a value. */
  readonly names: readonly string[];
}

/** `ordinal`: a last column with the number of the row, from 1. */
export function unnested(types: readonly PgType[], { ordinal = false }: { readonly ordinal?: boolean } = {}): Unnested {
  const arrays = types.map((type, i) => `$${i + 1}::${isElement(type) ? type.sql : "pg_catalog.text"}[]`);
  const columns = types.map((_, i) => `c${i}`);
  const from = `unnest(${arrays.join(", ")})${ordinal ? " WITH ORDINALITY" : ""} AS mqb_values(${[...columns, ...(ordinal ? ["n"] : [])].join(", ")})`;
  const names = types.map((type, i) => (isElement(type) ? `mqb_values.c${i}` : `(mqb_values.c${i}::${type.sql})`));
  return { from, names };
}

/** The arrays for the rows, as texts. */
export function arraysOf(rows: readonly (readonly Bound[])[], width: number): string[] {
  const arrays: string[] = [];
  for (let value = 0; value < width; value++) {
    let text = "{";
    for (let i = 0; i < rows.length; i++) {
      const bound = rows[i]![value] as string | null | undefined;
      text += `${i === 0 ? "" : ","}${bound == null ? "NULL" : quoteElement(bound)}`;
    }
    arrays.push(`${text}}`);
  }
  return arrays;
}

/** A name for a prepared statement: the same for the same text. */
export function statementName(sql: string): string {
  return `mqb_${createHash("sha256").update(sql).digest("hex").slice(0, 24)}`;
}
