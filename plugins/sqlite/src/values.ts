import { FieldKind, JsonNumber, numberText, readString } from "@mqb/json";
import type { Bound, ColumnInfo, Encoder } from "@mqb/sql";
import { sqlErrors } from "@mqb/sql";
import { realValue, textValue } from "./cast.ts";

const MOST = 2n ** 63n - 1n;
const LEAST = -(2n ** 63n);

/** What SQLite makes of values in a column, by its declared type (https://www.sqlite.org/datatype3.html, 3.1). */
export type Affinity = "integer" | "text" | "blob" | "real" | "numeric";

export function affinityOf(type: string): Affinity {
  if (/int/i.test(type)) return "integer";
  if (/char|clob|text/i.test(type)) return "text";
  if (type === "" || /blob/i.test(type)) return "blob";
  return /real|floa|doub/i.test(type) ? "real" : "numeric";
}

/** A field of a record into its column. */
export function columnEncoder({ name, type }: ColumnInfo): Encoder {
  const affinity = affinityOf(type);
  const isBytes = /blob|binary/i.test(type);
  return (kind, bytes, start, end) => {
    switch (kind) {
      case FieldKind.string: {
        const text = readString(bytes, start, end);
        if (isBytes) return asBytes(text);
        // SQLite makes a number of it there.
        if (makesNumbers(affinity) && NUMBER.test(text)) numberValue(text, affinity, name);
        return textValue(text);
      }
      case FieldKind.number:
        return numberOf(bytes, start, end, affinity, name);
      case FieldKind.true:
        return 1n;
      case FieldKind.false:
        return 0n;
      default:
        return bytes.toString("utf8", start, end);
    }
  };
}

/** A token of a statement. An object or array has no value there: that is NULL, as for the original. */
export const tokenEncoder: Encoder = (kind, bytes, start, end) => {
  switch (kind) {
    case FieldKind.string:
      return textValue(readString(bytes, start, end));
    case FieldKind.number:
      return numberOf(bytes, start, end, "blob", "");
    case FieldKind.true:
      return 1n;
    case FieldKind.false:
      return 0n;
    default:
      return null;
  }
};

/** Sources write bytes as hex: such a text for a column of bytes is read back. Any other text is its own bytes. */
function asBytes(text: string): Uint8Array {
  return /^(?:[0-9a-f]{2})*$/.test(text) ? Buffer.from(text, "hex") : Buffer.from(text);
}

const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** A number of any digits is an integer or a double in such a column, also when it is bound as a text. */
function makesNumbers(affinity: Affinity): boolean {
  return affinity === "integer" || affinity === "numeric";
}

function numberOf(bytes: Buffer, start: number, end: number, affinity: Affinity, column: string): Bound {
  const whole = affinity === "text" ? undefined : smallInteger(bytes, start, end);
  return whole === undefined ? numberValue(numberText(bytes, start, end), affinity, column) : BigInt(whole);
}

/** Read from its digits; undefined for one of more than 15, and for what is no integer. */
function smallInteger(bytes: Buffer, start: number, end: number): number | undefined {
  const isNegative = bytes[start] === 0x2d;
  const first = isNegative ? start + 1 : start;
  if (end - first > 15) return undefined;
  let value = 0;
  for (let at = first; at < end; at++) {
    const digit = bytes[at]! - 0x30;
    if (digit < 0 || digit > 9) return undefined;
    value = value * 10 + digit;
  }
  return isNegative ? -value : value;
}

/** Never rounded: what neither an integer of 64 bits nor a double holds stays a text, or is refused. */
function numberValue(text: string, affinity: Affinity, column: string): Bound {
  if (/^-?\d+$/.test(text)) {
    const value = BigInt(text);
    if (affinity === "text") return text;
    if (value >= LEAST && value <= MOST) return value;
    if (makesNumbers(affinity)) throw sqlErrors.OUT_OF_RANGE({ column });
    return text;
  }
  if (affinity === "text") return text;
  const double = Number(text);
  // A column that makes a real of any number takes whole ones as they are.
  if (affinity === "real" && Number.isInteger(double) && !Object.is(double, -0)) return double;
  if (affinity === "real" && Number.isFinite(double)) return realValue(double, text);
  if (Number.isFinite(double) && hasFewDigits(text)) return realValue(double, text);
  // A text may have zeros in front.
  const number = text.replace(/^(-?)0+(?=\d)/, "$1");
  if (Number.isFinite(double) && JsonNumber.of(double).equals(new JsonNumber(number))) return realValue(double, text);
  if (makesNumbers(affinity)) throw sqlErrors.OUT_OF_RANGE({ column });
  return text;
}

/** No more than 15: a double gives them all back. */
function hasFewDigits(text: string): boolean {
  // One of the characters of such a number is no digit.
  if (text.length <= 16) return true;
  const digits = text.replace(/[eE].*$/, "").replace(/[^0-9]/g, "");
  return digits.replace(/^0+/, "").length <= 15;
}
