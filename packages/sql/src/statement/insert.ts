import type { InsertPlan, StatementPieces } from "../contract.ts";
import { parseTableName } from "../table-name.ts";
import type { Statement } from "./parse.ts";

type TemplatePlan = Extract<InsertPlan, { readonly kind: "template" }>;

const TOKEN = "\u0001";

/** How a statement is written for many rows: its group of VALUES again and again, or, where that cannot be, one by one. */
export function planInsert(statement: Statement): TemplatePlan {
  const { pieces, sources, outline } = statement;
  const whole = { kind: "template", values: sources.length, whole: pieces } as const;
  const group = groupOfValues(outline);
  if (!group || outline.slice(group.end).includes(TOKEN) || outline.slice(0, group.start).includes(TOKEN)) return whole;
  const row = pieces.filter((piece) => typeof piece === "number");
  // Without a value in the group it would be the same row again: that is asked for one by one.
  if (row.length === 0) return whole;
  const repeated = cut(pieces);
  return repeated === undefined ? whole : { ...whole, repeated };
}

/** The columns that an insert of nothing but tokens names; undefined when it is anything else. */
export function plainColumns(statement: Statement): { readonly table: string; readonly columns: string[] } | undefined {
  const plain = new RegExp(
    `^\\s*insert\\s+into\\s+([A-Za-z0-9_.]+)\\s*\\(([^()]*)\\)\\s*values\\s*\\(\\s*${TOKEN}(?:\\s*,\\s*${TOKEN})*\\s*\\)\\s*;?\\s*$`,
    "i",
  );
  const [, table, list] = plain.exec(statement.outline) ?? [];
  if (table === undefined || list === undefined) return undefined;
  const columns = list.split(",").map((name) => name.trim());
  const fits = columns.length === statement.sources.length && columns.every((name) => /^[A-Za-z_]\w*$/.test(name));
  return fits ? { table: parseTableName(table, "insert_query").written, columns: columns.map(folded) } : undefined;
}

/** Behind the rows: `ON CONFLICT …`, `RETURNING …`; in the outline. */
export function tailOf({ outline }: Statement): string {
  const group = groupOfValues(outline);
  return group ? outline.slice(group.end) : "";
}

function folded(name: string): string {
  return name.toLowerCase();
}

/** The only group behind VALUES at the outer level of an INSERT; undefined when there are several, or none. */
function groupOfValues(outline: string): { readonly start: number; readonly end: number } | undefined {
  if (!/^\s*(?:insert|replace)\b/i.test(outline)) return undefined;
  const values = /\bvalues\s*\(/gi;
  for (let found = values.exec(outline); found; found = values.exec(outline)) {
    if (depthAt(outline, found.index) !== 0) continue;
    const start = found.index + found[0].length - 1;
    const end = closingOf(outline, start);
    if (end === undefined || /^\s*,/.test(outline.slice(end))) return undefined;
    return { start, end };
  }
  return undefined;
}

function depthAt(outline: string, end: number): number {
  let depth = 0;
  for (let at = 0; at < end; at++) depth += outline[at] === "(" ? 1 : outline[at] === ")" ? -1 : 0;
  return depth;
}

function closingOf(outline: string, open: number): number | undefined {
  let depth = 0;
  for (let at = open; at < outline.length; at++) {
    if (outline[at] === "(") depth++;
    else if (outline[at] === ")" && --depth === 0) return at + 1;
  }
  return undefined;
}

/** The group lies between the last `values (` of the text before the first token and its closing bracket behind the last. */
function cut(pieces: StatementPieces): NonNullable<TemplatePlan["repeated"]> | undefined {
  const first = pieces.findIndex((piece) => typeof piece === "number");
  const last = pieces.findLastIndex((piece) => typeof piece === "number");
  const before = pieces.slice(0, first).join("");
  const behind = pieces.slice(last + 1).join("");
  const open = lastValues(before);
  if (open === undefined) return undefined;
  const inside = [before.slice(open), ...pieces.slice(first, last + 1)];
  const close = closingBehind(inside, behind);
  if (close === undefined) return undefined;
  return { head: before.slice(0, open), row: [...inside, behind.slice(0, close)], tail: behind.slice(close) };
}

function lastValues(text: string): number | undefined {
  const found = [...text.matchAll(/\bvalues\s*\(/gi)].at(-1);
  return found === undefined ? undefined : found.index + found[0].length - 1;
}

/** Quoted brackets make it give up: such a statement is written row by row. */
function closingBehind(inside: StatementPieces, behind: string): number | undefined {
  const code = inside.map((piece) => (typeof piece === "number" ? "" : piece)).join("");
  if (/['"`]/.test(code) && /['"`][^'"`]*[()]/.test(code)) return undefined;
  let depth = depthAt(code, code.length);
  for (let at = 0; at < behind.length; at++) {
    const char = behind[at]!;
    if (char === "'" || char === '"' || char === "`") return undefined;
    if (char === "(") depth++;
    else if (char === ")" && --depth === 0) return at + 1;
  }
  return undefined;
}
