import type { Encoder } from "@mqb/sql";
import { type PreparedLookup, type StatementPieces, sqlErrors } from "@mqb/sql";
import { hasCast, textValue } from "./cast.ts";
import type { Session } from "./client/session.ts";
import { sqlOf, valuesOf } from "./insert.ts";
import { quotingText, RowJson } from "./row-json.ts";
import { tokenEncoder } from "./values.ts";

/** The rows of a batch in one transaction: each sees what the ones before it have written. */
export async function prepareLookup(session: Session, query: StatementPieces): Promise<PreparedLookup> {
  const { sql, order } = sqlOf(query);
  const columns = await session.use(() => session.prepare(sql).columns());
  if (columns.length === 0) {
    throw sqlErrors.STATEMENT({ field: "lookup_query", reason: "it gives no row; a writing one needs RETURNING" });
  }
  const reads = /^\s*(?:select|with)\b/i.test(sql) && !/\b(?:insert|update|delete|replace)\b/i.test(sql);
  const json = new RowJson(columns, { textsAreJson: reads });
  const asked = (text: string): string => (reads ? quoting(text, columns.length) : text);
  return {
    encoders: order.map((): Encoder => tokenEncoder),
    text: (_value, text) => textValue(text),
    async ask(rows) {
      const look = (): (Buffer | undefined)[] => {
        return rows.map((row) => {
          const statement = session.prepare(asked(hasCast(row) ? sqlOf(query, row).sql : sql));
          const found = statement.get(...valuesOf(order, row)) as unknown[] | undefined;
          return found && Buffer.from(json.text(found));
        });
      };
      return reads ? session.use(look) : session.transaction(look);
    },
  };
}

/**
 * A query around a query, in which the database quotes texts itself, also those with a NUL character in them. Columns go by
 * their place: what SQLite calls them is the text of the statement, which differs where a value is cast.
 */
function quoting(sql: string, columns: number): string {
  const names = Array.from({ length: columns }, (_, i) => `c${i}`);
  return `WITH mqb_row(${names.join(", ")}) AS (${sql.replace(/;\s*$/, "")}\n) SELECT ${names.map(quotingText).join(", ")} FROM mqb_row`;
}
