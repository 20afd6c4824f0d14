import type { Finding } from "@mqb/core/plugin";
import { errors } from "../errors.ts";
import type { Statement } from "./parse.ts";

const TOKEN = "\u0001";
const WRITES = /^\s*(?:with\b[\s\S]*\b)?(insert|update|delete|merge|replace|truncate|drop|alter|create)\b/i;

/** What is wrong with a `lookup_query`, and what is good to know about it. */
export function checkLookup(statement: Statement): Finding[] {
  const { outline, tokens } = statement;
  const findings: Finding[] = [];
  const refuse = (reason: string): void => {
    const { code, message } = errors.STATEMENT({ field: "lookup_query", reason });
    findings.push({ level: "error", path: ["lookup_query"], code, message });
  };
  if (isBatched(outline)) {
    const outside = tokens.filter((_, i) => !isInside(outline, i));
    if (outside.length > 0) refuse(`with a token inside IN (…) no other may be used, and ${outside.join(", ")} is one`);
    if (/\blimit\b/i.test(outline))
      refuse("with a token inside IN (…) it answers many messages at once, and LIMIT would leave some without");
  }
  const writes = WRITES.exec(outline)?.[1];
  if (writes !== undefined) {
    const message = `lookup_query writes (${writes.toUpperCase()}): each message that is looked up changes the database`;
    findings.push({ level: "note", path: ["lookup_query"], code: "MQB_SQL_LOOKUP_WRITES", message });
  }
  return findings;
}

/** A token inside `IN (…)`. */
function isBatched(outline: string): boolean {
  return new RegExp(`\\bin\\s*\\(\\s*${TOKEN}`, "i").test(outline);
}

function isInside(outline: string, token: number): boolean {
  let at = -1;
  for (let i = 0; i <= token; i++) at = outline.indexOf(TOKEN, at + 1);
  return /\bin\s*\(\s*$/i.test(outline.slice(0, at));
}
