import type { Cell, Field } from "../client/session.ts";
import { realText } from "../source/row-bytes.ts";

/** Types of results: https://mariadb.com/docs/server/reference/clientserver-protocol/4-server-response-packets/result-set-packets */
const INTEGERS = [2, 3, 8];
const FLOAT = 4;
const DOUBLE = 5;
const BIT = 16;

/** Writes rows of a result as JSON objects, as cursors write them. */
export class ResultJson {
  private readonly keys: readonly string[];
  private readonly fields: readonly Field[];

  constructor(fields: readonly Field[]) {
    this.fields = fields;
    this.keys = fields.map(({ name }) => JSON.stringify(name));
  }

  text(row: readonly Cell[]): string {
    return `{${this.keys.map((key, i) => `${key}:${valueText(row[i] ?? null, this.fields[i]!)}`).join(",")}}`;
  }
}

export function isReal({ columnType }: Field): boolean {
  return columnType === FLOAT || columnType === DOUBLE;
}

function valueText(value: Cell, field: Field): string {
  if (value === null) return "null";
  if (typeof value !== "string") {
    return JSON.stringify(field.columnType === BIT ? value.toString("latin1") : value.toString("hex"));
  }
  // ZEROFILL writes zeros before the number.
  if (INTEGERS.includes(field.columnType)) return value.replace(/^(-?)0+(?=\d)/, "$1");
  return isReal(field) ? realText(value) : JSON.stringify(value);
}
