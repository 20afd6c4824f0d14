import { doubleText } from "@mqb/json";
import { cannot } from "../errors.ts";
import { Decimal, decimalOf, makeNumber, powerOfTen, type ZenNumber } from "./decimal.ts";

const SHORT = 15;
const LONG = 400;

/**
 * A number from its text in a payload or expression, JSON's grammar. Nothing is rounded; what lies beyond 10^±60 and has
 * more than 15 digits is a double. Throws a `permanent` error for more than 400 characters, and beyond all doubles.
 */
export function readNumberText(text: string): ZenNumber {
  if (text.length <= SHORT) return finite(Number(text));
  if (text.length > LONG) throw cannot(`a number has more than ${LONG} characters`);
  const decimal = decimalOf(text);
  if (!decimal) return finite(Number(text));
  const number = makeNumber(decimal.coefficient, decimal.scale);
  if (typeof number === "number" && isSame(number, decimal)) return number;
  return new Decimal(decimal.coefficient, decimal.scale, text);
}

function finite(number: number): number {
  if (Number.isFinite(number)) return number + 0;
  throw cannot("a number is too large");
}

/** What makes a number of a text, as the original's `number()`: blanks around are no harm. Undefined = no number. */
export function numberFromText(text: string): ZenNumber | undefined {
  if (isPlain(text)) return Number(text) + 0;
  const trimmed = text.trim();
  if (trimmed.length > LONG || !/^[+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(trimmed)) return undefined;
  const plain = trimmed
    .replace(/^\+/, "")
    .replaceAll("_", "")
    .replace(/\.(?!\d)/, "")
    .replace(/^(-?)\./, "$10.");
  return readNumberText(plain);
}

/** Digits with perhaps a sign before and a point between them, few enough for a double: the usual number. */
function isPlain(text: string): boolean {
  if (text.length === 0 || text.length > SHORT) return false;
  let points = 0;
  const first = text.charCodeAt(0) === 45 ? 1 : 0;
  for (let at = first; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 46 && at > first && at < text.length - 1) points++;
    else if (code < 48 || code > 57) return false;
  }
  return points <= 1 && text.length > first;
}

/** How a number reads in a text: `string(x)` and templates. */
export function numberText(value: ZenNumber): string {
  if (typeof value === "number") return plainText(value);
  const digits = String(value.coefficient < 0n ? -value.coefficient : value.coefficient).padStart(value.scale + 1, "0");
  const sign = value.coefficient < 0n ? "-" : "";
  if (value.scale === 0) return sign + digits;
  return `${sign}${digits.slice(0, -value.scale)}.${digits.slice(-value.scale)}`;
}

/**
 * How a number is written to JSON: what was only passed on keeps its digits; what was computed and is not whole is
 * the shortest text of the nearest double.
 */
export function jsonNumberText(value: ZenNumber): string {
  if (typeof value === "number") return String(value);
  if (value.text !== undefined) return value.text;
  if (value.scale === 0) {
    const double = Number(value.coefficient);
    return BigInt(double) === value.coefficient && Math.abs(double) >= 1e21
      ? String(double)
      : String(value.coefficient);
  }
  const double = Number(numberText(value));
  // A fraction that a double has no room for still shows that it was there.
  return Number.isInteger(double) ? doubleText(double) : String(double);
}

/** As JSON, with all digits that the value has. */
export function exactNumberText(value: ZenNumber): string {
  return typeof value === "number" ? String(value) : (value.text ?? numberText(value));
}

/** Never with an exponent. */
function plainText(value: number): string {
  const text = String(value);
  if (!text.includes("e")) return text;
  const decimal = decimalOf(text);
  return decimal ? numberText(new Decimal(decimal.coefficient, decimal.scale)) : text;
}

function isSame(
  number: number,
  { coefficient, scale }: { readonly coefficient: bigint; readonly scale: number },
): boolean {
  const other = decimalOf(String(number));
  if (!other) return false;
  const most = Math.max(other.scale, scale);
  return other.coefficient * powerOfTen(most - other.scale) === coefficient * powerOfTen(most - scale);
}
