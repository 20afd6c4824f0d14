import { doubleText } from "@mqb/json";
import type { Output } from "../output.ts";
import { compare, Decimal, digitsOf, type Exact } from "./exact.ts";

/** A number as JSON, in the form of mq-bridge (`20.0`, `1e+16`) where that has the same value, else with all its digits. */
export function exactText(value: Exact): string {
  if (!(value instanceof Decimal)) return doubleText(value);
  const digits = digitsOf(value);
  const double = Number(digits);
  return Number.isFinite(double) && compare(double, value) === 0 ? doubleText(double) : digits;
}

/** Writes `exactText`. */
export function writeExact(value: Exact, out: Output): void {
  if (typeof value === "number") writeDouble(value, out);
  else out.text(exactText(value));
}

const LARGEST = 2 ** 31 - 1;
const MINUS = 45;
const POINT = 46;
const ZERO = 48;

/** Writes a double as JSON, null for what JSON has no number for. Numbers of few digits, the usual ones, make no text. */
export function writeDouble(value: number, out: Output): void {
  const hundredths = Math.round(value * 100);
  const size = Math.abs(hundredths);
  if (hundredths / 100 !== value || size > LARGEST || (size === 0 && Object.is(value, -0))) {
    out.text(Number.isFinite(value) ? doubleText(value) : "null");
    return;
  }
  if (hundredths < 0) out.byte(MINUS);
  const whole = (size / 100) | 0;
  const fraction = size - whole * 100;
  out.whole(whole);
  out.byte(POINT);
  out.byte(ZERO + ((fraction / 10) | 0));
  if (fraction % 10 !== 0) out.byte(ZERO + (fraction % 10));
}
