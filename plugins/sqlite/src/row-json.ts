import { doubleText } from "@mqb/json";

/** A column of a result: its name, and whether its numbers are written as texts. */
interface Column {
  readonly key: string;
  readonly quotesNumbers: boolean;
}

/** Writes rows as JSON objects, with the columns in their order. */
export class RowJson {
  private readonly columns: readonly Column[];
  private readonly textsAreJson: boolean;

  /** `textsAreJson`: the database gives texts in quotes and escaped. */
  constructor(
    columns: readonly { readonly name: string; readonly type: string | null }[],
    { textsAreJson = false }: { readonly textsAreJson?: boolean } = {},
  ) {
    this.textsAreJson = textsAreJson;
    this.columns = columns.map(({ name, type }) => ({
      key: JSON.stringify(name),
      quotesNumbers: quotesNumbers(type ?? ""),
    }));
  }

  text(row: readonly unknown[]): string {
    let text = "{";
    for (let i = 0; i < this.columns.length; i++) {
      const { key, quotesNumbers } = this.columns[i]!;
      const value = this.textsAreJson && typeof row[i] === "string" ? row[i] : valueText(row[i]);
      const quoted = quotesNumbers && (typeof row[i] === "bigint" || typeof row[i] === "number") ? `"${value}"` : value;
      text += `${i === 0 ? "" : ","}${key}:${quoted}`;
    }
    return `${text}}`;
  }
}

/** A field that the database quotes itself where it is a text: sooner, and also one with a NUL character in it. */
export function quotingText(field: string): string {
  return `CASE typeof(${field}) WHEN 'text' THEN json_quote(${field}) ELSE ${field} END`;
}

/** SQLite has no booleans and no times: such columns hold anything. */
export function quotesNumbers(type: string): boolean {
  return /bool|date|time/i.test(type);
}

export function valueText(value: unknown): string {
  switch (typeof value) {
    case "string":
      return JSON.stringify(value);
    case "bigint":
      return String(value);
    case "number":
      return Number.isFinite(value) ? doubleText(value) : "null";
    default:
      return value instanceof Uint8Array ? `"${hexOf(value)}"` : "null";
  }
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");
}
