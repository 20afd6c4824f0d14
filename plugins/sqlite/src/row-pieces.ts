import { type ColumnInfo, quoteIdentifier } from "@mqb/sql";
import { quotesNumbers, valueText } from "./row-json.ts";
import { affinityOf } from "./values.ts";

/** Columns of one piece: an expression must not nest too deep. */
const TOGETHER = 100;

/**
 * Rows as JSON that the database puts together itself, as far as it writes values exactly: that is everything but numbers
 * with a point. Columns that are made for those are given beside, and their values written here.
 */
export class RowPieces {
  /** What to select. */
  readonly sql: string;
  /** Of each of them, whether it is a value. */
  private readonly isValue: readonly boolean[];

  constructor(columns: readonly ColumnInfo[]) {
    const selected: string[] = [];
    const isValue: boolean[] = [];
    let piece: string[] = [];
    const end = (): void => {
      if (piece.length > 0) selected.push(piece.join(" || "));
      if (piece.length > 0) isValue.push(false);
      piece = [];
    };
    for (const [i, { name, type }] of columns.entries()) {
      piece.push(textLiteral(`${i === 0 ? "{" : ","}${JSON.stringify(name)}:`));
      const column = quoteIdentifier(name);
      if (holdsReals(type)) {
        end();
        selected.push(`CASE typeof(${column}) ${textOrBytes(column)} ELSE ${column} END`);
        isValue.push(true);
      } else {
        const number = quotesNumbers(type) ? `'"' || ${column} || '"'` : column;
        piece.push(
          `CASE typeof(${column}) WHEN 'integer' THEN ${number} ${textOrBytes(column)} WHEN 'null' THEN 'null' END`,
        );
        if (piece.length >= TOGETHER) end();
      }
    }
    piece.push("'}'");
    end();
    this.sql = selected.join(", ");
    this.isValue = isValue;
  }

  /** Undefined when a number with a point is where none was expected: then the row has to be read value by value. */
  text(row: readonly unknown[]): string | undefined {
    let text = "";
    for (let i = 0; i < row.length; i++) {
      const piece = row[i];
      if (typeof piece === "string") text += piece;
      else if (this.isValue[i]) text += valueText(piece);
      else return undefined;
    }
    return text;
  }
}

function textOrBytes(column: string): string {
  return `WHEN 'text' THEN json_quote(${column}) WHEN 'blob' THEN '"' || lower(hex(${column})) || '"'`;
}

function holdsReals(type: string): boolean {
  const affinity = affinityOf(type);
  return affinity === "real" || (affinity === "numeric" && !quotesNumbers(type));
}

function textLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
