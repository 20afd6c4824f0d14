import {
  FieldKind,
  isJsonArray,
  isJsonObject,
  JsonNumber,
  type JsonValue,
  numberText,
  parseJson,
  readString,
  writeJson,
} from "@mqb/json";
import { type Encoder, sqlErrors } from "@mqb/sql";

/** A type as a statement names it, and as its values are read. */
export interface PgType {
  /** With its schema, and without a length: `pg_catalog.int4`. */
  readonly sql: string;
  /** Of a domain what it is made of; without quotes: `pg_catalog.timestamp`. */
  readonly base: string;
}

export function withoutQuotes(type: string): string {
  return type.replaceAll('"', "");
}

export function isArray({ base }: PgType): boolean {
  return /\._/.test(base);
}

/** Whether an array of it can be taken apart by `unnest` and gives this type. */
export function isElement(type: PgType): boolean {
  // An array of composites would be taken apart into their fields.
  if (!type.base.startsWith("pg_catalog.")) return false;
  return !isArray(type) && withoutQuotes(type.sql) === type.base && !/\.box$/.test(type.base);
}

/** A field of a record into a column: as the text that the server reads. */
export function columnEncoder(type: PgType, name: string): Encoder {
  const plain = name === "" ? "a value" : `the value for ${name}`;
  const { base } = type;
  if (/\.jsonb?$/.test(base)) return (_kind, bytes, start, end) => bytes.toString("utf8", start, end);
  if (base.endsWith(".bytea")) return (kind, bytes, start, end) => bytesText(textOf(kind, bytes, start, end), true);
  return valueEncoder(type, plain, false);
}

/** A token of a statement. Only a JSON or array type takes an object or array; elsewhere that is NULL, as for the original. */
export function tokenEncoder(type: PgType): Encoder {
  const { base } = type;
  if (/\.jsonb?$/.test(base)) return (kind, bytes, start, end) => checked(textOf(kind, bytes, start, end), "a value");
  if (base.endsWith(".bytea")) return (kind, bytes, start, end) => bytesText(textOf(kind, bytes, start, end), false);
  return valueEncoder(type, "a value", true);
}

function valueEncoder(type: PgType, what: string, dropsNested: boolean): Encoder {
  const isInteger = /\.int[248]$/.test(type.base);
  const takesArray = isArray(type);
  return (kind, bytes, start, end) => {
    switch (kind) {
      case FieldKind.string:
        return checked(readString(bytes, start, end), what);
      case FieldKind.number:
        return isInteger ? wholeText(numberText(bytes, start, end)) : numberText(bytes, start, end);
      case FieldKind.array:
        if (takesArray) return checked(arrayText(parseJson(bytes.subarray(start, end))), what);
        return dropsNested ? null : bytes.toString("utf8", start, end);
      case FieldKind.object:
        return dropsNested ? null : bytes.toString("utf8", start, end);
      default:
        return kind === FieldKind.true ? "true" : "false";
    }
  };
}

export function checked(text: string, what: string): string {
  if (text.includes("\u0000")) throw sqlErrors.NUL({ what });
  return text;
}

/** Bytes as the server reads them. */
export function hexText(bytes: Uint8Array): string {
  return `\\x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex")}`;
}

/** Sources write bytes as hex, and PostgreSQL with a sign before it: both are read back. Any other text is its own bytes. */
function bytesText(text: string, readsHex: boolean): string {
  if (/^\\x(?:[0-9a-f]{2})*$/i.test(text)) return text;
  if (readsHex && /^(?:[0-9a-f]{2})*$/.test(text)) return `\\x${text}`;
  return hexText(Buffer.from(text));
}

function textOf(kind: number, bytes: Buffer, start: number, end: number): string {
  return kind === FieldKind.string ? readString(bytes, start, end) : bytes.toString("utf8", start, end);
}

/** `1.0` and `1E2` are whole numbers too, which an integer column does not read. */
function wholeText(text: string): string {
  if (/^-?\d+$/.test(text)) return text;
  const number = new JsonNumber(text);
  const whole = number.toBigInt();
  return whole === undefined ? text : String(whole);
}

/** A JSON array as the text of an array. */
export function arrayText(value: JsonValue): string {
  if (isJsonArray(value)) return `{${value.map(arrayText).join(",")}}`;
  if (value === null) return "NULL";
  if (value instanceof JsonNumber) return value.text;
  if (typeof value === "boolean") return String(value);
  return quoteElement(isJsonObject(value) ? writeJson(value).toString() : value);
}

export function quoteElement(text: string): string {
  return `"${text.includes("\\") || text.includes('"') ? text.replace(/[\\"]/g, "\\$&") : text}"`;
}
