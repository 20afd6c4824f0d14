/** A stretch of a statement: code, or what is quoted or a comment, with its delimiters. */
export interface Stretch {
  readonly kind: "code" | "quoted" | "comment";
  readonly start: number;
  readonly end: number;
}

const DOLLAR = /\$[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*\$|\$\$/y;

/** Takes a statement apart, so that nothing inside a text, a quoted name or a comment is read as code. */
export function* stretches(sql: string): Generator<Stretch> {
  let code = 0;
  for (let at = 0; at < sql.length; ) {
    const end = endOfSpecial(sql, at);
    if (end === undefined) {
      at++;
      continue;
    }
    if (at > code) yield { kind: "code", start: code, end: at };
    const first = sql[at]!;
    yield { kind: first === "-" || first === "/" ? "comment" : "quoted", start: at, end };
    at = code = end;
  }
  if (code < sql.length) yield { kind: "code", start: code, end: sql.length };
}

/** Behind what begins here, when it is quoted or a comment; one that is not closed goes to the end. */
function endOfSpecial(sql: string, at: number): number | undefined {
  const first = sql[at];
  if (first === "'" || first === '"' || first === "`") {
    const backslashes = first === "'" && /[eE]/.test(sql[at - 1] ?? "") && !/\w/.test(sql[at - 2] ?? " ");
    return endOfQuoted(sql, at, first, backslashes);
  }
  if (first === "-" && sql[at + 1] === "-") return endAt(sql.indexOf("\n", at), 1, sql);
  if (first === "/" && sql[at + 1] === "*") return endAt(sql.indexOf("*/", at + 2), 2, sql);
  if (first === "$") {
    DOLLAR.lastIndex = at;
    const tag = DOLLAR.exec(sql)?.[0];
    // `$${` writes `${` itself: no text begins there.
    if (tag === undefined || (tag === "$$" && sql[at + 2] === "{")) return undefined;
    return endAt(sql.indexOf(tag, at + tag.length), tag.length, sql);
  }
  return undefined;
}

function endOfQuoted(sql: string, at: number, quote: string, backslashes: boolean): number {
  for (let i = at + 1; i < sql.length; i++) {
    if (backslashes && sql[i] === "\\") i++;
    else if (sql[i] === quote) {
      if (sql[i + 1] !== quote) return i + 1;
      i++;
    }
  }
  return sql.length;
}

function endAt(index: number, length: number, sql: string): number {
  return index < 0 ? sql.length : index + length;
}
