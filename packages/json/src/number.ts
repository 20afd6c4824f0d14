/** A number of exact value: `digits` × 10^`exponent`. No zeros at either end; zero itself is empty. */
interface Decimal {
  readonly negative: boolean;
  readonly digits: string;
  /** Of the last digit. */
  readonly exponent: bigint;
}

const PARTS = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
/** Up to this many digits a canonical integer is written out. */
const WRITTEN_OUT = 40n;

/**
 * A JSON number that keeps the text it was written with: `1.0`, `1e400`, `-0` and integers of any length stay
 * themselves. Comparing is exact, by decimal value; only `toNumber` rounds.
 */
export class JsonNumber {
  readonly text: string;
  #decimal: Decimal | undefined;

  /** `text` must be a number as JSON writes it. Throws a TypeError for anything else. */
  constructor(text: string) {
    if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text)) throw new TypeError("not a JSON number");
    this.text = text;
  }

  /** A number for a double or an integer. Throws a TypeError for NaN and the infinities, which JSON does not have. */
  static of(value: number | bigint): JsonNumber {
    if (typeof value === "number" && !Number.isFinite(value)) throw new TypeError("JSON has no such number");
    return new JsonNumber(Object.is(value, -0) ? "-0" : String(value).replace("e+", "e"));
  }

  /** The nearest double; beyond its range an infinity, as JavaScript reads the text. */
  toNumber(): number {
    return Number(this.text);
  }

  /** Whether the value is whole, however it is written: `1.0` and `1e2` are. */
  isInteger(): boolean {
    const { digits, exponent } = this.#value();
    return digits === "" || exponent >= 0n;
  }

  /** The value as an integer; undefined when it is not whole, or has more than 10,000 digits when written out. */
  toBigInt(): bigint | undefined {
    if (/^-?\d+$/.test(this.text) && this.text.length <= 10_000) return BigInt(this.text);
    const { negative, digits, exponent } = this.#value();
    if (digits === "") return 0n;
    if (exponent < 0n || exponent + BigInt(digits.length) > 10_000n) return undefined;
    const magnitude = BigInt(digits) * 10n ** exponent;
    return negative ? -magnitude : magnitude;
  }

  equals(other: JsonNumber): boolean {
    return this.text === other.text || this.compare(other) === 0;
  }

  /** Less than, equal to or greater than 0. `-0` equals `0`. */
  compare(other: JsonNumber): number {
    const [a, b] = [this.#value(), other.#value()];
    const [signA, signB] = [signOf(a), signOf(b)];
    if (signA !== signB) return signA - signB;
    return signA === 0 ? 0 : signA * compareMagnitudes(a, b);
  }

  /**
   * One text for all writings of a value: `-0` is `0`, `1.0` is `1`, `1e2` is `100`. Very large and very small values
   * have one digit before the point, and an exponent.
   */
  canonical(): string {
    const { negative, digits, exponent } = this.#value();
    if (digits === "") return "0";
    const sign = negative ? "-" : "";
    const point = exponent + BigInt(digits.length);
    if (exponent >= 0n && point <= WRITTEN_OUT) return `${sign}${digits}${"0".repeat(Number(exponent))}`;
    if (exponent < 0n && point > 0n) {
      const at = Number(point);
      return `${sign}${digits.slice(0, at)}.${digits.slice(at)}`;
    }
    if (exponent < 0n && point > -6n) return `${sign}0.${"0".repeat(Number(-point))}${digits}`;
    const fraction = digits.length > 1 ? `.${digits.slice(1)}` : "";
    return `${sign}${digits[0]}${fraction}e${point - 1n}`;
  }

  toString(): string {
    return this.text;
  }

  #value(): Decimal {
    return (this.#decimal ??= decimalOf(this.text));
  }
}

function decimalOf(text: string): Decimal {
  const [, sign, whole = "", fraction = "", exponent = "0"] = PARTS.exec(text)!;
  const all = whole + fraction;
  const last = endOfDigits(all);
  const digits = all.slice(0, last).replace(/^0+/, "");
  const scale = BigInt(exponent) - BigInt(fraction.length) + BigInt(all.length - last);
  return { negative: sign === "-", digits, exponent: digits === "" ? 0n : scale };
}

/** Where the zeros at the end begin. By hand: a pattern would look at runs of zeros again and again. */
function endOfDigits(digits: string): number {
  let end = digits.length;
  while (end > 0 && digits.charCodeAt(end - 1) === 48) end--;
  return end;
}

function signOf({ negative, digits }: Decimal): number {
  return digits === "" ? 0 : negative ? -1 : 1;
}

function compareMagnitudes(a: Decimal, b: Decimal): number {
  const [pointA, pointB] = [a.exponent + BigInt(a.digits.length), b.exponent + BigInt(b.digits.length)];
  if (pointA !== pointB) return pointA < pointB ? -1 : 1;
  // Digits begin at the same place, and none ends in a zero: the order of the texts is that of the values.
  return a.digits === b.digits ? 0 : a.digits < b.digits ? -1 : 1;
}
