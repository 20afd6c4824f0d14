import type { Redactor } from "@mqb/config/uri";

/** One JSON document with a line break. Secrets are taken out of every text before it is quoted. */
export function jsonDocument(value: unknown, redactor: Redactor): string {
  const hidden = (_: string, member: unknown): unknown => (typeof member === "string" ? redactor.text(member) : member);
  return `${JSON.stringify(value, hidden, 2)}\n`;
}
