import { doubleText } from "@mqb/json";
import { compare, Decimal, digitsOf, type Exact } from "./exact.ts";

/** A number as JSON, in the form of mq-bridge (`20.0`, `1e+16`) where that has the same value, else with all its digits. */
export function exactText(value: Exact): string {
  if (!(value instanceof Decimal)) return numberText(value);
  const digits = digitsOf(value);
  const double = Number(digits);
  return Number.isFinite(double) && compare(double, value) === 0 ? doubleText(double) : digits;
}

/** A double as JSON; null for what JSON has no number for. */
export function numberText(value: number): string {
  return Number.isFinite(value) ? doubleText(value) : "null";
}
