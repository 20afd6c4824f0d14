const MINUS = 45;
const POINT = 46;
const SHORT = 15;
const POWERS = Float64Array.from({ length: SHORT }, (_, exponent) => 10 ** exponent);

/**
 * The number that these bytes write with up to 15 characters: digits, perhaps with a sign before them and a point between.
 * The same double that their text gives, since numerator and power of ten are exact; NaN for everything else. Zero has no
 * sign.
 */
export function plainNumber(bytes: Uint8Array, start: number, end: number): number {
  const first = bytes[start] === MINUS ? start + 1 : start;
  if (end - start > SHORT || first >= end) return Number.NaN;
  let digits = 0;
  let point = -1;
  for (let at = first; at < end; at++) {
    const byte = bytes[at]!;
    if (byte >= 48 && byte <= 57) digits = digits * 10 + byte - 48;
    else if (byte === POINT && point < 0 && at > first && at < end - 1) point = at;
    else return Number.NaN;
  }
  const value = point < 0 ? digits : digits / POWERS[end - 1 - point]!;
  return first > start ? 0 - value : value;
}
