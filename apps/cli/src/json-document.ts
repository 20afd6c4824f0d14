import { exactJson, type Redactor } from "@mqb/config/uri";

/** One JSON document with a line break. Secrets are taken out of every text before it is quoted. */
export function jsonDocument(value: unknown, redactor: Redactor): string {
  return `${exactJson(redactor.json(value), 2)}\n`;
}
