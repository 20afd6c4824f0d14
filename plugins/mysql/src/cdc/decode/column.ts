import { doubleText } from "@mqb/json";
import { writeEscaped, writeHex } from "../../json-text.ts";
import { type Charset, toUtf8 } from "./charset.ts";
import { StreamFault } from "./fault.ts";
import { decimalBytes, writeDecimal, writeDigits, writeWhole } from "./number-text.ts";
import { fractionBytes, writeDate, writeDateTime, writeTime, writeTimestamp } from "./time-text.ts";
import {
  BIT,
  BLOB,
  DATE,
  DATETIME2,
  DOUBLE,
  ENUM,
  FLOAT,
  GEOMETRY,
  INT24,
  LONG,
  LONGLONG,
  NEWDATE,
  NEWDECIMAL,
  SET,
  SHORT,
  STRING,
  TIME2,
  TIMESTAMP2,
  TINY,
  VAR_STRING,
  VARCHAR,
  YEAR,
} from "./types.ts";

/** How the bytes of a column become JSON. */
export interface Column {
  readonly name: string;
  /** `"name":` */
  readonly label: Buffer;
  readonly type: number;
  readonly meta: number;
  readonly isUnsigned: boolean;
  readonly isKey: boolean;
  /** Of texts. */
  readonly charset: Charset;
  /** Of ENUM and SET: as they stand in JSON, without quotes. */
  readonly labels: readonly Buffer[];
  /** ZEROFILL: digits that a number has at least. 0 = none. */
  readonly width: number;
  /** What its bytes stand for, where that is no string of bytes. */
  readonly known: "uuid" | "inet6" | "inet4" | undefined;
  /** Of BINARY: zeros at the end are not sent. */
  readonly size: number;
}

const QUOTE = 34;
const LONGEST_SAFE = 999_999_999_999_999n;

/** The number of bytes behind `at` that a value takes; those of its length come first, and are `lengthBytes`. */
export function lengthBytes({ type, meta }: Column): number {
  switch (type) {
    case VARCHAR:
    case VAR_STRING:
    case STRING:
      return meta < 256 ? 1 : 2;
    case BLOB:
    case GEOMETRY:
      return meta;
    default:
      return 0;
  }
}

/** Of a value without a length of its own. */
export function fixedBytes({ type, meta }: Column): number {
  switch (type) {
    case TINY:
    case YEAR:
      return 1;
    case SHORT:
      return 2;
    case INT24:
    case DATE:
    case NEWDATE:
      return 3;
    case LONG:
    case FLOAT:
      return 4;
    case LONGLONG:
    case DOUBLE:
      return 8;
    case TIMESTAMP2:
      return 4 + fractionBytes(meta);
    case DATETIME2:
      return 5 + fractionBytes(meta);
    case TIME2:
      return 3 + fractionBytes(meta);
    case NEWDECIMAL:
      return decimalBytes(meta >> 8, meta & 0xff);
    case BIT:
      return (meta + 7) >> 3;
    case ENUM:
    case SET:
      return meta;
    default:
      throw new StreamFault(`a column of the unknown type ${type}`);
  }
}

/** How many bytes its JSON may have beside what its bytes become: six for each. */
export function overheadOf({ label, labels, size }: Column): number {
  return label.length + 100 + 2 * size + labels.reduce((sum, one) => sum + one.length + 1, 0);
}

/** Writes `bytes[from .. to)` as JSON, as `sqlx` does it for the same value. Gives where it ends. */
export function writeValue(column: Column, bytes: Buffer, from: number, to: number, out: Buffer, at: number): number {
  const { type, meta, isUnsigned, width } = column;
  switch (type) {
    case SHORT:
      return writeWhole(isUnsigned ? bytes.readUInt16LE(from) : bytes.readInt16LE(from), 1, out, at);
    case LONG:
      return writeWhole(isUnsigned ? bytes.readUInt32LE(from) : bytes.readInt32LE(from), 1, out, at);
    case LONGLONG:
      return writeLong(isUnsigned ? bytes.readBigUInt64LE(from) : bytes.readBigInt64LE(from), out, at);
    case FLOAT:
      return writeReal(bytes.readFloatLE(from), out, at);
    case DOUBLE:
      return writeReal(bytes.readDoubleLE(from), out, at);
    default:
  }
  out[at++] = QUOTE;
  switch (type) {
    case TINY:
      at = writeWhole(isUnsigned ? bytes[from]! : bytes.readInt8(from), width, out, at);
      break;
    case INT24:
      at = writeWhole(isUnsigned ? bytes.readUIntLE(from, 3) : bytes.readIntLE(from, 3), width, out, at);
      break;
    case YEAR:
      at = writeDigits(bytes[from] === 0 ? 0 : 1900 + bytes[from]!, 4, out, at);
      break;
    case NEWDECIMAL:
      at = writeDecimal(bytes, from, meta >> 8, meta & 0xff, width > 0, out, at);
      break;
    case DATE:
    case NEWDATE:
      at = writeDate(bytes, from, out, at);
      break;
    case DATETIME2:
      at = writeDateTime(bytes, from, meta, out, at);
      break;
    case TIMESTAMP2:
      at = writeTimestamp(bytes, from, meta, out, at);
      break;
    case TIME2:
      at = writeTime(bytes, from, meta, out, at);
      break;
    case BIT:
      at = writeCharacters(bytes, from, to, out, at);
      break;
    case ENUM:
      at = writeLabel(column, bytes.readUIntLE(from, meta), out, at);
      break;
    case SET:
      at = writeLabels(column, bytes, from, out, at);
      break;
    case GEOMETRY:
      at = writeHex(bytes, from, to, out, at);
      break;
    default:
      at = writeString(column, bytes, from, to, out, at);
  }
  out[at++] = QUOTE;
  return at;
}

function writeLong(value: bigint, out: Buffer, at: number): number {
  if (value <= LONGEST_SAFE && value >= -LONGEST_SAFE) return writeWhole(Number(value), 1, out, at);
  return at + out.write(value.toString(), at, "latin1");
}

function writeReal(value: number, out: Buffer, at: number): number {
  return at + out.write(Number.isFinite(value) ? doubleText(value) : "null", at, "latin1");
}

/** A character for each byte. */
function writeCharacters(bytes: Buffer, from: number, to: number, out: Buffer, at: number): number {
  const text = Buffer.from(bytes.toString("latin1", from, to));
  return writeEscaped(text, 0, text.length, out, at);
}

/** The number of a label counts from 1; 0 is the empty text that stands for a wrong value. */
function writeLabel({ labels, name }: Column, number: number, out: Buffer, at: number): number {
  if (number === 0) return at;
  const label = labels[number - 1];
  if (!label) throw new StreamFault(`a value of ${name} without a name`);
  return at + label.copy(out, at);
}

function writeLabels({ labels, meta }: Column, bytes: Buffer, from: number, out: Buffer, at: number): number {
  let isFirst = true;
  for (const [i, label] of labels.entries()) {
    const byte = i >> 3;
    if (byte >= meta || (bytes[from + byte]! & (1 << (i & 7))) === 0) continue;
    if (!isFirst) out[at++] = 44;
    isFirst = false;
    at += label.copy(out, at);
  }
  return at;
}

function writeString(column: Column, bytes: Buffer, from: number, to: number, out: Buffer, at: number): number {
  const { charset, size, known } = column;
  if (known) return at + out.write(knownText(known, bytes.subarray(from, to)), at, "latin1");
  if (charset === "utf8") return writeEscaped(bytes, from, to, out, at);
  if (charset === "binary") {
    at = writeHex(bytes, from, to, out, at);
    for (let left = size - (to - from); left > 0; left--) {
      out[at++] = 48;
      out[at++] = 48;
    }
    return at;
  }
  const text = toUtf8(charset, bytes.subarray(from, to));
  return writeEscaped(text, 0, text.length, out, at);
}

/** As the server prints it. Zeros at the end were left out. */
function knownText(known: NonNullable<Column["known"]>, sent: Buffer): string {
  const bytes = Buffer.alloc(known === "inet4" ? 4 : 16);
  sent.copy(bytes);
  if (known === "inet4") return bytes.join(".");
  const hex = bytes.toString("hex");
  if (known === "inet6") return inet6Text(bytes);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/** The longest gap of zeros is left out; addresses of IPv4 stand at the end as such. */
function inet6Text(bytes: Buffer): string {
  const words = Array.from({ length: 8 }, (_, i) => bytes.readUInt16BE(2 * i));
  let [start, length] = [-1, 1];
  for (let i = 0; i < 8; i++) {
    let end = i;
    while (end < 8 && words[end] === 0) end++;
    if (end - i > length) [start, length] = [i, end - i];
    if (end > i) i = end;
  }
  const isIpv4 = start === 0 && (length === 6 || (length === 5 && words[5] === 0xffff));
  const texts: string[] = [];
  for (let i = 0; i < (isIpv4 ? 6 : 8); i++) texts.push(words[i]!.toString(16));
  if (isIpv4) texts.push(bytes.subarray(12).join("."));
  if (start < 0) return texts.join(":");
  const behind = texts.slice(start + length);
  return `${texts.slice(0, start).join(":")}::${behind.join(":")}`;
}
