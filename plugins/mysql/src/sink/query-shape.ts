import type { StatementPieces } from "@mqb/sql";

/** What a query looks like, as far as its words tell. In doubt the answer is the one that costs time only. */

const TOKEN = "\u0001";

/**
 * A value stands where it makes a column of the answer: in a list behind SELECT, or in VALUES. Inside a UNION the column would
 * get one type for all messages.
 */
export function typesDependOnValues(query: StatementPieces): boolean {
  // For each open parenthesis whether columns are made there; a call in a list of columns makes them too.
  const open: boolean[] = [];
  let makes = false;
  for (const [word] of outline(query).matchAll(/[()\u0001]|\b(?:select|values|from|where)\b/gi)) {
    if (word === TOKEN && makes) return true;
    if (word === "(") open.push(makes);
    else if (word === ")") makes = open.pop() ?? false;
    else if (word !== TOKEN) makes = !/^(?:from|where)$/i.test(word);
  }
  return false;
}

export function isOrdered(query: StatementPieces): boolean {
  return /\border\s+by\b/i.test(text(query));
}

/** A LIMIT of the whole query, not of one inside it. */
export function hasOwnLimit(query: StatementPieces): boolean {
  return /\blimit\s+[\d\u0001][^()'"`]*$/i.test(text(query));
}

function text(query: StatementPieces): string {
  return query.map((piece) => (typeof piece === "number" ? TOKEN : piece)).join("");
}

/** Without texts and quoted names. */
function outline(query: StatementPieces): string {
  return text(query).replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`/g, "''");
}
