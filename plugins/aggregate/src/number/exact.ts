/**
 * A decimal of exact value. A number stands for the decimal that its shortest text names, which holds for up to 15 digits;
 * everything longer is a `Decimal`. So `0.1 + 0.2` is `0.3`, and no digit of an int64 changes.
 */
export type Exact = number | Decimal;

export class Decimal {
  readonly coefficient: bigint;
  /** Digits behind the point. */
  readonly scale: number;

  constructor(coefficient: bigint, scale: number) {
    this.coefficient = coefficient;
    this.scale = scale;
  }
}

const SHORT = 15;
/** Longer numbers, and those beyond all doubles, are not taken: their sums could grow without a bound. */
const LONG = 400;
const PARTS = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/;
/** Below this, whole millionths are exact as doubles, and so are their sums. */
const SMALL = 1_000_000_000_000_000;
const MICRO = 1_000_000;

/** The number that a text stands for, in JSON's form or a looser one (`+5`, `.5`, `5.`); undefined = none. */
export function readExact(text: string): Exact | undefined {
  if (text.length > LONG) return undefined;
  const parts = PARTS.exec(text);
  if (!parts || (parts[2] === "" && !parts[3])) return undefined;
  const double = Number(text);
  if (!Number.isFinite(double)) return undefined;
  if (text.length <= SHORT && isUsual(double)) return double;
  const [, sign, whole = "", fraction = "", exponent = "0"] = parts;
  const coefficient = BigInt(`${whole}${fraction}`);
  const scale = fraction.length - Number(exponent);
  // Nothing that a double can tell from zero.
  if (coefficient === 0n || scale > 2 * LONG) return 0;
  const signed = sign === "-" ? -coefficient : coefficient;
  return scale < 0 ? plainest(signed * 10n ** BigInt(-scale), 0) : plainest(signed, scale);
}

/** Whether it is a number that `readExact` takes, so that it can be stored and read again. */
export function isBounded(value: Exact): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  const digits = digitsOf(value);
  return digits.length <= LONG && Number.isFinite(Number(digits));
}

export function add(a: Exact, b: Exact): Exact {
  if (typeof a === "number" && typeof b === "number") {
    const sum = a + b;
    if (Number.isSafeInteger(a) && Number.isSafeInteger(b) && Number.isSafeInteger(sum)) return sum;
    const x = Math.round(a * MICRO);
    const y = Math.round(b * MICRO);
    if (x / MICRO === a && y / MICRO === b && Math.abs(x) < SMALL && Math.abs(y) < SMALL && Math.abs(x + y) < SMALL)
      return (x + y) / MICRO;
  }
  const [x, y] = [partsOf(a), partsOf(b)];
  const scale = Math.max(x.scale, y.scale);
  return plainest(raised(x, scale) + raised(y, scale), scale);
}

/** Less than, equal to or greater than 0. */
export function compare(a: Exact, b: Exact): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  const [x, y] = [partsOf(a), partsOf(b)];
  const scale = Math.max(x.scale, y.scale);
  const [left, right] = [raised(x, scale), raised(y, scale)];
  return left < right ? -1 : left > right ? 1 : 0;
}

/** The nearest double. */
export function toDouble(value: Exact): number {
  return typeof value === "number" ? value : Number(digitsOf(value));
}

/** All digits, with a point and at least one digit behind it. */
export function digitsOf({ coefficient, scale }: Decimal): string {
  const negative = coefficient < 0n;
  const digits = String(negative ? -coefficient : coefficient).padStart(scale + 1, "0");
  const point = digits.length - scale;
  return `${negative ? "-" : ""}${digits.slice(0, point)}.${digits.slice(point) || "0"}`;
}

/** Without zeros at the end; as a number where that names the same decimal. */
function plainest(coefficient: bigint, scale: number): Exact {
  let [value, places] = [coefficient, scale];
  while (places > 0 && value % 10n === 0n) [value, places] = [value / 10n, places - 1];
  const digits = String(value).replace("-", "").replace(/0+$/, "");
  const double = Number(`${value}e${-places}`);
  return digits.length <= SHORT && isUsual(double) ? double + 0 : new Decimal(value, places);
}

function partsOf(value: Exact): Decimal {
  if (typeof value !== "number") return value;
  if (Number.isSafeInteger(value)) return new Decimal(BigInt(value), 0);
  const [, sign, whole = "", fraction = "", exponent = "0"] = PARTS.exec(String(value))!;
  const digits = BigInt(whole + fraction);
  const scale = fraction.length - Number(exponent);
  const signed = sign === "-" ? -digits : digits;
  return scale < 0 ? new Decimal(signed * 10n ** BigInt(-scale), 0) : new Decimal(signed, scale);
}

function raised({ coefficient, scale }: Decimal, to: number): bigint {
  return scale === to ? coefficient : coefficient * 10n ** BigInt(to - scale);
}

/** Neither none, nor beyond all doubles, nor so near to zero that a double has fewer digits than usual. */
function isUsual(double: number): boolean {
  return Number.isFinite(double) && (double === 0 || Math.abs(double) > 1e-290);
}
