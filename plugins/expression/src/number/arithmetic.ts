import { cannot } from "../errors.ts";
import { Decimal, divideRounded, magnitude, makeNumber, powerOfTen, toDecimal, type ZenNumber } from "./decimal.ts";

/** Below this, whole millionths are exact as doubles, and so are their sums. */
const MICRO = 1_000_000;
const SMALL = 1_000_000_000_000_000;

export function add(a: ZenNumber, b: ZenNumber): ZenNumber {
  if (typeof a === "number" && typeof b === "number") {
    const sum = a + b;
    if (Number.isSafeInteger(a) && Number.isSafeInteger(b) && Number.isSafeInteger(sum)) return sum;
    const [x, y] = [micros(a), micros(b)];
    if (x !== undefined && y !== undefined && Math.abs(x + y) < SMALL) return (x + y) / MICRO + 0;
  }
  const [x, y] = [exact(a, "Add"), exact(b, "Add")];
  const scale = Math.max(x.scale, y.scale);
  return made(raised(x, scale) + raised(y, scale), scale, "Add");
}

export function subtract(a: ZenNumber, b: ZenNumber): ZenNumber {
  return add(a, negate(b));
}

export function multiply(a: ZenNumber, b: ZenNumber): ZenNumber {
  if (typeof a === "number" && typeof b === "number") {
    const product = a * b;
    if (Number.isSafeInteger(a) && Number.isSafeInteger(b) && Number.isSafeInteger(product)) return product + 0;
    const [x, y] = [micros(a), micros(b)];
    if (x !== undefined && y !== undefined) {
      if (Math.abs(x * y) < SMALL) return (x * y) / (MICRO * MICRO) + 0;
      if (Math.abs(x * b) < SMALL && Number.isSafeInteger(b)) return (x * b) / MICRO + 0;
      if (Math.abs(a * y) < SMALL && Number.isSafeInteger(a)) return (a * y) / MICRO + 0;
    }
  }
  const [x, y] = [exact(a, "Multiply"), exact(b, "Multiply")];
  return made(x.coefficient * y.coefficient, x.scale + y.scale, "Multiply");
}

/** Null for a division by zero. */
export function divide(a: ZenNumber, b: ZenNumber): ZenNumber | null {
  if (b === 0) return null;
  if (typeof a === "number" && typeof b === "number" && Number.isSafeInteger(a) && Number.isSafeInteger(b)) {
    if (a % b === 0) return a / b + 0;
  }
  const [x, y] = [exact(a, "Divide"), exact(b, "Divide")];
  // As many digits as the result can hold, and some to round by.
  const shift = Math.max(0, 40 - digitsOf(x.coefficient) + digitsOf(y.coefficient));
  const quotient = divideRounded(x.coefficient * powerOfTen(shift), y.coefficient);
  const scale = x.scale + shift - y.scale;
  return scale < 0 ? made(quotient * powerOfTen(-scale), 0, "Divide") : made(quotient, scale, "Divide");
}

/** The rest has the sign of the first number. Null for a division by zero. */
export function modulo(a: ZenNumber, b: ZenNumber): ZenNumber | null {
  if (b === 0) return null;
  if (typeof a === "number" && typeof b === "number" && Number.isSafeInteger(a) && Number.isSafeInteger(b)) {
    return (a % b) + 0;
  }
  const [x, y] = [exact(a, "Modulo"), exact(b, "Modulo")];
  const scale = Math.max(x.scale, y.scale);
  return made(raised(x, scale) % raised(y, scale), scale, "Modulo");
}

export function power(a: ZenNumber, b: ZenNumber): ZenNumber {
  const failed = (): Error => cannot("the power cannot be computed");
  const exponent = typeof b === "number" ? b : Number.NaN;
  if (Number.isInteger(exponent) && Math.abs(exponent) <= 1000) {
    const { coefficient, scale } = exact(a, "Exponent");
    const times = Math.abs(exponent);
    // 0 and ±1 stay what they are; every other one is too large long before.
    if (magnitude(coefficient) > 1n && digitsOf(coefficient) * times > 400) throw failed();
    const raisedUp = makeNumber(coefficient ** BigInt(times), scale * times);
    if (raisedUp === undefined) throw failed();
    return exponent < 0 ? (divide(1, raisedUp) ?? raise(failed())) : raisedUp;
  }
  const result = toDouble(a) ** toDouble(b);
  if (!Number.isFinite(result)) throw failed();
  return Number(result.toPrecision(15)) + 0;
}

export function negate(a: ZenNumber): ZenNumber {
  return typeof a === "number" ? 0 - a : new Decimal(-a.coefficient, a.scale);
}

export function compare(a: ZenNumber, b: ZenNumber): number {
  if (typeof a === "number" && typeof b === "number") return a < b ? -1 : a > b ? 1 : 0;
  const [x, y] = [toDecimal(a), toDecimal(b)];
  if (!x || !y) return toDouble(a) < toDouble(b) ? -1 : toDouble(a) > toDouble(b) ? 1 : 0;
  const scale = Math.max(x.scale, y.scale);
  const [left, right] = [raised(x, scale), raised(y, scale)];
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Rounds to `places` digits behind the point. `floor` and `ceil` go down and up, `half` away from zero at the middle. */
export function roundTo(a: ZenNumber, places: number, how: "floor" | "ceil" | "trunc" | "half"): ZenNumber {
  if (typeof a === "number" && Number.isInteger(a)) return a;
  const { coefficient, scale } = exact(a, how);
  if (scale <= places) return a;
  const unit = powerOfTen(scale - places);
  const rest = coefficient % unit;
  let cut = (coefficient - rest) / unit;
  const up = how === "half" ? magnitude(rest) * 2n >= unit : how === "floor" ? rest < 0n : how === "ceil" && rest > 0n;
  if (up) cut += coefficient < 0n ? -1n : 1n;
  return made(cut, places, how);
}

export function toDouble(a: ZenNumber): number {
  return typeof a === "number" ? a : Number(a.coefficient) / 10 ** a.scale;
}

/** The number in millionths, when it is a whole number of them. */
function micros(a: number): number | undefined {
  const scaled = Math.round(a * MICRO);
  return Math.abs(scaled) < SMALL && scaled / MICRO === a ? scaled : undefined;
}

interface Parts {
  readonly coefficient: bigint;
  readonly scale: number;
}

function exact(a: ZenNumber, what: string): Parts {
  const parts = toDecimal(a);
  return parts ?? raise(cannot(`${what}: the number is too large to compute with`));
}

function made(coefficient: bigint, scale: number, what: string): ZenNumber {
  return makeNumber(coefficient, scale) ?? raise(cannot(`${what}: the result is too large`));
}

function raised({ coefficient, scale }: Parts, to: number): bigint {
  return scale === to ? coefficient : coefficient * powerOfTen(to - scale);
}

function digitsOf(value: bigint): number {
  return String(magnitude(value)).length;
}

function raise(error: Error): never {
  throw error;
}
