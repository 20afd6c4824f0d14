import { FieldKind, JsonNumber, numberText, readString } from "@mqb/json";
import { type Bound, type ColumnInfo, type Encoder, sqlErrors } from "@mqb/sql";
import { hexLiteral, textLiteral } from "./literal.ts";

const WHOLE = /^(?:tinyint|smallint|mediumint|int|bigint)$/;
const BYTES = /^(?:binary|varbinary|tinyblob|blob|mediumblob|longblob|vector)$/;
const GEOMETRY =
  /^(?:geometry|point|linestring|polygon|multipoint|multilinestring|multipolygon|geometrycollection|geomcollection)$/;

/** What is done with the values of a column, by the name of its type without length and sign. */
export type Kind = "whole" | "real" | "bit" | "bytes" | "geometry" | "json" | "label" | "year" | "other";

export function kindOf({ base, type }: ColumnInfo): Kind {
  const name = base ?? type;
  if (WHOLE.test(name)) return "whole";
  if (BYTES.test(name)) return "bytes";
  if (GEOMETRY.test(name)) return "geometry";
  switch (name) {
    case "float":
    case "double":
      return "real";
    case "bit":
    case "json":
    case "year":
      return name;
    case "enum":
    case "set":
      return "label";
    default:
      return "other";
  }
}

/** More digits than a DECIMAL has. */
const MOST_DIGITS = 65;

/** A field of a record into a column, as the literal that stands in the statement. */
export function columnEncoder(column: ColumnInfo): Encoder {
  const kind = kindOf(column);
  const { name } = column;
  return (field, bytes, start, end) => {
    switch (field) {
      case FieldKind.string:
        return stringLiteral(readString(bytes, start, end), kind, name);
      case FieldKind.number:
        return numberLiteral(numberText(bytes, start, end), kind, name);
      case FieldKind.true:
      case FieldKind.false:
        if (kind === "json") return field === FieldKind.true ? "'true'" : "'false'";
        return field === FieldKind.true ? "1" : "0";
      default:
        return textLiteral(bytes.toString("utf8", start, end));
    }
  };
}

/** A token of a statement. An object or array has no value there: that is NULL, as for the original. */
export const tokenEncoder: Encoder = (field, bytes, start, end) => {
  switch (field) {
    case FieldKind.string:
      return textLiteral(readString(bytes, start, end));
    case FieldKind.number: {
      const text = numberText(bytes, start, end);
      // Digits are exact; an exponent makes a double of it. What is longer than either stays a text.
      return text.length <= MOST_DIGITS ? text : textLiteral(text);
    }
    case FieldKind.true:
      return "TRUE";
    case FieldKind.false:
      return "FALSE";
    default:
      return null;
  }
};

function stringLiteral(text: string, kind: Kind, column: string): Bound {
  switch (kind) {
    case "bytes":
    case "geometry":
      // Sources write bytes as hex, which is read back. Any other text is its own bytes.
      return /^(?:[0-9a-f]{2})*$/.test(text) ? hexLiteral(text) : hexLiteral(Buffer.from(text).toString("hex"));
    case "bit":
      // A character for each byte, as sources write it.
      return /^[\u0000-\u00ff]*$/.test(text)
        ? hexLiteral(Buffer.from(text, "latin1").toString("hex"))
        : textLiteral(text);
    case "whole": {
      // The server would round it.
      const number = numberIn(text);
      return number === undefined ? textLiteral(text) : numberLiteral(number, kind, column);
    }
    default:
      return textLiteral(text);
  }
}

/** What the server takes for a number, as JSON spells it: `+1.50`, `.5`, `007`, with space around it. */
function numberIn(text: string): string | undefined {
  const found = /^[\t-\r ]*([+-]?)(?=\.?\d)(\d*)(?:\.(\d*))?([eE][+-]?\d+)?[\t-\r ]*$/.exec(text);
  if (!found) return undefined;
  const [, sign, whole = "", fraction = "", exponent = ""] = found;
  const behind = fraction === "" ? "" : `.${fraction}`;
  return `${sign === "-" ? "-" : ""}${whole.replace(/^0+(?=\d)/, "") || "0"}${behind}${exponent}`;
}

function numberLiteral(text: string, kind: Kind, column: string): Bound {
  switch (kind) {
    case "whole":
    case "bit": {
      const whole = /^-?\d+$/.test(text) ? text : wholeText(text);
      // The server would round a fraction, and take what is too long for a double.
      if (whole === undefined || whole.length > 20) throw sqlErrors.OUT_OF_RANGE({ column });
      return whole;
    }
    case "year":
    case "label":
      return /^-?\d{1,20}$/.test(text) ? text : textLiteral(text);
    default:
      // As written: a text or JSON column keeps its digits, and every other one reads them exactly.
      return `'${text}'`;
  }
}

/** `1.0` and `1E2` are whole too. */
function wholeText(text: string): string | undefined {
  const whole = new JsonNumber(text).toBigInt();
  return whole === undefined ? undefined : String(whole);
}
