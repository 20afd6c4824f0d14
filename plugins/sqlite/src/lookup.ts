import type { Encoder } from "@mqb/sql";
import { type PreparedLookup, quoteIdentifier, type StatementPieces, sqlErrors } from "@mqb/sql";
import { hasCast, textValue } from "./cast.ts";
import type { Session } from "./client/session.ts";
import { sqlOf, valuesOf } from "./insert.ts";
import { RowJson } from "./row-json.ts";
import { tokenEncoder } from "./values.ts";

/** The rows of a batch in one transaction: each sees what the ones before it have written. */
export async function prepareLookup(session: Session, query: StatementPieces): Promise<PreparedLookup> {
  const { sql, order } = sqlOf(query);
  const columns = await session.use(() => session.prepare(sql).columns());
  if (columns.length === 0) {
    throw sqlErrors.STATEMENT({ field: "lookup_query", reason: "it gives no row; a writing one needs RETURNING" });
  }
  const reads = /^\s*(?:select|with)\b/i.test(sql) && !/\b(?:insert|update|delete|replace)\b/i.test(sql);
  const around = reads ? quoting(columns) : undefined;
  const json = new RowJson(columns, { textsAreJson: around !== undefined });
  const asked = (text: string): string => (around === undefined ? text : around(text));
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
 * A query around a query, in which the database quotes texts itself, also those with a NUL character in them. Undefined where
 * two columns have one name.
 */
function quoting(columns: readonly { readonly name: string }[]): ((sql: string) => string) | undefined {
  const names = columns.map(({ name }) => name);
  if (new Set(names.map((name) => name.toLowerCase())).size < names.length) return undefined;
  const fields = names.map((name) => {
    const column = quoteIdentifier(name);
    return `CASE typeof(${column}) WHEN 'text' THEN json_quote(${column}) ELSE ${column} END`;
  });
  return (sql) => `SELECT ${fields.join(", ")} FROM (${sql.replace(/;\s*$/, "")}\n)`;
}
