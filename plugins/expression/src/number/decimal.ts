/**
 * A number of the language that is no plain double: `coefficient` × 10^-`scale`. Numbers of up to 15 digits, and all
 * safe integers, are JavaScript numbers instead, each standing for the decimal that its shortest text names.
 */
export class Decimal {
  readonly coefficient: bigint;
  /** 0 to 28 for what was computed. */
  readonly scale: number;
  /** The text in the payload, for one that was read and not computed; it is written as it was. */
  readonly text: string | undefined;

  constructor(coefficient: bigint, scale: number, text?: string) {
    this.coefficient = coefficient;
    this.scale = scale;
    this.text = text;
  }
}

export type ZenNumber = number | Decimal;

/** As in the original: a 96-bit coefficient, and up to 28 digits behind the point. */
export const MAX_COEFFICIENT = (1n << 96n) - 1n;
export const MAX_SCALE = 28;

const POWERS = Array.from({ length: 64 }, (_, exponent) => 10n ** BigInt(exponent));

export function powerOfTen(exponent: number): bigint {
  return POWERS[exponent] ?? 10n ** BigInt(exponent);
}

/** The plainest form of a value. Rounds, half to even, what has too many digits behind the point; undefined = too large. */
export function makeNumber(coefficient: bigint, scale: number): ZenNumber | undefined {
  let [value, digits] = [coefficient, scale];
  const tooMany = Math.max(digits - MAX_SCALE, 0);
  if (tooMany > 0) [value, digits] = [divideRounded(value, powerOfTen(tooMany)), MAX_SCALE];
  while (magnitude(value) > MAX_COEFFICIENT) {
    if (digits === 0) return undefined;
    const drop = Math.min(digits, Math.max(1, String(magnitude(value)).length - 29));
    [value, digits] = [divideRounded(value, powerOfTen(drop)), digits - drop];
  }
  while (digits > 0 && value % 10n === 0n) [value, digits] = [value / 10n, digits - 1];
  if (digits === 0 && magnitude(value) <= Number.MAX_SAFE_INTEGER) return Number(value);
  if (magnitude(value) < 1_000_000_000_000_000n) return Number(`${value}e-${digits}`);
  return new Decimal(value, digits);
}

export function divideRounded(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor;
  const twice = magnitude(value % divisor) * 2n;
  const up = twice > magnitude(divisor) || (twice === magnitude(divisor) && quotient % 2n !== 0n);
  return up ? quotient + (value < 0n === divisor < 0n ? 1n : -1n) : quotient;
}

export function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value;
}

const PARTS = /^(-?)(\d+)(?:\.(\d*))?(?:e([+-]?\d+))?$/i;

/** The exact value of a number; undefined when it is beyond what the language computes with. */
export function toDecimal(value: ZenNumber): { readonly coefficient: bigint; readonly scale: number } | undefined {
  if (typeof value !== "number") return value;
  if (Number.isSafeInteger(value)) return { coefficient: BigInt(value), scale: 0 };
  return decimalOf(String(value));
}

/** The value of a number's text; digits beyond the limits stay. Undefined for none, and for one beyond 10^±60. */
export function decimalOf(text: string): { readonly coefficient: bigint; readonly scale: number } | undefined {
  const [, sign, whole, fraction = "", exponent = "0"] = PARTS.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const scale = fraction.length - Number(exponent);
  if (scale < -60) return undefined;
  if (scale > 400) return { coefficient: 0n, scale: 0 };
  const digits = BigInt(whole + fraction) * (scale < 0 ? powerOfTen(-scale) : 1n);
  return { coefficient: sign === "-" ? -digits : digits, scale: Math.max(scale, 0) };
}
