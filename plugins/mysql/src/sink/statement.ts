import { type Bound, type StatementPieces, sqlErrors } from "@mqb/sql";
import type { Session } from "../client/session.ts";

/** A statement whose group of values stands once for each row. */
export interface Repeated {
  readonly head: string;
  readonly row: StatementPieces;
  readonly tail: string;
}

type Rows = readonly (readonly Bound[])[];

/** Longer statements are no faster, and hold more memory. */
const LONGEST = 1 << 20;

/** The pieces with the literals in their places. */
export function filled(pieces: StatementPieces, row: readonly Bound[]): string {
  let text = "";
  for (let i = 0; i < pieces.length; i++) {
    const piece = pieces[i]!;
    text += typeof piece === "string" ? piece : ((row[piece] as string | null | undefined) ?? "NULL");
  }
  return text;
}

/** A statement with a question mark for each value. */
export function withMarks(pieces: StatementPieces): string {
  return pieces.map((piece) => (typeof piece === "number" ? "?" : piece)).join("");
}

/** The rows as few statements, none longer than the server takes. Throws a `permanent` error for a row that is. */
export function statementsOf({ head, row, tail }: Repeated, rows: Rows, session: Session, target: string): string[] {
  // A character has at most three bytes.
  const most = Math.min(LONGEST, session.maxPacket >> 2);
  const statements: string[] = [];
  let text = "";
  for (let i = 0; i < rows.length; i++) {
    const group = filled(row, rows[i]!);
    if (text !== "" && text.length + group.length > most) {
      statements.push(text + tail);
      text = "";
    }
    text += text === "" ? head + group : `,${group}`;
    if (group.length > most) fits(text + tail, session, target);
  }
  if (text !== "") statements.push(text + tail);
  return statements;
}

/** Throws a `permanent` error for a statement that is longer than the server takes: it would hang up. */
export function fits(sql: string, { maxPacket }: Session, target: string): string {
  const bytes = sql.length > maxPacket >> 2 ? Buffer.byteLength(sql) : 0;
  if (bytes <= maxPacket - 16) return sql;
  const reason = `a row of ${bytes} bytes is longer than max_allowed_packet (${maxPacket})`;
  throw sqlErrors.REFUSED({ target, reason });
}
