import {
  type Bound,
  type Encoder,
  type InsertPlan,
  type PreparedInsert,
  quoteIdentifier,
  type StatementPieces,
} from "@mqb/sql";
import { Cast, hasCast, textValue } from "./cast.ts";
import type { Session } from "./client/session.ts";
import { columnEncoder, tokenEncoder } from "./values.ts";

/** Values of one statement; more of them at once make it slower, not faster. */
const VALUES_AT_ONCE = 200;

/** Rows of several statements, all in one transaction. */
export function prepareInsert(session: Session, plan: InsertPlan): PreparedInsert {
  const { encoders, whole, repeated } = plan.kind === "columns" ? columnStatement(plan) : templateStatement(plan);
  const width = encoders.length;
  const rowsAtOnce = repeated === undefined ? 1 : Math.max(1, Math.floor(VALUES_AT_ONCE / Math.max(1, width)));
  const single = sqlOf(whole);
  const many = repeated === undefined || rowsAtOnce === 1 ? undefined : repeatedSql(repeated, rowsAtOnce);
  return {
    encoders,
    text: (_value, text) => textValue(text),
    bytes: (_value, bytes) => bytes,
    async execute(rows) {
      await session.transaction(() => {
        let at = 0;
        while (at < rows.length) {
          const plain = plainRows(rows, at, rowsAtOnce);
          if (many !== undefined && plain === rowsAtOnce) {
            const values: Bound[] = [];
            for (let i = at; i < at + rowsAtOnce; i++) for (const value of many.order) values.push(rows[i]![value]);
            session.prepare(many.sql).run(...values);
            at += rowsAtOnce;
          } else {
            const row = rows[at++]!;
            const { sql, order } = hasCast(row) ? sqlOf(whole, row) : single;
            session.prepare(sql).run(...valuesOf(order, row));
          }
        }
      });
    },
  };
}

/** How many rows, at most `most`, can be bound as they are. */
function plainRows(rows: readonly (readonly Bound[])[], from: number, most: number): number {
  const end = Math.min(from + most, rows.length);
  let at = from;
  while (at < end && !hasCast(rows[at]!)) at++;
  return at - from;
}

export function valuesOf(order: readonly number[], row: readonly Bound[]): Bound[] {
  return order.map((at) => {
    const value = row[at];
    return value instanceof Cast ? value.value : value;
  });
}

interface InsertStatement {
  readonly encoders: readonly Encoder[];
  readonly whole: StatementPieces;
  readonly repeated: Extract<InsertPlan, { readonly kind: "template" }>["repeated"];
}

function templateStatement(plan: Extract<InsertPlan, { readonly kind: "template" }>): InsertStatement {
  const encoders = new Array<Encoder>(plan.values).fill(tokenEncoder);
  return { encoders, whole: plan.whole, repeated: plan.repeated };
}

function columnStatement(plan: Extract<InsertPlan, { readonly kind: "columns" }>): InsertStatement {
  const { table, columns, key } = plan;
  const names = columns.map(({ name }) => quoteIdentifier(name));
  const head = `INSERT INTO ${table} (${names.join(", ")}) VALUES `;
  const row = columns.flatMap((_, i) => [i === 0 ? "(" : ", ", i]).concat(")");
  const tail =
    key.length > 0
      ? ` ON CONFLICT (${key.map(quoteIdentifier).join(", ")}) ${updateOf(
          columns.map(({ name }) => name),
          key,
        )}`
      : "";
  return { encoders: columns.map(columnEncoder), whole: [head, ...row, tail], repeated: { head, row, tail } };
}

/** What the record has; other columns keep what they have. */
function updateOf(names: readonly string[], key: readonly string[]): string {
  const others = names.filter((name) => !key.includes(name)).map(quoteIdentifier);
  return others.length === 0
    ? "DO NOTHING"
    : `DO UPDATE SET ${others.map((name) => `${name} = excluded.${name}`).join(", ")}`;
}

interface Sql {
  readonly sql: string;
  /** The value for each question mark. */
  readonly order: readonly number[];
}

/** `row`: with the casts that its values need. */
export function sqlOf(pieces: StatementPieces, row: readonly Bound[] = []): Sql {
  const order: number[] = [];
  let sql = "";
  for (const piece of pieces) {
    if (typeof piece === "number") order.push(piece);
    const value = typeof piece === "number" ? row[piece] : undefined;
    const place = value instanceof Cast ? `CAST(? AS ${value.type})` : "?";
    sql += typeof piece === "number" ? place : piece;
  }
  return { sql, order };
}

function repeatedSql({ head, row, tail }: NonNullable<InsertStatement["repeated"]>, times: number): Sql {
  const { sql, order } = sqlOf(row);
  return { sql: `${head}${new Array<string>(times).fill(sql).join(", ")}${tail}`, order };
}
