/**
 * A double as mq-bridge writes it to JSON: with a point or an exponent always, the latter from 1e16 up and below 1e-5.
 * `value` must be finite.
 */
export function doubleText(value: number): string {
  const size = Math.abs(value);
  if (size < 1e16 && size >= 1e-5) return Number.isInteger(value) ? `${value}.0` : String(value);
  if (value === 0) return Object.is(value, -0) ? "-0.0" : "0.0";
  // In between JavaScript writes all digits.
  return value.toExponential();
}
