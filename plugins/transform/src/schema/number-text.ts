import { JsonNumber } from "@mqb/json";
import { trimBlanks } from "./blanks.ts";

const MINUS = 45;
const POINT = 46;
const ZERO = 48;
/** Integers of so many digits fit 64 bits, decimals of so many are the text of their double. */
const INTEGER_DIGITS = 18;
const DECIMAL_DIGITS = 15;
const LEAST = -(2n ** 63n);
const MOST = 2n ** 64n - 1n;

/** Whether a JSON number is an integer as the original knows them: without point and exponent, of 64 bits, not `-0`. */
export function isInteger(bytes: Uint8Array, start: number, end: number): boolean {
  const first = bytes[start] === MINUS ? start + 1 : start;
  for (let at = first; at < end; at++) if (!isDigit(bytes[at]!)) return false;
  if (first > start && bytes[first] === ZERO) return false;
  return end - first <= INTEGER_DIGITS || fits(Buffer.from(bytes.subarray(start, end)).toString("latin1"));
}

/** Whether a text, without its quotes, is an integer just as JSON writes it. */
export function isPlainInteger(bytes: Uint8Array, start: number, end: number): boolean {
  const first = bytes[start] === MINUS ? start + 1 : start;
  const digits = end - first;
  if (digits < 1 || digits > INTEGER_DIGITS) return false;
  if (bytes[first] === ZERO && (digits > 1 || first > start)) return false;
  for (let at = first; at < end; at++) if (!isDigit(bytes[at]!)) return false;
  return true;
}

/**
 * Where the number ends that a text, without its quotes, begins with when it is one that only zeros follow: `12.50` is
 * `12.5`. -1 when it is not written that plainly.
 */
export function plainNumberEnd(bytes: Uint8Array, start: number, end: number): number {
  if (isPlainInteger(bytes, start, end)) return end;
  const first = bytes[start] === MINUS ? start + 1 : start;
  if (end - first > DECIMAL_DIGITS + 1) return -1;
  let point = first;
  while (point < end && isDigit(bytes[point]!)) point++;
  if (point === first || point + 1 >= end || bytes[point] !== POINT) return -1;
  if (bytes[first] === ZERO && point - first > 1) return -1;
  for (let at = point + 1; at < end; at++) if (!isDigit(bytes[at]!)) return -1;
  let last = end;
  while (last > point + 2 && bytes[last - 1] === ZERO) last--;
  // Below 0.00001 an exponent is written.
  if (bytes[first] === ZERO && last - point > 2 && bytes[point + 1] === ZERO) return -1;
  return last;
}

/** The integer that a text stands for, as JSON; undefined = none of 64 bits. */
export function integerOfText(text: string): string | undefined {
  const trimmed = trimBlanks(text);
  const signed = trimmed.startsWith("-") || trimmed.startsWith("+");
  const written = signed ? trimmed.slice(1) : trimmed;
  if (!/^\d+$/.test(written)) return undefined;
  const digits = withoutZeros(written);
  const integer = trimmed.startsWith("-") && digits !== "0" ? `-${digits}` : digits;
  return fits(integer) ? integer : undefined;
}

/**
 * The number that a text stands for, as JSON. Integers of any length stay as they are; others are written as the original
 * does where that has the same value, else with the digits that they have. Undefined = no number, or beyond all doubles.
 */
export function numberOfText(text: string): string | undefined {
  const parts = /^([+-]?)(\d*)(?:(\.)(\d*))?(?:[eE]([+-]?\d+))?$/.exec(trimBlanks(text));
  if (!parts) return undefined;
  const [, sign, whole = "", point, fraction = "", exponent] = parts;
  if (whole === "" && fraction === "") return undefined;
  const minus = sign === "-" ? "-" : "";
  const digits = withoutZeros(whole);
  if (point === undefined && exponent === undefined) return digits === "0" && minus !== "" ? "-0.0" : minus + digits;
  const exact = `${minus}${digits}${fraction === "" ? "" : `.${fraction}`}${exponent === undefined ? "" : `e${exponent}`}`;
  const double = Number(exact);
  return Number.isFinite(double) ? shorter(double, exact) : undefined;
}

/** The text that a JSON number becomes: that of the original where it has the same value, else the number as written. */
export function textOfNumber(number: string): string {
  if (number === "-0") return "-0.0";
  if (/^-?\d+$/.test(number)) return number;
  const double = Number(number);
  return Number.isFinite(double) ? shorter(double, number) : number;
}

function shorter(double: number, exact: string): string {
  const text = textOfDouble(double);
  return new JsonNumber(text).equals(new JsonNumber(exact)) ? text : exact;
}

/** A double as the original writes it: `100.0`, `1e+16`, `0.00001`, `1e-6`. */
function textOfDouble(double: number): string {
  if (double === 0) return Object.is(double, -0) ? "-0.0" : "0.0";
  const [, sign, first, rest = "", power] = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(double.toExponential())!;
  const exponent = Number(power);
  const digits = `${first}${rest}`;
  if (exponent >= 16 || exponent < -5) return `${sign}${first}${rest === "" ? "" : `.${rest}`}e${power}`;
  if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, "0");
  return `${sign}${whole}.${digits.slice(exponent + 1) || "0"}`;
}

/** Digits without zeros before them. By hand: a pattern would look at runs of zeros again and again. */
function withoutZeros(digits: string): string {
  let first = 0;
  while (first < digits.length - 1 && digits.charCodeAt(first) === ZERO) first++;
  return digits.slice(first) || "0";
}

function fits(integer: string): boolean {
  if (integer.length > 20) return false;
  const value = BigInt(integer);
  return value >= LEAST && value <= MOST;
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= 57;
}
