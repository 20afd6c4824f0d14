/** What a statement in the log does to rows, as far as it must be known. */
export type StatementKind =
  | { readonly kind: "begin" | "commit" | "rollback" | "savepoint" | "xa" | "rows" | "other" }
  | { readonly kind: "truncate"; readonly schema: string | undefined; readonly table: string }
  | { readonly kind: "partition" };

const COMMENTS = /^(?:\s+|\/\*(?!!)[\s\S]*?\*\/|#[^\n]*(?:\n|$)|--\s[^\n]*(?:\n|$))+/;
const NAME = "(?:`((?:[^`]|``)+)`|([^\\s.`;]+))";
const TRUNCATE = new RegExp(`^truncate\\s+(?:table\\s+)?${NAME}(?:\\s*\\.\\s*${NAME})?`, "i");
const PARTITION = /^alter\s[\s\S]*\b(?:truncate|drop|exchange|discard|import)\s+(?:partition|tablespace)\b/i;

/** Reads as much of a statement as it takes to tell. */
export function statementKind(sql: string): StatementKind {
  const text = sql.replace(COMMENTS, "");
  const [word = ""] = /^[a-z]+/i.exec(text) ?? [];
  switch (word.toLowerCase()) {
    case "begin":
      return { kind: "begin" };
    case "commit":
      return { kind: "commit" };
    case "rollback":
      return { kind: /^rollback\s+to\b/i.test(text) ? "savepoint" : "rollback" };
    case "xa":
      return { kind: /^xa\s+start\b/i.test(text) ? "begin" : "xa" };
    case "insert":
    case "update":
    case "delete":
    case "replace":
    case "load":
    case "with":
      return { kind: "rows" };
    case "truncate": {
      const [, quotedA, plainA, quotedB, plainB] = TRUNCATE.exec(text) ?? [];
      const first = nameOf(quotedA, plainA);
      const second = nameOf(quotedB, plainB);
      if (first === undefined) return { kind: "other" };
      return { kind: "truncate", schema: second === undefined ? undefined : first, table: second ?? first };
    }
    case "alter":
      return PARTITION.test(text) ? { kind: "partition" } : { kind: "other" };
    default:
      return { kind: "other" };
  }
}

function nameOf(quoted: string | undefined, plain: string | undefined): string | undefined {
  return quoted === undefined ? plain : quoted.replaceAll("``", "`");
}
